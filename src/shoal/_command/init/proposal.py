"""A first plan, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal._command.init.ladder import Ladder
from shoal._command.init.person import Person
from shoal._command.init.role import Proposed
from shoal.schema import Kind, Role


@dataclass(frozen=True)
class Entry:
    """One column of the plan: its role with the reason and, for a quasi-identifier, its ladder."""

    proposed: Proposed
    ladder: Ladder | None = None

    @property
    def name(self) -> str:
        return self.proposed.name

    @property
    def role(self) -> Role:
        return self.proposed.role

    @property
    def kind(self) -> Kind:
        """The kind that the plan declares."""
        return self.proposed.column.kind if self.ladder is None else self.ladder.kind

    def as_data(self) -> dict[str, Any]:
        """What may be shown of it."""
        return {
            "column": self.name,
            "role": str(self.role),
            "reason": self.proposed.reason,
            "hierarchy": None if self.ladder is None else self.ladder.text,
            **self.proposed.column.as_data(),
            "kind": str(self.kind),
        }


@dataclass(frozen=True)
class Proposal:
    """A first plan: what is proposed, what should be known of it, and its commented YAML."""

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
            "unique_rows_by_quasi": self.n_singled_out,
            "individual": self.person and self.person.column,
            "k": self.k,
            "l": self.diversity,
            "columns": [entry.as_data() for entry in self.entries],
            "notes": list(self.notes),
        }
