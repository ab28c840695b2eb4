"""A trial: one plan on one table, and what is read from its release."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

ReadTable = Callable[[], pl.DataFrame]


@dataclass(frozen=True)
class Trial:
    """One plan on one table.

    `place` is where it stands in the grid, `seed` included; `data` names its table. `otherwise` has
    the readings of a setting in which nobody can be published, where that is a result and not an
    error. `figures` are those that need it.
    """

    plan: Mapping[str, Any]
    data: str
    place: Mapping[str, Any]
    readings: tuple[str, ...]
    otherwise: Mapping[str, float] = field(default_factory=dict)
    figures: frozenset[int] = frozenset()

    def digest(self, data: str) -> str:
        """SHA-256 of the plan with its seed, of the digest of its table, and of what is read.

        Hierarchies in files enter by their content.

        >>> trial = Trial({"seed": 1}, "people", {"seed": 1}, ("glm",))
        >>> trial.digest("a") == trial.digest("b")
        False
        """
        asked = {
            "plan": self.plan,
            "files": [_content(path) for path in _hierarchy_files(self.plan)],
            "data": data,
            "readings": sorted(self.readings),
            "otherwise": dict(self.otherwise),
        }
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _hierarchy_files(plan: Mapping[str, Any]) -> list[str]:
    given = [
        words.get("hierarchy")
        for words in plan.get("attributes", {}).values()
        if isinstance(words, Mapping)
    ]
    return sorted(one for one in given if isinstance(one, str) and one != "flat")


@cache
def _content(path: str) -> str:
    file = Path(path)
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else path


@dataclass(frozen=True)
class Grid:
    """Trials, and the tables that they name; a table is made when a trial needs it."""

    trials: tuple[Trial, ...]
    tables: Mapping[str, ReadTable]

    def of_figure(self, number: int | None) -> Grid:
        """The part that a figure needs."""
        if number is None:
            return self
        return Grid(tuple(t for t in self.trials if number in t.figures), self.tables)
