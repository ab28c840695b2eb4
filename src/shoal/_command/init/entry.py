"""One column of a first plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from shoal._command.init.column import ColumnProfile
from shoal._command.init.hierarchy import HierarchyChoice
from shoal.schema import Kind, Role


@dataclass(frozen=True)
class Entry:
    """A column, its role with the reason and, for a quasi-identifier, its hierarchy."""

    column: ColumnProfile
    role: Role
    reason: str
    hierarchy: HierarchyChoice | None = None

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def kind(self) -> Kind:
        """The kind that the plan declares."""
        return self.column.kind if self.hierarchy is None else self.hierarchy.kind

    def as_data(self) -> dict[str, Any]:
        """What may be shown of it."""
        return {
            "column": self.name,
            "role": str(self.role),
            "reason": self.reason,
            "hierarchy": None if self.hierarchy is None else self.hierarchy.text,
            **self.column.as_data(),
            "kind": str(self.kind),
        }
