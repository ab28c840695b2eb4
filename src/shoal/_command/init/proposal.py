"""A first plan, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal._command.init.entry import Entry
from shoal._command.init.person import Person
from shoal._command.rehearsal import Rehearsed
from shoal.schema import Role
from shoal.schema.wording import percent


@dataclass(frozen=True)
class Proposal:
    """A first plan: its columns, notes for whoever reads it, and its commented YAML.

    `together[name]` counts the rows, or people, that a quasi-identifier and those before it single
    out. `rehearsed` is what the plan lost on `n_rehearsed` rows; None if it failed. `table`
    or `query` are those of a source that is a database.
    """

    entries: tuple[Entry, ...]
    person: Person | None
    k: int
    diversity: dict[str, int]
    n_rows: int
    together: dict[str, int]
    rehearsed: Rehearsed | None
    n_rehearsed: int
    notes: tuple[str, ...]
    source: str | None
    output: str
    method: str = "auto"
    text: str = ""
    table: str | None = None
    query: str | None = None

    @property
    def n_units(self) -> int:
        """How many people there are; rows, where each is a person."""
        return self.n_rows if self.person is None else self.person.n_people

    @property
    def n_singled_out(self) -> int:
        """The rows, or people, that all quasi-identifiers single out together."""
        return list(self.together.values())[-1] if self.together else 0

    @property
    def quasi(self) -> tuple[Entry, ...]:
        """The quasi-identifiers, the most telling first."""
        order = {name: place for place, name in enumerate(self.together)}
        found = [one for one in self.entries if one.role is Role.QUASI]
        return tuple(sorted(found, key=lambda one: order.get(one.name, len(order))))

    @property
    def stand_out(self) -> str:
        """Whom the quasi-identifiers single out, in words."""
        word = ("row", "rows") if self.person is None else ("person", "people")
        if self.n_units == 1:
            return f"The only {word[0]} is singled out by any column"
        share = self.n_singled_out / max(self.n_units, 1)
        verb = "Together they single" if len(self.together) > 1 else "It singles"
        return f"{verb} out {self.n_singled_out:,} of {self.n_units:,} {word[1]} ({percent(share)})"

    @property
    def expected(self) -> str:
        """What the release is expected to lose, in words."""
        if self.rehearsed is None:
            return "A rehearsal found no release that meets the requirements."
        lost = (
            f"{percent(self.rehearsed.loss, 0)} of their detail was lost and "
            f"{percent(self.rehearsed.stars, 0)} of their cells became *."
        )
        if self.n_rehearsed >= self.n_rows:
            return f"In a rehearsal, {lost}"
        return (
            f"In a rehearsal on {self.n_rehearsed:,} of the rows, {lost} All rows together would "
            "lose less."
        )

    def as_data(self) -> dict[str, Any]:
        """All of it for a JSON document, without any cell."""
        found = self.rehearsed
        return {
            "rows": self.n_rows,
            f"unique_{'people' if self.person else 'rows'}_by_quasi": self.n_singled_out,
            "individual": self.person and self.person.column,
            "k": self.k,
            "l": self.diversity,
            "method": self.method,
            "expected_loss": None if found is None else round(found.loss, 4),
            "expected_stars": None if found is None else round(found.stars, 4),
            "rehearsed_rows": self.n_rehearsed,
            "columns": [entry.as_data() for entry in self.entries],
            "notes": list(self.notes),
        }
