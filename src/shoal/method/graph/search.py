"""The graph of nearest units, groups to start from, and the search that makes them better."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.method.base import Task
from shoal.method.baseline.mondrian import marked_classes
from shoal.method.graph.edge import EdgeColumn, columns_of, sum_of_edges, weights_of
from shoal.table.partition import SUPPRESSED
from shoal.table.space import starts_of

if TYPE_CHECKING:
    from shoal.kernels.box.element import Boxes
    from shoal.kernels.box.index import Index
    from shoal.kernels.box.space import Space
    from shoal.kernels.graph.weight import Groups, Links, Weights
    from shoal.kernels.requirement import Required

# How many nearest points each point has: at least, and at most.
_FEWEST, _MOST = 8, 24
# The descent ends after this many passes even if something still gains: counts end it, not a clock.
_PASSES = 12
# Merging failing groups stops once it has listed this many members for each unit of the table.
_WORK = 2_000


@dataclass(frozen=True)
class Graph:
    """Units with equal quasi-identifiers are one point; points know their nearest points.

    Units are numbered along the tree of points: `order[i]` is the i-th in the table's numbers, and
    the units of point p are first[p] … first[p + 1].
    """

    task: Task
    space: Space
    boxes: Boxes
    order: NDArray[np.int32]
    first: NDArray[np.int64]
    point: NDArray[np.int32]
    near: NDArray[np.int32]
    far: NDArray[np.int64]
    weights: Weights
    columns: list[EdgeColumn]

    @classmethod
    def of(cls, task: Task, space: Space) -> Graph:
        """The graph of all units of a table."""
        from shoal.kernels.box.element import boxes_of_people
        from shoal.kernels.box.index import build_tree, room_for_index

        codes, of_unit = _points(task)
        _compile(task, space, codes)
        items = np.arange(len(codes), dtype=np.int32)
        ones = np.ones(len(codes), dtype=np.int64)
        build_tree(room_for_index(*codes.shape), items, space, boxes_of_people(codes, ones))
        codes = np.ascontiguousarray(codes[items])
        place = np.empty(len(items), dtype=np.int32)
        place[items] = np.arange(len(items))
        of_point = place[of_unit]
        order = np.argsort(of_point, kind="stable").astype(np.int32)
        first = starts_of(np.bincount(of_point))
        boxes = boxes_of_people(codes, ones)
        m = max(min(max(_FEWEST, task.requirements.least), _MOST, len(codes) - 1), 1)
        near, far = _neighbours(space, boxes, m, task.threads)
        point = of_point[order]
        weights = weights_of(task.table, codes[point], space)
        columns = columns_of(task.table, space, codes[point])
        return cls(task, space, boxes, order, first, point, near, far, weights, columns)

    @property
    def n_units(self) -> int:
        return len(self.order)

    @property
    def n_points(self) -> int:
        return len(self.near)

    @property
    def k(self) -> int:
        return max(self.task.requirements.least, 1)

    @property
    def cap(self) -> int:
        """The most units of a group; more could be parted at no cost where sizes alone count."""
        return self.n_units if self.task.requirements.beyond_size else 2 * self.k - 1

    @property
    def asked(self) -> Required | None:
        return _asked(self.task)

    @cached_property
    def sort(self) -> NDArray[np.int32] | None:
        """A number for each unit; units of one number are alike to what is required of groups.

        None where one size decides.
        """
        if not self.task.requirements.beyond_size:
            return None
        members = self.task.requirements.members
        if len(members.row_start):
            return np.arange(self.n_units, dtype=np.int32)
        crowd = [members.crowd] if len(members.crowd) else []
        content = np.column_stack([members.codes, members.asked, *crowd])
        return np.unique(content, axis=0, return_inverse=True)[1].astype(np.int32).ravel()

    @property
    def links(self) -> Links:
        from shoal.kernels.graph.weight import Links

        return Links(self.point, self.first, self.near)

    def labels_of_units(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Labels in the table's numbers."""
        of_units = np.empty_like(labels)
        of_units[self.order] = labels
        return of_units

    def sum_of_edges(self, labels: NDArray[np.int32]) -> float:
        """The sum of the edges inside groups."""
        return sum_of_edges(self.columns, labels)

    def outliers_first(self) -> NDArray[np.int64]:
        """Points in the order of how far away their last neighbours are, the farthest first."""
        return np.argsort(-self.far[:, -1], kind="stable")

    def grown(self, starters: NDArray[np.int64], complete: bool = True) -> NDArray[np.int32]:
        """Groups grown from the first of these points that is left, by what adds least.

        Units that are left join the group where they add least; not `complete`: or none.
        """
        from shoal.kernels.graph.descent import start_groups
        from shoal.kernels.graph.weight import room_for_groups

        groups, most = room_for_groups(self.n_units), 2 * self.k + _FEWEST
        index = _index_of(self.space, self.boxes)
        if self.asked is not None:
            most *= 2
        start_groups(
            index, self.space, self.boxes, starters, self.k, most, self.cap, self.links,
            self.weights, self.order, self.asked, groups,
        )  # fmt: skip
        return self._completed(groups) if complete else groups.group

    def forest(self) -> NDArray[np.int32]:
        """The pieces of a forest of light edges, cut where they are large."""
        from shoal.kernels.graph.weight import grow_forest

        p = np.repeat(np.arange(self.n_points), self.near.shape[1])
        q = self.near.ravel()
        # An edge in both lists counts once: at its lower end.
        given = (q != SUPPRESSED) & ((p < q) | (self.far.ravel() > self.far[q, -1]))
        ends = np.column_stack([p[given], q[given]])
        ends.sort(axis=1)
        order = np.lexsort([ends[:, 1], ends[:, 0], self.far.ravel()[given]])
        piece = np.empty(self.n_points, dtype=np.int64)
        grow_forest(ends[order], self.first, self.k, piece)
        labels = np.unique(piece, return_inverse=True)[1]
        return self._completed(self._groups(labels[self.point].astype(np.int32)))

    def from_order(self, starts: NDArray[np.uint8], units: NDArray[np.int32]) -> NDArray[np.int32]:
        """Groups of units that are side by side, with a mark where each begins."""
        labels = marked_classes(starts, units).unit_class
        return self._completed(self._groups(labels[self.order]))

    def improved(self, labels: NDArray[np.int32]) -> NDArray[np.int32]:
        """Moves, swaps and dissolved groups until nothing gains."""
        return self.searched(labels, 0, np.random.default_rng(0))

    def searched(
        self, labels: NDArray[np.int32], n_kicks: int, rng: np.random.Generator
    ) -> NDArray[np.int32]:
        """The same, then the best that this many kicks find, each followed by moves and swaps."""
        from shoal.kernels.graph.descent import search

        groups, draws = self._groups(labels), rng.integers(0, 2**31, (max(n_kicks, 1), 7))
        most = min(max(4 * self.k + _FEWEST, 2 * self.cap), 512)
        search(
            self.k, self.cap, _PASSES, n_kicks, most, self.links, self.weights, self.order,
            self.asked, self.sort, groups, draws,
        )  # fmt: skip
        return groups.group

    def _groups(self, labels: NDArray[np.int32]) -> Groups:
        from shoal.kernels.graph.weight import fill_groups, room_for_groups

        groups = room_for_groups(self.n_units)
        fill_groups(np.unique(labels, return_inverse=True)[1].astype(np.int32), groups)
        return groups

    def _completed(self, groups: Groups) -> NDArray[np.int32]:
        """Groups that do not hold merged with others, and groups that are too large cut."""
        from shoal.kernels.graph.descent import complete_groups

        budget = _WORK * self.n_units
        complete_groups(
            self.k, self.cap, budget, self.links, self.weights, self.order, self.asked, groups
        )
        return groups.group


