"""A plan as plain data, with the files that it needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Portable:
    """The content of a plan file, and the hierarchy files that it names, by their new names."""

    plan: dict[str, Any] = field(default_factory=dict)
    hierarchies: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
