"""Mondrian against its naive twin, on random small tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shoal.method import Mondrian
from shoal.method.baseline import mondrian as module
from tests.cases import Case, as_field, as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


def _compare(case: Case, cut: str) -> None:
    got = rows_of_classes(case, Mondrian(cut=cut).partition(task_of(case)))
    want = naive.mondrian(case.quasi, case.units, cut, case.holds)
    assert got == as_rows(case, want)


@pytest.mark.parametrize("cut", ["loss", "balanced", "median"])
@pytest.mark.parametrize("block", range(4))
def test_the_classes_are_those_of_the_definition(cut: str, block: int) -> None:
    for seed in range(block * 60, block * 60 + 60):
        _compare(random_case(seed), cut)


@pytest.mark.parametrize("cut", ["loss", "balanced", "median"])
def test_sizes_alone_take_a_way_of_their_own(cut: str) -> None:
    for seed in range(1000, 1080):
        _compare(random_case(seed, models=("k",)), cut)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_threads_do_not_show(monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """With nodes of more than four units cut one at a time, by any number of threads."""
    cases = [random_case(seed, models=("k", "l")) for seed in range(2000, 2040)]
    alone = [Mondrian().partition(task_of(case)) for case in cases]
    monkeypatch.setattr(module, "_SMALL", 4)
    for case, before in zip(cases, alone, strict=True):
        after = Mondrian().partition(replace(task_of(case), threads=workers))
        assert after.unit_class.tolist() == before.unit_class.tolist()


def _one(kind: dict[str, Any], cells: list[str | None], k: int) -> Case:
    attributes = {"q": {"role": "quasi", **kind}}
    return Case({"q": as_field("q", kind, cells)}, attributes, [{"k-anonymity": {"k": k}}])


def test_a_cut_that_gains_nothing_is_taken_whatever_the_rounding() -> None:
    """Both sides of the first cut stay at the node `n`, which loses 0.3 of eleven values.

    4 * 0.3 - 2 * 0.3 - 2 * 0.3 is 0, but 3 * 0.3 - 0.3 - 0.6 is below 0 in floats.
    """
    tree = {"*": {"n": {"x": ["a"], "y": ["b", "c"], "z": ["d"]}, "o": list("efghijk")}}
    for n_left in range(2, 12):
        for n_right in range(2, 12):
            cells = ["a"] + ["b"] * (n_left - 1) + ["c"] + ["d"] * (n_right - 1)
            kind = {"kind": "categorical", "hierarchy": {"tree": tree}}
            case = _one(kind, [*cells, *"efghijk"], min(n_left, n_right))
            _compare(case, "loss")


def test_equal_values_stay_together() -> None:
    case = _one({"kind": "numeric"}, ["1", "1.0", "1e0", "2"], 1)
    assert rows_of_classes(case, Mondrian().partition(task_of(case))) == {
        frozenset({0, 1, 2}), frozenset({3}),
    }  # fmt: skip


def test_missing_is_a_value_beside_numbers() -> None:
    case = _one({"kind": "numeric"}, ["1", "2", None, None], 2)
    got = rows_of_classes(case, Mondrian().partition(task_of(case)))
    assert got == {frozenset({0, 1}), frozenset({2, 3})}


def test_many_values_few_rows_are_sorted_rather_than_counted() -> None:
    """The domain is a power of two, so that equal gains are equal as floats too."""
    rng = np.random.default_rng(5)
    cells = [str(n) for n in rng.integers(0, 10_000, 300)]
    _compare(_one({"kind": "numeric", "domain": [0, 16384]}, cells, 3), "loss")
    _compare(_one({"kind": "categorical"}, cells, 3), "balanced")
