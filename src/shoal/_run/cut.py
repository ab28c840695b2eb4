"""The shard plan: a coarse Mondrian tree that is found from counts of codes alone.

One count of all rows by leaf and code cuts every leaf that is too large, so a table that lies
elsewhere is counted once for each level of the tree. Counts do not depend on how rows are batched:
every engine finds the same tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._run.secret import Secrets
from shoal.model import MultiLevelK
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table import Column, Domain
from shoal.table.space import starts_of

# A histogram of a wide domain has this many bins, and cuts are at their ends.
_MOST_BINS = 4096
# How much of a leaf the smaller side of a cut has at least: the first share that allows a cut.
_SHARES = (1 / 3, 1 / 10, 0.0)
# The smallest shard has this share of the rows of a shard, where a cut allows it.
_SMALLEST = 1 / 4

SlotCounts = NDArray[np.int64]


@dataclass(frozen=True)
class CutTree:
    """A tree of cuts: node 0 is the table; codes up to `code` of its column are left of a cut.

    A leaf has no column (-1). Shards are leaves, numbered in the order of the tree.
    """

    column: NDArray[np.int64]
    code: NDArray[np.int64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]

    @classmethod
    def none(cls) -> CutTree:
        """One shard."""
        return cls(*(np.array([-1]) for _ in range(4)))

    @property
    def n_shards(self) -> int:
        return int(np.count_nonzero(self.column < 0))

    def find(self, rows: NDArray[Any]) -> NDArray[np.int64]:
        """The shard of every row of codes."""
        from shoal.kernels.shard import find_leaves

        leaf = np.empty(len(rows), dtype=np.int64)
        find_leaves(rows, self.column, self.code, self.left, self.right, leaf)
        number = np.full(len(self.column), -1, dtype=np.int64)
        leaves = list(self._leaves())
        number[leaves] = np.arange(len(leaves))
        return np.asarray(number[leaf])

    def _leaves(self) -> Iterator[int]:
        todo = [0]
        while todo:
            node = todo.pop()
            if self.column[node] < 0:
                yield node
            else:
                todo += [int(self.right[node]), int(self.left[node])]


@dataclass(frozen=True)
class Question:
    """Which leaves of a tree are to be counted, and in which bins; a pure function of rows.

    Rows have the codes of the quasi-identifiers, then those of the sensitive attributes.
    """

    cuts: CutTree
    slot: NDArray[np.int64]
    start: NDArray[np.int64]
    bins: NDArray[np.int64]

    def count(self, rows: NDArray[Any]) -> SlotCounts:
        """The histograms of the leaves over these rows; those of several batches add up."""
        from shoal.kernels.shard import count_leaves

        n_bins = int(self.bins[-1]) + 1
        out = np.zeros((int(self.slot.max()) + 1, n_bins), dtype=np.int64)
        cuts = self.cuts
        count_leaves(
            rows, cuts.column, cuts.code, cuts.left, cuts.right,
            self.slot, self.start, self.bins, out,
        )  # fmt: skip
        return out


@dataclass(frozen=True)
class _Bins:
    """The bins of all columns, end to end: those of column j are edge[j] … edge[j + 1]."""

    of_code: NDArray[np.int64]
    start: NDArray[np.int64]
    edge: NDArray[np.int64]

    @classmethod
    def of(cls, quasi: Sequence[tuple[int, bool]], counted: Sequence[int]) -> _Bins:
        """Those of quasi-identifiers, then those of counted columns.

        `quasi` says of each how many values it has, and whether some of its cells are secret: these
        have a bin of their own, the last.
        """
        # Requirements are on values, so sensitive ones are counted one by one.
        own = [(max(n, 1), min(max(n, 1), _MOST_BINS), int(hidden)) for n, hidden in quasi]
        own += [(max(n, 1), max(n, 1), 0) for n in counted]
        edge = starts_of([b + more for _, b, more in own])
        of_code = [
            edge[j] + np.append(np.arange(n, dtype=np.int64) * b // n, np.full(more, b))
            for j, (n, b, more) in enumerate(own)
        ]
        start = starts_of([n + more for n, _, more in own])
        return cls(np.concatenate(of_code), start, edge)

    def last_codes(self, j: int) -> NDArray[np.int64]:
        """The last code of every bin of a column."""
        own = self.of_code[self.start[j] : self.start[j + 1]]
        return np.flatnonzero(np.append(np.diff(own) > 0, True))


@dataclass
class _Node:
    """A node while the tree grows; columns that gave sides which cannot hold are not cut again."""

    refused: set[int] = field(default_factory=set)
    counts: SlotCounts | None = None


def can_be_counted(requirements: Requirements) -> bool:
    """Whether counts of sensitive values decide if people can be one class."""
    bounds = requirements.all_bounds
    return requirements.table.people is None and not any(
        b.reach is Reach.PERSON_SHARE or b.reach.of_people or b.reach.of_population for b in bounds
    )


def by_counts(requirements: Requirements) -> Requirements:
    """What is required of shards: where people ask for sizes of their own, the largest for all."""
    model = requirements.find(MultiLevelK)
    if not requirements.personal or model is None:
        return requirements
    others = [b for b in requirements.all_bounds if b.reach is not Reach.PERSONAL]
    largest = Bound(Reach.SIZE, max(k for pair in model.pairs for k in pair))
    return replace(requirements, all_bounds=(*others, largest))


def counted_sensitive(requirements: Requirements) -> tuple[Column, ...]:
    """The sensitive columns that are counted: none, where the size of a class decides."""
    return requirements.table.sensitive if requirements.beyond_size else ()


def plan_cuts(
    requirements: Requirements,
    rows: int,
    count: Callable[[Question], SlotCounts],
    secrets: Secrets | None = None,
) -> CutTree:
    """Cut until a shard has at most about `rows`, as long as both sides can hold what is required.

    The cut is the one that shortens its own quasi-identifier most, of all rows of a leaf together,
    among those that leave neither side too small. A side that cannot hold what is required as one
    class is joined with the other again. Where there are `secrets`, rows have their columns.
    """
    return Growth(requirements, rows, counted_sensitive(requirements), secrets).grow(count)


class Growth:
    """The state of a tree that grows; `sensitive` are the columns that are counted besides."""

    def __init__(
        self,
        requirements: Requirements,
        rows: int,
        sensitive: Sequence[Column],
        secrets: Secrets | None = None,
    ) -> None:
        self.requirements, self.rows, self.secrets = requirements, rows, secrets
        self.domains = requirements.table.quasi
        self.hidden = secrets.hidden if secrets else (False,) * len(self.domains)
        sizes = [len(d) for d in self.domains]
        counted = [len(c.domain) for c in sensitive]
        self.n_counted = len(counted)
        counted += secrets.counted if secrets else []
        self.bins = _Bins.of(list(zip(sizes, self.hidden, strict=True)), counted)
        self.nodes: list[_Node] = [_Node()]
        self.tree: list[list[int]] = [[-1, -1, -1, -1]]

    def cuts(self) -> CutTree:
        return CutTree(*(np.array(x, dtype=np.int64) for x in zip(*self.tree, strict=True)))

    def question(self, todo: Sequence[int]) -> Any:
        """The question for the counts of some leaves."""
        slot = np.full(len(self.tree), -1, dtype=np.int64)
        slot[todo] = np.arange(len(todo))
        return Question(self.cuts(), slot, self.bins.start, self.bins.of_code)

    def grow(self, count: Callable[[Any], SlotCounts]) -> CutTree:
        todo = [0]
        while todo:
            found = count(self.question(todo))
            for node, counts in zip(todo, found, strict=True):
                self.nodes[node].counts = counts
            todo = [*self._undo(todo), *self._cut_all(todo)]
        return self._pruned()

    def _cut_all(self, counted: Sequence[int]) -> list[int]:
        """Cut every leaf that is too large; the new leaves."""
        new: list[int] = []
        for node in counted:
            if self.tree[node][0] != -1 or self.nodes[node].counts is None:
                continue
            new += self._cut(node)
        return new

    def _cut(self, node: int) -> list[int]:
        counts = self.nodes[node].counts
        assert counts is not None
        n = self._size(counts)
        found = None if n <= self.rows else self._best(counts, n, self.nodes[node].refused)
        if found is None:
            return []
        column, code = found
        left, right = len(self.tree), len(self.tree) + 1
        self.tree[node] = [column, code, left, right]
        self.tree += [[-1, -1, -1, -1], [-1, -1, -1, -1]]
        self.nodes += [_Node(), _Node()]
        return [left, right]

    def _undo(self, counted: Sequence[int]) -> list[int]:
        """Join sides that cannot hold what is required, and cut their node elsewhere."""
        if not self.requirements.beyond_size and not self.secrets:
            return []
        new: list[int] = []
        failing = {node for node in counted if not self._holds(node)}
        for parent, (column, _, left, right) in enumerate([*self.tree]):
            if column < 0 or not failing & {left, right}:
                continue
            # A column is refused for good, so this ends.
            self.nodes[parent].refused.add(column)
            self.tree[parent] = [-1, -1, -1, -1]
            for side in (left, right):
                self.tree[side] = [-2, -1, -1, -1]
                self.nodes[side].counts = None
            new += self._cut(parent)
        return new

    def _holds(self, node: int) -> bool:
        counts = self.nodes[node].counts
        return counts is None or node == 0 or self.can_hold(counts)

    def can_hold(self, counts: SlotCounts) -> bool:
        """Whether a leaf with these counts holds what is required as one class."""
        edge, first = self.bins.edge, len(self.domains)
        if self.secrets is not None:
            ends = edge[first + self.n_counted :]
            if not self.secrets.fit(np.split(counts, ends[:-1])[1:]):
                return False
        own = counts[edge[first] : edge[first + self.n_counted]]
        return holds_as_one(self.requirements, self._size(counts), own)

    def _size(self, counts: SlotCounts) -> int:
        return int(counts[: self.bins.edge[1]].sum())

    def _best(self, counts: SlotCounts, n: int, refused: set[int]) -> tuple[int, int] | None:
        """The column and the code of the best cut; None where no cut is allowed."""
        least = max(self.requirements.least, 1)
        for share in _SHARES:
            small = max(share * n, _SMALLEST * self.rows if share else least, least)
            found = [
                (gain, -j, code)
                for j in range(len(self.domains))
                if j not in refused
                for gain, code in self._of_column(counts, j, n, small)
            ]
            if found:
                _, j, code = max(found)
                return -j, code
        return None

    def _of_column(
        self, counts: SlotCounts, j: int, n: int, small: float
    ) -> Iterator[tuple[float, int]]:
        """The best cut of one column, and what it gains; nothing where none is allowed."""
        own = counts[self.bins.edge[j] : self.bins.edge[j + 1]]
        there = np.flatnonzero(own)
        before = np.cumsum(own[there])[:-1]
        allowed = np.flatnonzero((before >= small) & (n - before >= small))
        if not len(allowed):
            return
        last = self.bins.last_codes(j)
        first = np.append(0, last[:-1] + 1)
        domain, left = self.domains[j], before[allowed] / n
        # Secret cells, which are behind all others, have no length.
        n_secret = int(own[-1]) if self.hidden[j] else 0
        shown, share = there[: len(there) - bool(n_secret)], (n - n_secret) / n
        low, high = first[shown[0]], last[shown[-1]]
        ends, begins = last[there[allowed]], np.minimum(first[there[allowed + 1]], high)
        whole = share * length(domain, np.array([low]), np.array([high]))[0]
        after = left * length(domain, np.full(len(ends), low), ends)
        after = after + (share - left) * length(domain, begins, np.full(len(begins), high))
        # Of cuts that gain as much, the most balanced; rounded, so that the last bit of a sum does
        # not choose the shards.
        gains = np.round(whole - after, 9)
        best = np.lexsort((ends, np.abs(left - 0.5), -gains))[0]
        yield float(gains[best]), int(ends[best])

    def _pruned(self) -> CutTree:
        """The tree without the nodes that were joined again."""
        kept = [i for i, node in enumerate(self.tree) if node[0] != -2]
        place = {node: i for i, node in enumerate(kept)}
        tree = [
            [c, code, place.get(left, -1), place.get(right, -1)]
            for c, code, left, right in (self.tree[i] for i in kept)
        ]
        return CutTree(*(np.array(x, dtype=np.int64) for x in zip(*tree, strict=True)))


def holds_as_one(requirements: Requirements, n_rows: int, counts: SlotCounts) -> bool:
    """Whether this many rows with these counts of values hold what is required, as one class."""
    from shoal.kernels.requirement import summary_holds

    summary = requirements.summary_room()
    summary[: len(counts)] = counts
    units = np.empty(n_rows, dtype=np.int32)
    bounds, facts = requirements.bounds, requirements.facts
    return bool(summary_holds(bounds, n_rows, summary, facts, None, units))


def length(domain: Domain, low: NDArray[np.int64], high: NDArray[np.int64]) -> NDArray[np.float64]:
    """What share of its domain each range of codes covers: of numbers, or of values."""
    n = max(len(domain) - 1, 1)
    if domain.tree is not None:
        tree = domain.tree.closed()
        return np.asarray((tree.n_under(tree.cover(low, high)) - 1) / n)
    if domain.is_range and domain.numbers is not None and domain.span:
        ends = np.nan_to_num(domain.numbers[high] - domain.numbers[low], nan=domain.span)
        return np.asarray(np.minimum(ends / domain.span, 1.0))
    return np.asarray((high - low) / n)
