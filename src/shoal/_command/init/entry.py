"""One column of a first plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from shoal._command.init.column import ColumnProfile
from shoal._command.init.hierarchy import HierarchyChoice
from shoal._command.init.nature import Nature
from shoal.schema import Kind, Role

DECIDED = "your decision"


@dataclass(frozen=True)
class Entry:
    """A column, what it is, its role with the reason and, if quasi, its hierarchy.

    `instead` is the role that it may have by your decision, if it is left out until then.
    """

    column: ColumnProfile
    nature: Nature
    role: Role
    reason: str
    hierarchy: HierarchyChoice | None = None
    instead: Role | None = None

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> Kind:
        """The kind that the plan declares."""
        return self.column.kind if self.hierarchy is None else self.hierarchy.kind

    @property
    def is_open(self) -> bool:
        """Whether it is left out only until somebody decides."""
        return self.instead is not None

    @property
    def is_decided(self) -> bool:
        """Whether its role was given and not chosen."""
        return self.reason == DECIDED

    @property
    def told(self) -> str:
        """What it is and why, and what to know of its hierarchy, in a line."""
        note = "" if self.hierarchy is None else self.hierarchy.note
        parts = dict.fromkeys((self.nature.value, self.reason, note))
        return "; ".join(part for part in parts if part)

    def left_open(self, reason: str, instead: Role | None = None) -> Self:
        """The same, left out until somebody decides."""
        usual = self.role if self.role is not Role.DROP else Role.QUASI
        return replace(self, role=Role.DROP, reason=reason, instead=instead or usual)

    def as_data(self) -> dict[str, Any]:
        """What may be shown of it."""
        spec = self.hierarchy
        return {
            "column": self.name,
            "is": self.nature.value,
            "role": str(self.role),
            "reason": self.reason,
            "or": None if self.instead is None else str(self.instead),
            "hierarchy": None if spec is None else spec.text or None,
            **self.column.as_data(),
            "kind": str(self.kind),
        }
