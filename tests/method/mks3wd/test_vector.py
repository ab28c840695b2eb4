"""Which vectors of a lattice are visited, and in which order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from shoal.method.mks3wd.vector import HEIGHTS, MOST, Steps, most_vectors, order_vectors


def _steps(seed: int) -> Steps:
    rng = np.random.default_rng(seed)
    losses = [np.sort(rng.integers(0, 9, rng.integers(1, 6))) / 8.0 for _ in range(5)]
    bits = [np.sort(rng.random(len(loss)) * 4)[::-1] for loss in losses]
    return Steps(losses, bits)


@pytest.mark.parametrize("seed", range(20))
def test_vectors_come_by_loss_then_by_levels(seed: int) -> None:
    steps = _steps(seed)
    every = itertools.product(*(range(len(loss)) for loss in steps.losses))

    def key(v: tuple[int, ...]) -> tuple[float, int, tuple[int, ...]]:
        return sum(loss[c] for loss, c in zip(steps.losses, v, strict=True)), sum(v), v

    whole = list(map(tuple, order_vectors(steps, 10**6).tolist()))
    assert whole == sorted(every, key=key)
    assert len(whole) == steps.n_vectors


@pytest.mark.parametrize("seed", range(40))
def test_of_too_many_the_top_and_some_of_every_height(seed: int) -> None:
    """Never one more than allowed; in the order of the whole; no height is passed over."""
    steps = _steps(seed)
    whole = order_vectors(steps, 10**6).tolist()
    top = [len(loss) - 1 for loss in steps.losses]
    for most in (1, 2, 7, HEIGHTS + 1, 2 * HEIGHTS):
        some = order_vectors(steps, most).tolist()
        assert len(some) == min(most, len(whole))
        assert top in some
        places = [whole.index(v) for v in some]
        assert places == sorted(places)


def test_the_cheapest_of_each_height_are_taken() -> None:
    """Two attributes that tell as much: at each step the one that loses less climbs."""
    losses = [np.array([0, 0.1, 0.2]), np.array([0, 0.5, 1.0])]
    bits = [np.array([2.0, 1.0, 0.0])] * 2
    assert order_vectors(Steps(losses, bits), 5).tolist() == [
        [0, 0], [1, 0], [2, 0], [2, 1], [2, 2],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("budget", "n_tuples", "most"),
    [(1000, 10, 100), (999, 10, 99), (9, 10, 1), (10**12, 10, MOST), (5, 0, 5)],
)
def test_a_budget_is_tuples_times_vectors(budget: int, n_tuples: int, most: int) -> None:
    assert most_vectors(budget, n_tuples) == most
