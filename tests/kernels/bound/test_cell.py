"""The cells that are listed, against all cells of the lattice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from shoal.kernels.bound.cell import Cells, Kinds, Ladders, list_cells


def random_problem(seed: int) -> tuple[Kinds, Ladders]:
    draw = np.random.default_rng(seed)
    n, d, m = int(draw.integers(3, 14)), int(draw.integers(1, 5)), 6
    codes = draw.integers(0, m, (n, d)).astype(np.int32)
    node, loss = np.zeros((d, 3, m), np.int32), np.zeros((d, 3, m))
    for j in range(d):
        width = int(draw.integers(1, 4))
        node[j] = [np.arange(m), np.arange(m) // width, np.zeros(m)]
        for level in range(3):
            loss[j, level] = (np.bincount(node[j, level])[node[j, level]] - 1) / (m - 1)
    kinds = Kinds(codes, draw.integers(1, 4, n), draw.integers(1, 3, n).astype(np.float64))
    return kinds, Ladders(node, loss, np.full(d, 3))


def naive_cells(kinds: Kinds, ladders: Ladders) -> dict[frozenset[int], float]:
    """What every set of kinds that is all of some cell loses at the least."""
    found: dict[frozenset[int], float] = {}
    n, d = kinds.codes.shape
    for levels in product(range(3), repeat=d):
        groups: dict[tuple[int, ...], list[int]] = {}
        for u in range(n):
            key = tuple(int(ladders.node[j, levels[j], kinds.codes[u, j]]) for j in range(d))
            groups.setdefault(key, []).append(u)
        for members in groups.values():
            codes = kinds.codes[members[0]]
            lost = sum(float(ladders.loss[j, levels[j], codes[j]]) for j in range(d))
            own = frozenset(members)
            found[own] = min(found.get(own, np.inf), lost)
    return found


def naive_excess(
    members: frozenset[int], kinds: Kinds, price: np.ndarray, lost: float, k: int
) -> float:
    each = [
        float(kinds.rows[u] * (price[u] - lost)) for u in members for _ in range(kinds.people[u])
    ]
    return sum(sorted(each, reverse=True)[:k]) if len(each) >= k else -1.0


def room() -> Cells:
    return Cells(np.empty(5_000), np.zeros(5_001, np.int64), np.empty(50_000, np.int32))


@pytest.mark.parametrize("seed", range(25))
def test_exactly_the_cells_in_which_prices_are_too_high(seed: int) -> None:
    kinds, ladders = random_problem(seed)
    k = 2 + seed % 4
    price = np.random.default_rng(seed).uniform(0, 1.2, len(kinds.people))
    found: dict[frozenset[int], float] = {}
    for turn in range(2):
        cells = room()
        n, _ = list_cells(kinds, ladders, k, price, False, turn, 2, 10**9, cells)
        for c in range(n):
            members = frozenset(cells.members[cells.start[c] : cells.start[c + 1]].tolist())
            assert members not in found
            found[members] = float(cells.loss[c])
    want = {
        members: lost
        for members, lost in naive_cells(kinds, ladders).items()
        if naive_excess(members, kinds, price, lost, k) > 1e-9
    }
    assert found == pytest.approx(want)


@pytest.mark.parametrize("seed", range(25))
def test_the_cheapest_cell_of_everybody(seed: int) -> None:
    kinds, ladders = random_problem(seed)
    k, shares = 2 + seed % 4, []
    for turn in range(2):
        price = np.full(len(kinds.people), 9.0)
        list_cells(kinds, ladders, k, price, True, turn, 2, 10**9, room())
        shares.append(price)
    cells = naive_cells(kinds, ladders)
    for u, price in enumerate(np.minimum(*shares).tolist()):
        large = [
            lost for own, lost in cells.items() if u in own and kinds.people[[*own]].sum() >= k
        ]
        assert price == pytest.approx(min(large, default=9.0))


def test_steps_and_room_run_out() -> None:
    kinds, ladders = random_problem(3)
    price = np.ones(len(kinds.people))
    n, steps = list_cells(kinds, ladders, 2, price, False, 0, 1, 10**9, room())
    assert n > 1
    assert list_cells(kinds, ladders, 2, price, False, 0, 1, steps, room())[0] == n
    assert list_cells(kinds, ladders, 2, price, False, 0, 1, steps // 2, room())[0] == -1
    small = Cells(np.empty(n - 1), np.zeros(n, np.int64), np.empty(50_000, np.int32))
    assert list_cells(kinds, ladders, 2, price, False, 0, 1, 10**9, small)[0] == -1
