"""Arrivals join the class whose loss grows least, against a loop over all classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.method import arrival
from shoal.method.arrival import join_nearest
from shoal.method.loss import lost_by
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.partition import COVER, SUPPRESSED, Partition

FORMS: dict[str, Any] = {
    "age": "quasi",
    "town": {"role": "quasi", "kind": "categorical"},
    "job": {"role": "quasi", "hierarchy": {"tree": {"*": {"x": ["a", "b"], "y": ["c", "d"]}}}},
}


def table(n: int, seed: int) -> Table:
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": draw.integers(0, 50, n),
            "town": draw.choice(list("pqrst"), n),
            "job": draw.choice(list("abcd"), n),
        }
    )
    plan = Plan.parse({"attributes": FORMS, "privacy": [{"k-anonymity": {"k": 2}}]})
    return encode(frame, plan.schema)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**16), n_classes=st.integers(1, 6), n_new=st.integers(1, 4))
def test_the_class_that_grows_least(seed: int, n_classes: int, n_new: int) -> None:
    n = 3 * n_classes
    data = table(n + n_new, seed)
    of_known = np.arange(n, dtype=np.int32) % n_classes
    before = Partition(np.append(of_known, np.full(n_new, SUPPRESSED, np.int32)), n_classes)
    after = join_nearest(data, before, np.arange(n, n + n_new))
    assert (after.unit_class[:n] == of_known).all()
    for unit in range(n, n + n_new):
        lost = []
        for number in range(n_classes):
            trial = before.unit_class.copy()
            trial[unit] = number
            lost.append(round(lost_by(data, Partition(trial, n_classes), "glm"), 9))
        assert after.unit_class[unit] == lost.index(min(lost))


def test_a_few_near_classes_are_as_good_as_all(monkeypatch: pytest.MonkeyPatch) -> None:
    data = table(3_000, 1)
    age = data.unit_codes("age")
    by_age = np.argsort(age, kind="stable")
    unit_class = np.full(3_000, SUPPRESSED, dtype=np.int32)
    unit_class[by_age] = np.arange(3_000) // 10
    units = np.arange(0, 3_000, 50)
    unit_class[units] = SUPPRESSED
    start = Partition(unit_class, 300)
    exact = join_nearest(data, start, units)
    monkeypatch.setattr(arrival, "_MOST_PAIRS", 0)
    near = join_nearest(data, start, units)
    assert (join_nearest(data, start, units, threads=2).unit_class == near.unit_class).all()
    assert lost_by(data, near, "glm") <= 1.02 * lost_by(data, exact, "glm")


def test_heights_of_classes_that_took_somebody_in_are_open() -> None:
    data = table(5, 3)
    heights = np.ones((2, 3), dtype=np.int16)
    start = Partition(np.array([0, 0, 1, 1, SUPPRESSED], dtype=np.int32), 2, heights)
    found = join_nearest(data, start, np.array([4]))
    joined = int(found.unit_class[4])
    assert found.heights is not None
    assert (found.heights[joined] == COVER).all()
    assert (found.heights[1 - joined] == 1).all()


def test_nobody_arrives_or_nobody_is_there() -> None:
    data = table(2, 4)
    there = Partition(np.zeros(2, dtype=np.int32), 1)
    assert join_nearest(data, there, np.zeros(0, dtype=np.int64)) is there
    empty = Partition(np.full(2, SUPPRESSED, dtype=np.int32), 0)
    assert join_nearest(data, empty, np.array([0, 1])) is empty
