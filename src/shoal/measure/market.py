"""The search for the highest prices in a lattice: a linear programme, solved by cutting planes.

Maximise the sum of all prices, while in every cell of at least k people the k highest excesses sum
to at most zero. Only cells in which that is violated, or nearly, are ever listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.table.space import starts_of

if TYPE_CHECKING:
    from shoal.kernels.bound.cell import Cells, Kinds, Ladders

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Digests = NDArray[np.uint64]

SAFE = 1e-8
"""Prices end lower by this than what was checked, which is more than rounding can add."""

SHARES = 2
"""Cells are listed in this many shares, side by side; the result does not depend on threads."""

_ROUNDS, _BLOCKS, _TURNS = 10, 4, 100
_PACE = 20.0
# The first caps on prices: a multiple of the floor and a little more; tighter, if that is too much.
_FIRST_CAPS = ((1.5, 0.1), (1.2, 0.03), (1.05, 0.005))
# Where even the cheapest cells are too many to find, prices are capped at a part of the whole loss.
_FLOOR_CAPS = (1, 4, 16, 64)
_AT_CAP, _RAISE, _RAISE_BY = 0.95, 1.3, 0.02
# A row of the programme is dropped once it does not bind and leaves this much slack.
_ROOM = 0.15
_LEAST = 1e-4
# Within this share of what the programme allows, further rounds are not worth their time.
_NEAR = 5e-4
_MOST_CELLS, _MOST_MEMBERS = 2_000_000, 64_000_000


class Exhausted(Exception):
    """The steps, or the buffer for cells, do not suffice."""


@dataclass(frozen=True)
class Wants:
    """Units who are alike in codes, rows and the class size that they require, and these sizes."""

    each: Kinds
    k: Integers

    def up_to(self, k: int) -> tuple[Kinds, Integers]:
        """Those who may share a class of k, and their numbers."""
        from shoal.kernels.bound.cell import Kinds

        chosen = np.flatnonzero(self.k <= k)
        own = self.each
        return Kinds(own.codes[chosen], own.people[chosen], own.rows[chosen]), chosen


class Listed(NamedTuple):
    """Cells, the k of each, and a digest of its members."""

    cells: Cells
    k: Integers
    digest: Digests

    @classmethod
    def of(cls, parts: Sequence[Cells], ks: Sequence[int], names: Digests) -> Listed:
        """Lists of cells of these k, end to end; kinds have random names."""
        from shoal.kernels.bound.cell import Cells

        sizes = np.concatenate([np.diff(p.start) for p in parts])
        cells = Cells(
            np.concatenate([p.loss for p in parts]),
            starts_of(sizes),
            np.concatenate([p.members for p in parts]),
        )
        k = np.repeat(np.array(ks, dtype=np.int64), [len(p.loss) for p in parts])
        sums = np.append(np.uint64(0), np.cumsum(names[cells.members], dtype=np.uint64))
        own = sums[cells.start[1:]] - sums[cells.start[:-1]]
        return cls(cells, k, own * np.uint64(0x9E3779B97F4A7C15) + k.astype(np.uint64))

    def joined(self, other: Listed) -> Listed:
        """These cells and those of another list that are not among them."""
        from shoal.kernels.bound.cell import Cells

        new = ~np.isin(other.digest, self.digest)
        sizes = np.diff(other.cells.start)
        cells = Cells(
            np.append(self.cells.loss, other.cells.loss[new]),
            np.append(self.cells.start, self.cells.start[-1] + np.cumsum(sizes[new])),
            np.append(self.cells.members, other.cells.members[np.repeat(new, sizes)]),
        )
        digest = np.append(self.digest, other.digest[new])
        return Listed(cells, np.append(self.k, other.k[new]), digest)


class ProgrammeRows(NamedTuple):
    """Rows of the linear programme: the sum of parts times prices is at most a limit.

    weight[r] is how much row r binds: its dual variable.
    """

    starts: Integers
    columns: NDArray[np.int32]
    parts: Floats
    limits: Floats
    weight: Floats
    digest: Digests

    @classmethod
    def none(cls) -> ProgrammeRows:
        """No rows."""
        nothing, start = np.empty(0), np.zeros(1, dtype=np.int64)
        columns, digest = np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint64)
        return cls(start, columns, nothing, nothing, nothing, digest)

    def take(self, chosen: NDArray[np.bool_]) -> ProgrammeRows:
        """Some of the rows."""
        sizes = np.diff(self.starts)
        inside = np.repeat(chosen, sizes)
        return ProgrammeRows(
            starts_of(sizes[chosen]), self.columns[inside], self.parts[inside],
            self.limits[chosen], self.weight[chosen], self.digest[chosen],
        )  # fmt: skip

    def joined(self, other: ProgrammeRows) -> ProgrammeRows:
        """These and those of the others that are not among them."""
        new = other.take(~np.isin(other.digest, self.digest))
        starts = np.append(self.starts, self.starts[-1] + new.starts[1:])
        return ProgrammeRows(
            starts,
            np.append(self.columns, new.columns),
            np.append(self.parts, new.parts),
            np.append(self.limits, new.limits),
            np.append(self.weight, new.weight),
            np.append(self.digest, new.digest),
        )

    def slack(self, price: Floats) -> Floats:
        """How much slack prices leave in every row."""
        sums = np.append(0.0, np.cumsum(self.parts * price[self.columns]))
        return np.asarray(self.limits - (sums[self.starts[1:]] - sums[self.starts[:-1]]))


class Market:
    """The search for the highest prices, round by round.

    Each round solves the programme of the cells that are known, by primal-dual steps; presses the
    prices until they are too high in none of these; and lists all cells in which they still are, or
    in which the solution is. Pressed in those too, prices are valid. Prices rise no higher than a
    cap; where they reach it, the next one is higher. Without it, whoever is in no known cell yet
    would cost everything, and a great many cells would need listing.
    """

    def __init__(self, wants: Wants, ladders: Ladders, steps: int, pool: Executor) -> None:
        self.wants, self.ladders, self.left, self.pool = wants, ladders, steps, pool
        self.most = float(wants.each.codes.shape[1])
        self.rows_of = wants.each.people * wants.each.rows
        # A fixed seed: names only tell cells apart, and the bound must not depend on them.
        draw = np.random.default_rng(0)
        self.names = draw.integers(1, 2**64, len(wants.k), dtype=np.uint64, endpoint=False)

    def best(self) -> Floats:
        """The highest valid prices that the steps allow, for a row of each kind."""
        floor = self._floor()
        # All prices that a round hands over are valid, so the search may end anywhere.
        best = np.maximum(floor - SAFE, 0.0)
        try:
            for found in self._rounds(floor):
                best = self._higher(best, found)
        except Exhausted:
            pass
        return best

    def _rounds(self, floor: Floats) -> Iterator[Floats]:
        """Valid prices, as a rule higher from round to round."""
        cap, active = self._start(floor)
        price, rows = np.minimum(floor * 1.3, cap), ProgrammeRows.none()
        for _ in range(_ROUNDS):
            price, pressed, rows = self._climb(active, rows, price, cap)
            listed = self._list(np.maximum(pressed, price))
            valid = np.maximum(self._pressed(listed, pressed) - SAFE, 0.0)
            yield valid
            at_cap = (price > _AT_CAP * cap) & (cap < self.most)
            if not at_cap.any() and self._sum(valid) >= (1 - _NEAR) * self._sum(price):
                return
            raised = np.minimum(cap * _RAISE + _RAISE_BY, self.most)
            cap = np.where(at_cap & (floor > 0), raised, cap)
            active = active.joined(listed)

    def _start(self, floor: Floats) -> tuple[Floats, Listed]:
        """The first caps, and all cells in which prices up to them can be too high."""
        for factor, more in _FIRST_CAPS:
            # Whoever shares a cell that loses nothing with enough others can only be priced at
            # nothing.
            cap = np.where(floor > 0, np.minimum(floor * factor + more, self.most), 0.0)
            try:
                return cap, self._list(cap, self.left // 3)
            except Exhausted:
                continue
        raise Exhausted

    def _sum(self, price: Floats) -> float:
        return float(price @ self.rows_of)

    def _higher(self, one: Floats, other: Floats) -> Floats:
        return one if self._sum(one) >= self._sum(other) else other

    def _spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise Exhausted

    def _families(self) -> Iterator[tuple[int, Kinds, Integers]]:
        """The sizes that are required, with those who may share a class of each, where it exists.

        In a class whose most demanding member requires k there are k people at least, none of whom
        requires more.
        """
        for k in np.unique(self.wants.k).tolist():
            kinds, chosen = self.wants.up_to(k)
            if int(kinds.people.sum()) >= k:
                yield k, kinds, chosen

    def _in_shares(self, work: Callable[[int], tuple[int, int, Any]]) -> list[Any]:
        done = list(self.pool.map(work, range(SHARES)))
        self._spend(sum(steps for _, steps, _ in done))
        if any(n < 0 for n, _, _ in done):
            raise Exhausted
        return [result for _, _, result in done]

    def _floor(self) -> Floats:
        """What the cheapest cell of everybody loses, which is a valid price already.

        Whoever is in no cell that they can share can only be left out.
        """
        for part in _FLOOR_CAPS:
            try:
                return self._cheapest(self.most / part, self.left // 3)
            except Exhausted:
                continue
        return np.zeros(len(self.wants.k))

    def _cheapest(self, most: float, steps: int) -> Floats:
        from shoal.kernels.bound.cell import list_cells

        floor, room = np.full(len(self.wants.k), most), _room(1, 1)
        for k, kinds, chosen in self._families():

            def work(turn: int, k: int = k, kinds: Any = kinds, chosen: Any = chosen) -> Any:
                own = floor[chosen]
                n, used = list_cells(kinds, self.ladders, k, own, True, turn, SHARES, steps, room)
                return n, used, own

            floor[chosen] = np.minimum.reduce(self._in_shares(work))
        return floor

    def _list(self, price: Floats, steps: int | None = None) -> Listed:
        """All cells in which these prices are too high."""
        from shoal.kernels.bound.cell import Cells, list_cells

        most = self.left if steps is None else steps
        parts: list[Cells] = []
        ks: list[int] = []
        for k, kinds, chosen in self._families():

            def work(turn: int, k: int = k, kinds: Any = kinds, chosen: Any = chosen) -> Any:
                room = _room(_MOST_CELLS, _MOST_MEMBERS)
                n, used = list_cells(
                    kinds, self.ladders, k, price[chosen], False, turn, SHARES, most, room
                )
                ends = room.start[: max(n, 0) + 1].copy()
                members = chosen[room.members[: ends[-1]]].astype(np.int32)
                return n, used, Cells(room.loss[: max(n, 0)].copy(), ends, members)

            found = self._in_shares(work)
            parts += found
            ks += [k] * len(found)
        return Listed.of(parts or [_room(0, 0)], ks or [1], self.names)

    def _climb(
        self, active: Listed, rows: ProgrammeRows, price: Floats, cap: Floats
    ) -> tuple[Floats, Floats, ProgrammeRows]:
        """Prices after some steps, and the same pressed where they are too high in a known cell."""
        from shoal.kernels.bound.price import climb_prices

        mean = price.copy()
        for _ in range(_BLOCKS):
            rows = rows.joined(self._too_high(active, mean))
            weight, ahead = rows.weight.copy(), price.copy()
            self._spend(len(rows.columns) * _TURNS)
            climb_prices(rows[:4], _TURNS, _PACE, self.rows_of, cap, price, ahead, weight, mean)
            rows = rows._replace(weight=weight)
            rows = rows.take((weight > 0) | (rows.slack(mean) < _ROOM))
        best = self._pressed(active, mean)
        # Prices with slack left once the others are pressed are raised a little, again and again.
        for turn in range(4):
            raised = np.minimum(best * (1 + 0.04 / (1 + turn)) + 0.002, cap)
            best = self._higher(best, self._pressed(active, raised))
        return mean, best, rows

    def _too_high(self, active: Listed, price: Floats) -> ProgrammeRows:
        """Rows for the cells in which prices are too high."""
        from shoal.kernels.bound.price import find_rows

        n, room = len(active.k), len(active.cells.members)
        starts, limits = np.zeros(n + 1, dtype=np.int64), np.empty(n)
        columns, parts = np.empty(room, dtype=np.int32), np.empty(room)
        digest = np.empty(n, dtype=np.uint64)
        self._spend(room)
        m = find_rows(
            active.cells, self.wants.each, active.k, price, _LEAST,
            starts, columns, parts, limits, digest, self.names,
        )  # fmt: skip
        end, weight = starts[m], np.zeros(m)
        return ProgrammeRows(
            starts[: m + 1], columns[:end], parts[:end], limits[:m], weight, digest[:m]
        )

    def _pressed(self, listed: Listed, price: Floats) -> Floats:
        """Prices that are too high in none of the listed cells."""
        from shoal.kernels.bound.price import press_prices

        self._spend(2 * len(listed.cells.members))
        found = price.copy()
        order = np.argsort(-listed.cells.loss, kind="stable")
        press_prices(listed.cells, order, self.wants.each, listed.k, found)
        return found


def _room(n_cells: int, n_members: int) -> Cells:
    """Room for cells; what is not used takes no memory."""
    from shoal.kernels.bound.cell import Cells

    start = np.empty(n_cells + 1, dtype=np.int64)
    start[0] = 0
    return Cells(np.empty(n_cells), start, np.empty(n_members, dtype=np.int32))
