"""The weighted graph of units, parted so that few and light edges are inside groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.method.base import Task
from shoal.method.baseline.mondrian import cut_table
from shoal.method.graph.base import GraphMethod
from shoal.method.graph.exhaustive import MOST_EXHAUSTED, part_exactly
from shoal.method.graph.search import Graph
from shoal.schema.advice import Advice
from shoal.table import Table
from shoal.table.distinct import by_appearance
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import metric_of, space_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

# Up to the first, kicks follow the descent; up to the second, a forest is tried as a start: beyond
# that it never won.
_SMALL, _MIDDLE = 2_000, 20_000
# Kicks times the square of 20 + k: their number is fixed, so that nothing depends on a clock.
_KICKED = 1.5e6


class WeightedGraph(GraphMethod):
    """Groups of k or more with the least sum of edges inside them (section 3.4.2).

    The weight of an edge is the distance between its two units, or what both lose as one class. Up
    to 12 units, all partitions are examined and the first of the best is taken. Beyond that: groups
    grow from the units farthest from their neighbours by the unit that adds least, and from a
    forest of light edges, whose pieces are cut to k to 2k - 1; then units move and swap between
    groups of neighbours, and groups are dissolved, until nothing gains. Small tables are searched
    further at random, from the seed. All other requirements hold at every step.
    """

    name: ClassVar[str] = "weighted-graph"
    exact_units: ClassVar[int] = MOST_EXHAUSTED
    cite: ClassVar[papers.Citations] = (papers.cite("graph", "section 3.4.2"),)
    limits: ClassVar[str] = (
        "The least sum is NP-hard to find: beyond 12 units it is approximated. It is a sum over "
        "pairs, not the loss of the release. Without `normalise`, the attribute with the largest "
        "numbers outweighs the others."
    )

    weight: Literal["distance", "loss"] = Field(
        "distance",
        description="whether the weight of an edge is the distance between its ends, or the loss "
        "(glm) if they form one class",
    )

    def space(self, table: Table) -> Space:
        """The space in which the union of two units loses the weight of their edge."""
        if self.weight == "loss":
            return space_of(table.quasi, "glm")
        return metric_of(table.quasi, self.normalise)

    def advice(self, table: Table) -> list[Advice]:
        return [] if self.weight == "loss" else super().advice(table)

    def partition(self, task: Task) -> Partition:
        n, asked = task.table.n_units, task.requirements
        if n <= MOST_EXHAUSTED:
            return _numbered(part_exactly(task, self.space(task.table)))
        # Nothing is required, so everybody is a group without edges.
        if asked.least <= 1 and not asked.beyond_size:
            return _numbered(np.arange(n))
        # Too few for any group. As one they fail, and the repair reports it.
        if n < asked.least:
            return _numbered(np.zeros(n, dtype=np.int64))
        graph = Graph.of(task, self.space(task.table))
        return _numbered(graph.labels_of_units(_part(graph, task)))


def _part(graph: Graph, task: Task) -> NDArray[np.int32]:
    """The group of every unit of the graph, from the best of several starts."""
    everyone = np.arange(task.table.n_units, dtype=np.int32)
    if not task.requirements.holds(everyone):
        return graph.grown(graph.outliers_first(), complete=False)
    rng = np.random.default_rng(task.seed)
    starts = [graph.grown(graph.outliers_first())]
    if graph.n_units <= _MIDDLE:
        starts.append(graph.forest())
    if task.requirements.beyond_size:
        starts.append(
            graph.from_order(
                *cut_table(task.table, task.requirements, "loss", threads=task.threads)
            )
        )
    if graph.n_units <= _SMALL:
        starts += [graph.grown(rng.permutation(graph.n_points)) for _ in range(3)]

    def cost(labels: NDArray[np.int32]) -> tuple[int, float]:
        partition = _numbered(graph.labels_of_units(labels))
        failing = task.requirements.failing(partition)
        # Groups that fail count first: the repair will merge them, whatever their edges weigh.
        return int(np.count_nonzero(failing)), graph.sum_of_edges(labels)

    if task.requirements.beyond_size and graph.n_units > _SMALL:
        # Groups that must also hold many values are large, and improving them is most of the work.
        starts = [min(starts, key=cost)]
    best = min((graph.improved(labels) for labels in starts), key=cost)
    if graph.n_units > _SMALL:
        return best
    return graph.searched(best, int(_KICKED / (20 + graph.k) ** 2), rng)


def _numbered(labels: NDArray[np.integer]) -> Partition:
    """Groups numbered in the order of their first units."""
    kept = labels != SUPPRESSED
    rank = by_appearance(labels[kept], int(labels.max(initial=SUPPRESSED)) + 1)
    unit_class = np.append(rank, np.int32(SUPPRESSED))[labels]
    return Partition(unit_class, int(unit_class.max(initial=SUPPRESSED)) + 1)
