"""Prices are never above the optimum, and each is what the proof allows."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from shoal.measure.price import price_units, prices_everybody
from tests.measure.optimum import Small, least_loss, random_small

N = 120


def _bound(small: Small, k: np.ndarray, **more: int) -> float:
    return float(price_units(small.table(), k, **more).sum())


@pytest.mark.parametrize("trees", [True, False])
@pytest.mark.parametrize("people", [False, True])
def test_no_bound_is_above_the_optimum(trees: bool, people: bool) -> None:
    tight = 0
    for seed in range(N):
        small = random_small(seed, trees, people)
        k = np.full(len(small.units), 2 + seed % 3)
        bound, best = _bound(small, k), least_loss(small, k.tolist())
        assert bound <= best, seed
        tight += bound >= best - 1e-3
    assert tight > N / 20


def test_no_bound_is_above_the_optimum_where_everybody_asks_for_a_k_of_their_own() -> None:
    for seed in range(N):
        small = random_small(seed, trees=seed % 3 > 0, people=seed % 5 == 0)
        k = np.random.default_rng(seed).integers(1, 5, len(small.units))
        assert _bound(small, k) <= least_loss(small, k.tolist()), seed


def test_a_larger_k_never_has_a_lower_bound_by_much() -> None:
    for seed in range(30):
        small = random_small(seed)
        bounds = [_bound(small, np.full(small.n_rows, k)) for k in (1, 2, 3, 4)]
        assert bounds[0] == 0
        assert all(b >= a - 0.02 for a, b in pairwise(bounds)), seed


def test_few_steps_find_less_and_are_valid_too() -> None:
    small = random_small(1)
    k = np.full(small.n_rows, 3)
    found = [_bound(small, k, steps=steps) for steps in (0, 200, 2_000, 10**9)]
    assert found == sorted(found)
    assert found[0] == 0
    assert 0 < found[-1] <= least_loss(small, k.tolist())


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_whatever_the_threads(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_small(5).table()
    k = np.full(table.n_units, 2)
    found = price_units(table, k).tolist()
    monkeypatch.setattr("shoal.recode.thread._allowed", threads)
    assert price_units(table, k).tolist() == found


def test_whoever_requires_more_than_there_are_can_only_be_left_out() -> None:
    for trees in (True, False):
        small = random_small(2, trees)
        k = np.full(small.n_rows, small.n_rows + 1)
        worst = small.n_rows * len(small.columns)
        assert _bound(small, k) == pytest.approx(worst, abs=1e-5)


def test_nearest_people() -> None:
    small = Small({"age": [30.0, 31.0, 40.0, 50.0]}, {})
    prices = price_units(small.table(), np.full(4, 2))
    assert prices == pytest.approx([0.05, 0.05, 0.45, 0.5], abs=1e-6)


def test_whether_everybody_is_priced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.measure.price._MOST_NEAR", 4)
    assert prices_everybody(Small({"age": [30.0, 31.0, 40.0, 50.0]}, {}).table())
    assert not prices_everybody(Small({"age": [30.0, 31.0, 40.0, 50.0, 60.0]}, {}).table())
    assert prices_everybody(random_small(2).table())
