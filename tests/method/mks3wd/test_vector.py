"""Which vectors of a lattice are visited, and in which order."""

from __future__ import annotations

import itertools

import numpy as np
import polars as pl
import pytest

from shoal.method.mks3wd.lattice import Lattice
from shoal.method.mks3wd.vector import (
    HEIGHTS,
    MOST,
    Steps,
    count_vectors,
    different_levels,
    most_vectors,
    order_vectors,
)
from shoal.plan import Plan
from shoal.table import Table, encode


def _steps(seed: int) -> Steps:
    rng = np.random.default_rng(seed)
    losses = [np.sort(rng.integers(0, 9, rng.integers(1, 6))) / 8.0 for _ in range(5)]
    bits = [np.sort(rng.random(len(loss)) * 4)[::-1] for loss in losses]
    return Steps([np.arange(len(loss), dtype=np.int8) for loss in losses], losses, bits)


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
    levels = [np.arange(3, dtype=np.int8)] * 2
    assert order_vectors(Steps(levels, losses, bits), 5).tolist() == [
        [0, 0], [1, 0], [2, 0], [2, 1], [2, 2],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("budget", "n_tuples", "most"),
    [(1000, 10, 100), (999, 10, 99), (9, 10, 1), (10**12, 10, MOST), (5, 0, 5)],
)
def test_a_budget_is_tuples_times_vectors(budget: int, n_tuples: int, most: int) -> None:
    assert most_vectors(budget, n_tuples) == most


def _table(values: list[int], width: int, levels: int) -> Table:
    hierarchy = {"width": width, "levels": levels}
    attributes = {"a": {"role": "quasi", "kind": "numeric", "hierarchy": hierarchy}}
    plan = Plan.parse({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})
    return encode(pl.DataFrame({"a": values}), plan.schema)


@pytest.mark.parametrize(
    ("values", "different"),
    [
        (list(range(16)), [0, 2, 3, 4]),  # A width of 1 has every value to itself.
        ([0, 1], [0, 2]),  # All that is wider shows the same.
        ([0, 1, 8, 9], [0, 2, 4]),  # 4 tells nobody apart whom 2 does not.
        ([5], [0]),
    ],
)
def test_levels_that_show_what_the_one_below_shows_are_passed_over(
    values: list[int], different: list[int]
) -> None:
    table = _table(values, width=1, levels=3)
    domain = table.quasi[0]
    assert domain.tree is not None
    n_of_code = np.bincount(table.unit_codes("a"), minlength=len(domain))
    assert different_levels(domain.tree, n_of_code).tolist() == different
    assert count_vectors(table) == len(different)
    assert Lattice.of(table, 10**6).vectors.ravel().tolist() == different
