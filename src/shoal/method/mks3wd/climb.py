"""Ways up the hierarchies: who is released where, whatever the way."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from shoal.model.requirement import Requirements
from shoal.table.partition import Partition

UNSAFE = -1
Units = NDArray[np.int64]
Marks = NDArray[np.int32]


class Climb(ABC):
    """A way up the hierarchies of one table.

    Where a unit is released is told by a mark that only the climb itself reads, UNSAFE where it is
    not; `partition` turns marks into classes.
    """

    @abstractmethod
    def climb(self, members: Units, k: int, requirements: Requirements) -> Marks:
        """Release groups of at least k that hold what is asked; the mark of each member."""

    @abstractmethod
    def take_singly(
        self, unsafe: Units, offered: Units, k: int, requirements: Requirements
    ) -> tuple[Marks, NDArray[np.bool_]]:
        """Add those offered to the unsafe one by one, until nobody is unsafe (scheme SE).

        A row can only complete groups that hold it; the lowest that then holds is released. Returns
        the mark of every unit of the table, and who of those offered was taken.
        """

    @abstractmethod
    def take_classes(
        self,
        unsafe: Units,
        offered: Units,
        rank: NDArray[np.int64],
        k: int,
        requirements: Requirements,
    ) -> tuple[Marks, NDArray[np.bool_]]:
        """Complete groups of unsafe ones with all those offered that are alike (scheme ECE).

        rank[i] is the sort of offered[i]; sorts are added one after the other until the group
        holds. Where everyone in the table is alike, rows are added singly. Returns as above.
        """

    @abstractmethod
    def partition(
        self,
        marks: Marks,
        batch: NDArray[np.int32] | None = None,
        k: NDArray[np.int32] | None = None,
        region: NDArray[np.int16] | None = None,
    ) -> Partition:
        """Classes from the mark of every unit (UNSAFE: suppressed).

        Units of one group that were released in different batches are classes of their own.
        """


def portions(rank: NDArray[np.int64], singly: bool) -> list[int]:
    """How many of those offered are taken at once: one more each time, or one more sort."""
    if singly:
        return list(range(1, len(rank) + 1))
    return (np.flatnonzero(np.diff(rank, append=rank[-1:] + 1)) + 1).tolist() if len(rank) else []


def least_portion(
    own: Units,
    offered: Units,
    rank: NDArray[np.int64],
    singly: bool,
    k: int,
    requirements: Requirements,
) -> int:
    """How many of those offered complete a group of at least k that holds; 0 where none do."""
    for size in portions(rank, singly):
        if len(own) + size < k:
            continue
        members = np.concatenate([own, offered[:size]])
        if requirements.holds(members.astype(np.int32)):
            return size
    return 0
