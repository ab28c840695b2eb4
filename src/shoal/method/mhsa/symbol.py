"""What each sensitive cell shows: its value, or as much less as its flag asks for (QI-MHSA)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import flat_tree
from shoal.schema import Kind
from shoal.table import Column, Table, label_shares, number_text
from shoal.table.partition import SUPPRESSED
from shoal.table.space import infolosses

Numeric = Literal["interval", "one-sided", "by-flag"]
SymbolLevels = NDArray[np.int16]
HIGH = 2


@dataclass(frozen=True)
class ShownColumn:
    """A sensitive column as it is published: row r shows texts[symbol[r]], -1: is not published.

    `loss` is the infoloss of every cell (eq. 1 and 2).
    """

    symbol: NDArray[np.int32]
    texts: tuple[str | None, ...]
    loss: NDArray[np.float64]

    def take(self, rows: NDArray[np.int64]) -> ShownColumn:
        """The same for some rows."""
        return ShownColumn(self.symbol[rows], self.texts, self.loss[rows])


@dataclass(frozen=True)
class SymbolTree:
    """The symbols of an attribute level by level: the value, its ancestors, the root.

    `symbol[level, code]` points into `texts`, `loss` is alike. A text appears once. The root is the
    one top of a hierarchy, or `*` above several tops and where there is no hierarchy.
    """

    symbol: NDArray[np.int32]
    loss: NDArray[np.float64]
    texts: tuple[str | None, ...]

    @classmethod
    def of(cls, column: Column) -> SymbolTree:
        domain = column.domain
        if domain.tree is None:
            domain = domain.ordered_by(flat_tree(domain.texts))
        assert domain.tree is not None
        tree = domain.tree.closed()
        texts = tuple(dict.fromkeys(tree.labels))
        place = {text: i for i, text in enumerate(texts)}
        symbol = np.array([place[text] for text in tree.labels], dtype=np.int32)[tree.node]
        return cls(symbol, infolosses(domain), texts)

    @property
    def top(self) -> int:
        return len(self.symbol) - 1

    @property
    def root(self) -> int:
        """The symbol of the root."""
        return int(self.symbol[-1, 0])


@dataclass(frozen=True)
class Sensitive:
    """A sensitive attribute with its flags, and how its numbers are shown.

    `interval`: the tightest interval of the hierarchy, never a value, over a class; `*` where a
    cell is flagged high. `one-sided`: the largest cut that a class reaches, or the smallest that it
    does not. `by-flag`, and all categories: flag 0 the value, 1 one level up, 2 the root.
    """

    column: Column
    flags: NDArray[np.uint8]
    how: Numeric = "by-flag"
    passes_over: bool = False

    @classmethod
    def of(cls, table: Table, name: str, numeric: Numeric, passes_over: bool) -> Sensitive:
        column = table.columns[name]
        flags = table.flags.get(name)
        if flags is None:
            flags = np.zeros(table.n_rows, dtype=np.uint8)
        ranged = column.attribute.kind in (Kind.NUMERIC, Kind.DATE)
        by_class = ranged and column.domain.tree is not None
        return cls(column, flags, numeric if by_class else "by-flag", passes_over)

    @cached_property
    def tree(self) -> SymbolTree:
        return SymbolTree.of(self.column)

    @cached_property
    def cuts(self) -> NDArray[np.float64]:
        spec = self.column.attribute.hierarchy
        return np.array(sorted(spec.cuts if spec is not None else ()), dtype=np.float64)

    @cached_property
    def texts(self) -> tuple[str | None, ...]:
        """All symbols; those of one-sided ranges come after those of the tree."""
        if self.how != "one-sided":
            return self.tree.texts
        sided = [f"{sign}{number_text(cut)}" for sign in (">=", "<") for cut in self.cuts.tolist()]
        return (*self.tree.texts, *sided)

    def levels(self, row_class: NDArray[np.int32], lifted: SymbolLevels) -> SymbolLevels:
        """The level at which each cell is shown: by its flag or its class, and as it was lifted."""
        top = self.tree.top
        if self.how == "by-flag":
            own = np.array([0, min(1, top), top], dtype=np.int16)[self.flags]
            return np.maximum(own, lifted)
        aside = self._aside(lifted)
        of_class = np.append(self._class_levels(row_class, aside), 0).astype(np.int16)
        own = of_class[row_class]
        # Formed over the cells that show it alone: a `*` next to the symbol must not tell where the
        # hidden value lies.
        if self.passes_over:
            own[aside] = 0
        if self.how == "interval":
            own[self.flags == HIGH] = top
        return np.maximum(own, lifted)

    def _aside(self, lifted: SymbolLevels) -> NDArray[np.bool_]:
        """The cells that a class's symbol passes over, since they do not show it."""
        if not self.passes_over:
            return np.zeros(len(lifted), dtype=np.bool_)
        hidden = (self.flags == HIGH) & (self.how == "interval")
        return np.asarray(hidden | (lifted > 0))

    def _bounds(
        self, row_class: NDArray[np.int32], aside: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The least and the largest code of each class; n and -1 where it has none."""
        from shoal.kernels.group import find_bounds

        n_classes, n = int(row_class.max(initial=-1)) + 1, len(self.column.domain)
        low = np.full(n_classes, n, dtype=np.int64)
        high = np.full(n_classes, -1, dtype=np.int64)
        covered = np.where(aside, SUPPRESSED, row_class).astype(np.int32)
        find_bounds(self.column.codes, covered, low, high)
        return low, high

    def _class_levels(
        self, row_class: NDArray[np.int32], aside: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        top = self.tree.top
        if self.how == "one-sided":
            root = len(self.tree.texts) + 2 * len(self.cuts)
            return np.where(self._sided(row_class, aside) == root, top, 1)
        low, high = self._bounds(row_class, aside)
        low, high = np.minimum(low, len(self.column.domain) - 1), np.maximum(high, 0)
        level = np.full(len(low), top, dtype=np.int64)
        # Down to 1, not 0: `interval` never shows a bare value, even where a class has only one.
        for higher in range(top, 0, -1):
            nodes = self.tree.symbol[higher]
            level[nodes[low] == nodes[high]] = higher
        return level

    def _sided(self, row_class: NDArray[np.int32], aside: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The one-sided symbol of each class; one past the last where it can only be `*`."""
        numbers = self.column.domain.numbers
        assert numbers is not None
        low, high = self._bounds(row_class, aside)
        none = high < 0
        least = numbers[np.minimum(low, len(numbers) - 1)]
        most = numbers[np.maximum(high, 0)]
        reached = np.searchsorted(self.cuts, least, side="right") - 1
        missed = np.searchsorted(self.cuts, most, side="right")
        n, first = len(self.cuts), len(self.tree.texts)
        found = np.where(reached >= 0, reached, np.where(missed < n, n + missed, 2 * n))
        # A missing number is on neither side of a cut.
        found[none | np.isnan(least) | np.isnan(most)] = 2 * n
        return np.asarray(first + found)

    def cells(self, row_class: NDArray[np.int32], lifted: SymbolLevels) -> ShownColumn:
        """What every row shows."""
        level = self.levels(row_class, lifted)
        symbol = self.tree.symbol[level, self.column.codes]
        loss = self.tree.loss[level, self.column.codes]
        if self.how == "one-sided":
            sided = np.append(self._sided(row_class, self._aside(lifted)), -1)[row_class]
            shows = (level < self.tree.top) & (sided < len(self.texts))
            symbol = np.where(shows, sided, symbol)
            shares = np.append(label_shares(self.column.domain, self.texts), 0.0)
            loss = np.where(shows, shares[np.minimum(sided, len(self.texts))], loss)
        symbol = np.where(row_class == SUPPRESSED, -1, symbol).astype(np.int32)
        return ShownColumn(symbol, self.texts, np.asarray(loss, dtype=np.float64))


def flagged(
    table: Table,
    numeric: Numeric = "by-flag",
    *,
    all_of_them: bool = False,
    passes_over: bool = False,
) -> dict[str, Sensitive]:
    """The sensitive attributes whose cells do not simply show their values."""
    return {
        a.name: Sensitive.of(table, a.name, numeric, passes_over)
        for a in table.schema.sensitive
        if all_of_them or a.name in table.flags
    }


def show(
    attributes: Mapping[str, Sensitive],
    row_class: NDArray[np.int32],
    lifted: Mapping[str, SymbolLevels] | None = None,
) -> dict[str, ShownColumn]:
    """What every row shows of each attribute."""
    nothing = np.zeros(len(row_class), dtype=np.int16)
    return {
        name: one.cells(row_class, (lifted or {}).get(name, nothing))
        for name, one in attributes.items()
    }