def _compile(task: Task, space: Space, codes: NDArray[np.int32]) -> None:
    """Compile the kernels of a graph before there is one, for arguments of the same types."""
    from shoal.kernels.ahead import compile_ahead
    from shoal.kernels.box.element import boxes_of_people
    from shoal.kernels.box.index import build_tree, room_for_index
    from shoal.kernels.graph.descent import complete_groups, search, start_groups
    from shoal.kernels.graph.weight import (
        Links,
        Weights,
        fill_groups,
        grow_forest,
        list_neighbours,
        room_for_groups,
    )

    asked, short, long = _asked(task), np.empty(0, np.int32), np.empty(0, np.int64)
    loss, pairs = np.empty(0), np.empty((0, 2), np.int64)
    index, boxes = room_for_index(0, codes.shape[1]), boxes_of_people(codes[:0], long)
    groups, links = room_for_groups(0), Links(short, long, boxes.ends)
    weights = Weights(boxes.ends, long, long, long, loss, loss)
    sort = None if asked is None else short
    compile_ahead(
        (search, (0, 0, 0, 0, 0, links, weights, short, asked, sort, groups, pairs)),
        (
            start_groups,
            (index, space, boxes, long, 0, 0, 0, links, weights, short, asked, groups),
        ),
        (complete_groups, (0, 0, 0, links, weights, short, asked, groups)),
        (build_tree, (index, short, space, boxes)),
        (list_neighbours, (index, space, boxes.ends, 0, 0, (long, loss), boxes.ends, pairs)),
        (grow_forest, (pairs, long, 0, long)),
        (fill_groups, (short, groups)),
    )


def _asked(task: Task) -> Required | None:
    """What groups must hold; None where one size decides."""
    return task.requirements.required() if task.requirements.beyond_size else None


def _points(task: Task) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The different rows of quasi-identifiers, and which of them each unit has."""
    table = task.table
    columns = [table.unit_codes(a.name).astype(np.int64) for a in table.schema.quasi]
    keys, n_keys = np.zeros(table.n_units, dtype=np.int64), 1
    for codes, domain in zip(columns, table.quasi, strict=True):
        # Before keys outgrow 64 bits they are numbered densely.
        if n_keys * len(domain) > 2**62:
            found, keys = np.unique(keys, return_inverse=True)
            n_keys = len(found)
        keys, n_keys = keys * len(domain) + codes, n_keys * len(domain)
    _, first, of_unit = np.unique(keys, return_index=True, return_inverse=True)
    return np.column_stack([c[first] for c in columns]).astype(np.int32), of_unit


def _index_of(space: Space, boxes: Boxes) -> Index:
    """Points, which are in the order of the tree already, as kernels look for them."""
    from shoal.kernels.box.index import build_tree, room_for_index

    n, n_ends = boxes.ends.shape
    index = room_for_index(n, n_ends // 2)
    build_tree(index, np.arange(n, dtype=np.int32), space, boxes)
    return index


def _neighbours(
    space: Space, boxes: Boxes, m: int, threads: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The m nearest points of every point, and how far away they are, in billionths.

    Threads share the points; what they find does not depend on how many there are.
    """
    from shoal.kernels.graph.weight import list_neighbours

    n = len(boxes.ends)
    near, far = np.empty((n, m), dtype=np.int32), np.empty((n, m), dtype=np.int64)
    index = _index_of(space, boxes)
    depth = int(space.start[-1]) + 8

    def work(low: int) -> None:
        room = np.empty(depth, dtype=np.int64), np.empty(depth)
        high = min(low + 4096, n)
        list_neighbours(index, space, boxes.ends, low, high, room, near, far)

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(0, n, 4096)))
    return near, far
