"""Merge the classes that a method left failing where that loses least, or leave rows out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.method.level import LevelRequirements
from shoal.method.workshop import Workshop
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import Partition


@dataclass(frozen=True)
class MethodTrial:
    """A method that was tried on a shard; `chosen`: it lost least, or there was no other.

    `lost` is the mean loss of a cell by the plan's objective, where there was one to compare with.
    """

    method: str
    lost: float | None
    chosen: bool


@dataclass(frozen=True)
class Repair:
    """A partition in which every class holds, and what it took.

    `n_suppressed` units were left out, `n_single` of them singly, out of classes that are kept.
    `n_undecided`: how often a class counted as failing, on the way here, as a search ran out.
    `tried` are the methods of each shard, where the plan leaves the choice open.
    `gained` is what all rows lose less since classes were polished. `shards` is the shard of every
    class, where there are several.
    """

    partition: Partition
    n_merged: int = 0
    n_suppressed: int = 0
    n_undecided: int = 0
    n_single: int = 0
    tried: tuple[MethodTrial, ...] = ()
    gained: float = 0.0
    shards: NDArray[np.int32] | None = None


def repair_counts(found: Sequence[Repair]) -> dict[str, Any]:
    """What several repairs took together, by the names of their fields."""
    return {
        "n_merged": sum(f.n_merged for f in found),
        "n_suppressed": sum(f.n_suppressed for f in found),
        "n_undecided": sum(f.n_undecided for f in found),
        "n_single": sum(f.n_single for f in found),
        "tried": tuple(trial for f in found for trial in f.tried),
        "gained": sum(f.gained for f in found),
    }


def repair(
    table: Table,
    requirements: Requirements,
    partition: Partition,
    failing: NDArray[np.bool_],
    suppression_limit: float = 1.0,
    objective: str = "glm",
    levels: LevelRequirements | None = None,
) -> Repair:
    """Merge or suppress the classes that fail, in their order, until every class holds.

    A failing class is merged with the class with which it loses least, or is left out as far as
    the limit allows: the fewest members without whom it holds, or all of them. Whatever loses least
    is done (a unit that is left out loses every cell); if both lose the same, classes are merged.
    `levels` require more of classes with certain units. Raises InfeasibleError if nothing is left
    to publish.
    """
    if not failing.any():
        return Repair(partition)
    work = Workshop(table, requirements, partition, objective, levels)
    # A product such as 0.29 * 100 falls a hair short of the whole number that it means.
    allowed = int(suppression_limit * table.n_units + 1e-9) - partition.n_suppressed
    for start in np.flatnonzero(failing).tolist():
        allowed -= work.mend(start, allowed)
    if not work.alive.any():
        raise InfeasibleError(
            "No group of rows meets all the requirements, whichever rows are left out.",
            hint="Require less, or examine the requirements with 'shoal check'.",
        )
    return Repair(work.finished(), work.n_merged, work.n_suppressed, n_single=work.n_single)
