"""Prices are pressed until they fit, and climb to the optimum of their programme."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.bound.cell import Cells
from shoal.kernels.bound.price import climb_prices, find_rows, press_prices
from tests.kernels.bound.test_cell import naive_cells, naive_excess, random_problem


def problem(seed: int) -> tuple:
    kinds, ladders = random_problem(seed)
    k = 2 + seed % 3
    found = [
        (sorted(own), lost)
        for own, lost in naive_cells(kinds, ladders).items()
        if kinds.people[sorted(own)].sum() >= k
    ]
    sizes = [len(own) for own, _ in found]
    members = np.array([u for own, _ in found for u in own], dtype=np.int32)
    loss = np.array([lost for _, lost in found], dtype=np.float64)
    cells = Cells(loss, np.append(0, np.cumsum(sizes)).astype(np.int64), members)
    return kinds, cells, np.full(len(found), k), found, k


@pytest.mark.parametrize("seed", range(20))
def test_pressed_prices_are_too_high_nowhere_and_never_rise(seed: int) -> None:
    kinds, cells, ks, found, k = problem(seed)
    before = np.random.default_rng(seed).uniform(0, 2, len(kinds.people))
    price = before.copy()
    n = press_prices(cells, np.argsort(-cells.loss), kinds, ks, price)
    assert (price <= before).all()
    assert (n == 0) == (price == before).all()
    for own, lost in found:
        assert naive_excess(frozenset(own), kinds, price, lost, k) <= 2e-9
    again = price.copy()
    assert press_prices(cells, np.argsort(cells.loss), kinds, ks, again) == 0


def rows_of(kinds, cells, ks, price):  # type: ignore[no-untyped-def]
    n = len(cells.loss)
    starts, limits, digest = np.zeros(n + 1, np.int64), np.empty(n), np.empty(n, np.uint64)
    columns, parts = np.empty(len(cells.members), np.int32), np.empty(len(cells.members))
    names = np.random.default_rng(0).integers(1, 2**64, len(price), dtype=np.uint64)
    m = find_rows(cells, kinds, ks, price, 1e-4, starts, columns, parts, limits, digest, names)
    end = starts[m]
    return starts[: m + 1], columns[:end], parts[:end], limits[:m], digest[:m]


@pytest.mark.parametrize("seed", range(20))
def test_a_row_for_every_cell_in_which_prices_are_too_high(seed: int) -> None:
    kinds, cells, ks, found, k = problem(seed)
    price = np.random.default_rng(seed).uniform(0, 1, len(kinds.people))
    starts, columns, parts, limits, digest = rows_of(kinds, cells, ks, price)
    too_high = [
        e for own, lost in found
        if (e := naive_excess(frozenset(own), kinds, price, lost, k)) > 1e-4 * k
    ]  # fmt: skip
    excess = [
        parts[a:b] @ price[columns[a:b]] - limit
        for a, b, limit in zip(starts, starts[1:], limits, strict=False)
    ]
    assert sorted(x * k for x in excess) == pytest.approx(sorted(too_high))
    rows = [
        (limit, sorted(zip(columns[a:b].tolist(), parts[a:b].tolist(), strict=True)))
        for a, b, limit in zip(starts, starts[1:], limits.tolist(), strict=False)
    ]
    for i, own in enumerate(rows):
        assert [own == other for other in rows] == (digest == digest[i]).tolist()


def test_climbing_ends_at_the_optimum() -> None:
    """p0 + p1 <= 1 and p1 + p2 <= 1: the one in both rows pays nothing, the others all."""
    rows = np.array([0, 2, 4]), np.array([0, 1, 1, 2]), np.full(4, 0.5), np.full(2, 0.5)
    price, weight, mean, ones = np.zeros(3), np.zeros(2), np.empty(3), np.ones(3)
    for _ in range(10):
        climb_prices(rows, 200, 20.0, ones, 3 * ones, price, price.copy(), weight, mean)
    assert mean == pytest.approx([1, 0, 1], abs=0.02)
    climb_prices(rows, 200, 20.0, ones, 0.5 * ones, price, price.copy(), weight, mean)
    assert mean.max() <= 0.5 + 1e-9
