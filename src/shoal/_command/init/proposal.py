"""A first plan, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal._command.init.entry import Entry
from shoal._command.init.person import Person


@dataclass(frozen=True)
class Proposal:
    """A first plan: its columns, notes for whoever reads it, and its commented YAML."""

    entries: tuple[Entry, ...]
    person: Person | None
    k: int
    diversity: dict[str, int]
    n_rows: int
    n_singled_out: int
    notes: tuple[str, ...]
    source: str | None
    output: str
    text: str = ""

    def as_data(self) -> dict[str, Any]:
        """All of it for a JSON document, without any cell."""
        return {
            "rows": self.n_rows,
            f"unique_{'people' if self.person else 'rows'}_by_quasi": self.n_singled_out,
            "individual": self.person and self.person.column,
            "k": self.k,
            "l": self.diversity,
            "columns": [entry.as_data() for entry in self.entries],
            "notes": list(self.notes),
        }
