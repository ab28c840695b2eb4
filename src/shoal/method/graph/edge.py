"""The weights of edges between units, column by column, and their sum inside groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.table import Table
from shoal.table.space import RANGE, SET, TREE, starts_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space
    from shoal.kernels.graph.weight import Weights

# A table of all pairs of this many codes is quicker than a look at each column.
_TABLED, _TABLED_TREE = 128, 1024


@dataclass(frozen=True)
class EdgeColumn:
    """One part of the weight: the difference of numbers, or a price where codes differ.

    `numbers[code]` is None where there is only a price; `missing` is the code without a number,
    as far from all others as the price. With `prices` each code has its own, and two that differ
    cost the mean of theirs.
    """

    attribute: int
    codes: NDArray[np.integer]
    price: float
    numbers: NDArray[np.float64] | None = None
    missing: int = -1
    prices: NDArray[np.float64] | None = None

    def between(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
        """What pairs of units differ by."""
        return self.apart(self.codes[one], self.codes[other])

    def apart(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.float64]:
        """What pairs of codes differ by."""
        price: Any = self.price
        if self.prices is not None:
            price = (self.prices[a] + self.prices[b]) / 2
        priced = np.where(a != b, price, 0.0)
        if self.numbers is None:
            return priced
        one_is_missing = (a == self.missing) | (b == self.missing)
        return np.where(one_is_missing, priced, np.abs(self.numbers[a] - self.numbers[b]))

    def sum_inside(self, labels: NDArray[np.integer]) -> float:
        """The sum over all pairs inside groups; units in no group (below 0) are left out."""
        kept = labels >= 0
        codes, group = self.codes[kept].astype(np.int64), labels[kept].astype(np.int64)
        missing = codes == self.missing
        sizes = np.bincount(group)
        if self.numbers is None:
            width = int(codes.max(initial=0)) + 1
            shown, alike = np.unique(group * width + codes, return_counts=True)
            prices = self.price if self.prices is None else self.prices[shown % width]
            # Of a group of N, each of the n with a value differs from the N - n with others. Every
            # pair is counted from both ends, which the half undoes; it also makes the mean of two
            # prices.
            return float((prices * alike * (sizes[shown // width] - alike)).sum()) / 2
        lacking = np.bincount(group, weights=missing, minlength=len(sizes))
        total = self.price * float((lacking * (sizes - lacking)).sum())
        return total + _sum_differences(self.numbers[codes[~missing]], group[~missing])


def _sum_differences(numbers: NDArray[np.float64], group: NDArray[np.int64]) -> float:
    """Of all pairs in the same group: the i-th least of m numbers is added 2i - m + 1 times."""
    order = np.lexsort([numbers, group])
    numbers, group = numbers[order], group[order]
    sizes = np.bincount(group)
    place = np.arange(len(group)) - (np.cumsum(sizes) - sizes)[group]
    return float((numbers * (2 * place - sizes[group] + 1)).sum())


def columns_of(table: Table, space: Space, points: Any = None) -> list[EdgeColumn]:
    """The parts of the weight; with a hierarchy one for each step up to a common ancestor.

    The weight of an edge is what the union of its ends loses in the space. `points` are the codes
    of what is to be compared, a row each; left out, those of all units.
    """
    columns = []
    for j, domain in enumerate(table.quasi):
        codes = table.unit_codes(domain.attribute.name) if points is None else points[:, j]
        own = slice(space.start[j], space.start[j + 1])
        if space.form[j] == RANGE:
            columns.append(
                EdgeColumn(j, codes, float(space.gap[j]), space.place[own], domain.missing)
            )
        elif space.form[j] == SET:
            two = space.many[own][1] if len(domain) > 1 else 0.0
            columns.append(EdgeColumn(j, codes, float(two)))
        else:
            columns += _steps(space, j, codes)
    return columns


def _steps(space: Space, j: int, codes: NDArray[np.integer]) -> list[EdgeColumn]:
    """Values that meet at a level differ at every level below it."""
    # The steps of a value, summed up to where it meets another, are what their common ancestor
    # loses. Above it both have the same node, and differ by nothing.
    n_codes = int(space.start[j + 1] - space.start[j])
    own = slice(space.loss_start[j], space.loss_start[j + 1])
    nodes, losses = space.node[own].reshape(-1, n_codes), space.loss[own].reshape(-1, n_codes)
    columns = []
    for level in range(len(losses) - 1):
        prices = np.zeros(int(nodes[level].max()) + 1)
        prices[nodes[level]] = losses[level + 1] - losses[level]
        price = float((losses[level + 1] - losses[level]).mean())
        columns.append(EdgeColumn(j, nodes[level][codes], price, prices=prices))
    return columns


def weights_of(table: Table, points: NDArray[np.int32], space: Space) -> Weights:
    """The same as kernels take it; `points` are the codes of every unit.

    Hierarchies of more values than a table of pairs can have cost the mean of each step.
    """
    from shoal.kernels.graph.weight import DIFFERENCE, PRICE, TABLE, Weights

    parts: list[tuple[NDArray[Any], int, int, float, NDArray[np.float64]]] = []
    none = np.empty(0)
    for j, domain in enumerate(table.quasi):
        n = len(domain)
        if n <= (_TABLED_TREE if space.form[j] == TREE else _TABLED):
            every = np.zeros((*points.shape[1:], n), dtype=np.int32).T
            every[:, j] = np.arange(n)
            of_codes = [c for c in columns_of(table, space, every) if c.attribute == j]
            i, k = np.indices((n, n))
            pairs = sum((c.between(i, k) for c in of_codes), np.zeros((n, n)))
            parts.append((points[:, j], TABLE, n, 0.0, pairs.ravel()))
            continue
        for c in columns_of(table, space, points):
            if c.attribute == j and c.numbers is not None:
                parts.append((c.codes, DIFFERENCE, c.missing, c.price, c.numbers))
            elif c.attribute == j:
                parts.append((c.codes, PRICE, -1, c.price, none))
    codes, kinds, widths, prices, numbers = zip(*parts, strict=True)
    return Weights(
        np.column_stack(codes).astype(np.int32),
        np.array(kinds, dtype=np.int64),
        starts_of([len(x) for x in numbers])[:-1],
        np.array(widths, dtype=np.int64),
        np.array(prices, dtype=np.float64),
        np.concatenate([*numbers, none]),
    )


def sum_of_edges(columns: Sequence[EdgeColumn], labels: NDArray[np.integer]) -> float:
    """The sum of the edges inside groups, in time that grows with the number of units."""
    return sum(column.sum_inside(labels) for column in columns)
