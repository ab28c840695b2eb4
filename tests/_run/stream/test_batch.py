"""One batch: who is held is no part of it."""

from __future__ import annotations

import numpy as np

from shoal._run.seed import Seed
from shoal._run.stream.batch import make_batch
from shoal.plan import Plan
from tests._run.stream.case import plan, rows

PLAN, SEED = Plan.parse(plan(50)), Seed(5, "plan")


def test_who_is_held_is_no_part_of_the_release() -> None:
    table = rows(60, common=0.8)
    none, every = np.zeros(60, dtype=np.bool_), np.ones(60, dtype=np.bool_)
    strict, patient = (make_batch(PLAN, table, may, SEED, 1) for may in (none, every))
    assert strict.release is not None
    assert patient.release is not None
    assert strict.left_out.sum() > 0
    assert strict.left_out.tolist() == patient.held.tolist()
    assert not strict.held.any()
    assert not patient.left_out.any()
    assert strict.release.counts.suppressed == strict.left_out.sum()
    assert patient.release.counts.suppressed == 0
    assert patient.release.counts.rows == 60 - patient.held.sum()
    assert patient.release.counts.published == strict.release.counts.published
    assert patient.release.holds


def test_only_some_may_wait() -> None:
    table, may = rows(60, common=0.8), np.arange(60) % 2 == 0
    found = make_batch(PLAN, table, may, SEED, 1)
    assert not (found.held & ~may).any()
    assert not (found.left_out & may).any()


def test_a_window_that_nobody_can_leave() -> None:
    may = np.array([True, False])
    found = make_batch(PLAN, rows(2), may, SEED, 1)
    assert found.release is None
    assert (found.held.tolist(), found.left_out.tolist()) == ([True, False], [False, True])


def test_the_rows_of_people_stay_together() -> None:
    content = plan(50, individual={"column": "name", "conflict": "first"})
    table = rows(80, common=0.5)
    found = make_batch(Plan.parse(content), table, np.ones(80, dtype=np.bool_), SEED, 1)
    assert found.release is not None
    held = set(table["name"].filter(found.held))
    assert not held & set(table["name"].filter(~found.held))
    assert found.release.holds
