"""Ways up the hierarchies: who is released where, whatever the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shoal.model.requirement import Requirements
from shoal.table.partition import Partition

UNSAFE = -1
UnitNumbers = NDArray[np.int64]
Marks = NDArray[np.int32]
Taken = tuple[Marks, NDArray[np.bool_]]


class Climb(ABC):
    """A way up the hierarchies of one table.

    A mark that only the climb itself reads says where a unit is released, UNSAFE if it is not;
    `partition` turns marks into classes.
    """

    @abstractmethod
    def climb(self, members: UnitNumbers, k: int, requirements: Requirements) -> Marks:
        """Release groups of at least k that hold what is required; the mark of each member."""

    @abstractmethod
    def take_singly(self, offer: Offer) -> Taken:
        """Add those offered to the unsafe one by one, until nobody is unsafe (scheme SE).

        A row can only complete groups that hold it; the lowest that then holds is released. Returns
        the mark of every unit of the table, and who of those offered was taken.
        """

    @abstractmethod
    def take_classes(self, offer: Offer) -> Taken:
        """Complete groups of unsafe ones with all those offered that are alike (scheme ECE).

        Sorts are added one after the other until the group holds. Where everyone in the table is
        alike, rows are added singly. Returns as above.
        """

    @abstractmethod
    def classes(self, marks: Marks, batch: NDArray[np.int32] | None) -> Partition:
        """Classes from the mark of every unit (UNSAFE: suppressed), with heights and levels.

        Units of one group that were released in different batches are classes of their own.
        """

    def partition(
        self,
        marks: Marks,
        batch: NDArray[np.int32] | None = None,
        k: NDArray[np.int32] | None = None,
        region: NDArray[np.int16] | None = None,
    ) -> Partition:
        """The same, with the k and the region of every unit."""
        return replace(self.classes(marks, batch), k=k, region=region)


@dataclass(frozen=True)
class Offer:
    """Unsafe units, and those offered to complete their groups of at least k.

    rank[i] is the sort of offered[i], which come in ascending order; where they are taken singly
    there is none.
    """

    unsafe: UnitNumbers
    offered: UnitNumbers
    k: int
    requirements: Requirements
    rank: UnitNumbers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    @property
    def least(self) -> int:
        """The least size of a group that is released."""
        return max(self.k, self.requirements.least)

    def nobody(self, n_units: int) -> Taken:
        """None of these units is released, and none of those offered is taken."""
        marks = np.full(n_units, UNSAFE, dtype=np.int32)
        return marks, np.zeros(len(self.offered), dtype=np.bool_)

    def portion(self, own: UnitNumbers, free: UnitNumbers, singly: bool) -> UnitNumbers:
        """How many of offered[free] complete the group of these unsafe ones: the first that do.

        One more is tried each time, or one more sort; empty where no portion completes it.
        """
        rank, n = self.rank[free], len(free)
        ends = np.arange(n) if singly else np.flatnonzero(np.diff(rank, append=rank[-1:] + 1))
        for size in (ends + 1).tolist():
            if len(own) + size < self.least:
                continue
            members = np.concatenate([own, self.offered[free[:size]]])
            if self.requirements.holds(members.astype(np.int32)):
                return free[:size]
        return free[:0]
