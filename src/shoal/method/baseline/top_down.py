"""Top-Down: from the roots of all hierarchies down, one node at a time."""

from __future__ import annotations

import heapq
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.method.base import Method, Task
from shoal.model.requirement import Requirements
from shoal.table import Domain, Table
from shoal.table.partition import Partition
from shoal.table.space import infolosses, starts_of

HeapNode = tuple[float, int, int, int]


class TopDown(Method):
    """Begin with every quasi-identifier at its root and specialise one node after another.

    A node goes one level down wherever it occurs, if every resulting class meets the plan's
    requirements; of all such nodes, the one that lowers the loss most goes first (infoloss; ties:
    order of attributes, then of nodes). A node that fails once fails for good: any division of a
    class that fails has a part that fails. This is not so for delta-disclosure, but nodes are not
    tried again there either.
    """

    name: ClassVar[str] = "top-down"
    cite: ClassVar[papers.Citations] = (
        papers.cite("sopaoglu"),
        papers.cite("mhsa", "its experiment"),
    )
    needs_hierarchy: ClassVar[bool] = True
    limits: ClassVar[str] = (
        "A node is specialised for all rows or for none (global recoding), so one rare combination "
        "keeps it closed for everybody."
    )

    def takes_counts(self, table: Table, requirements: Requirements) -> bool:
        return True

    def partition(self, task: Task) -> Partition:
        descent = _Descent(task.table, task.requirements)
        descent.run()
        return descent.partition()


class _Descent:
    """The cut of every hierarchy as it goes down, and the classes that it makes."""

    def __init__(self, table: Table, requirements: Requirements) -> None:
        self.table, self.requirements = table, requirements
        self.paths = [_path(d) for d in table.quasi]
        self.losses = [infolosses(d) for d in table.quasi]
        self.codes = [table.unit_codes(a.name) for a in table.schema.quasi]
        self.level = [
            np.full(len(d), len(p) - 1) for d, p in zip(table.quasi, self.paths, strict=True)
        ]
        weights = table.weights(np.arange(table.n_units))
        self.counts = [
            np.bincount(c, weights, len(d)) for c, d in zip(self.codes, table.quasi, strict=True)
        ]
        self.unit_class = np.zeros(table.n_units, dtype=np.int64)
        self.n_classes = 1

    def run(self) -> None:
        queue: list[HeapNode] = []
        for j, path in enumerate(self.paths):
            self._offer(queue, j, len(path) - 1, np.arange(path.shape[1]))
        while queue:
            _, j, first, level = heapq.heappop(queue)
            nodes = self.paths[j][level]
            leaves = np.flatnonzero((nodes == nodes[first]) & (self.level[j] == level))
            if self._specialise(j, leaves, level):
                for child in np.unique(self.paths[j][level - 1][leaves]):
                    below = leaves[self.paths[j][level - 1][leaves] == child]
                    self._offer(queue, j, level - 1, below)

    def _offer(self, queue: list[HeapNode], j: int, level: int, leaves: NDArray[np.int64]) -> None:
        """Queue a node by what its specialisation gains, in billionths, then by its place."""
        if level == 0:
            return
        drop = self.losses[j][level][leaves] - self.losses[j][level - 1][leaves]
        # The gain does not depend on the classes, so each node is queued and tried once.
        gain = float(np.rint((drop * self.counts[j][leaves]).sum() * 1e9))
        heapq.heappush(queue, (-gain, j, int(leaves[0]), level))

    def _specialise(self, j: int, leaves: NDArray[np.int64], level: int) -> bool:
        """One node one level down, if every class that comes of it holds."""
        inside = np.zeros(len(self.level[j]), dtype=np.bool_)
        inside[leaves] = True
        units = np.flatnonzero(inside[self.codes[j]])
        children = self.paths[j][level - 1]
        keys = self.unit_class[units] * (int(children.max()) + 1) + children[self.codes[j][units]]
        kinds, part = np.unique(keys, return_inverse=True)
        order = np.argsort(part, kind="stable")
        starts = starts_of(np.bincount(part, minlength=len(kinds)))
        members = units[order].astype(np.int32)
        if self.requirements.misses(starts, members).any():
            return False
        self.level[j][leaves] = level - 1
        self.unit_class[units] = self.n_classes + part
        self.n_classes += len(kinds)
        return True

    def partition(self) -> Partition:
        numbers, unit_class = np.unique(self.unit_class, return_inverse=True)
        _, first = np.unique(unit_class, return_index=True)
        heights = np.column_stack(
            [level[codes[first]] for level, codes in zip(self.level, self.codes, strict=True)]
        )
        return Partition(unit_class.astype(np.int32), len(numbers), heights.astype(np.int16))


def _path(domain: Domain) -> NDArray[np.int64]:
    """The node of every code at every level, up to one root."""
    assert domain.tree is not None
    return domain.tree.closed().node.astype(np.int64)
