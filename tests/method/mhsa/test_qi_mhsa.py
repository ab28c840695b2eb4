"""QI-MHSA against its slow twin and the paper's own tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.method import QIMHSA
from shoal.method.base import Task
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from shoal.table.partition import Partition
from tests.papers.mhsa import twin as twin
from tests.papers.mhsa.cases import random_flagged, twin_table


def _classes(partition: Partition) -> list[list[int]]:
    found = [np.flatnonzero(partition.unit_class == c).tolist() for c in range(partition.n_classes)]
    return sorted(found)


@pytest.mark.parametrize("order", ["input", "quasi"])
@pytest.mark.parametrize("seed", range(120))
def test_runs_of_k_take_in_their_nearest_as_the_twin_has_it(seed: int, order: Any) -> None:
    case = random_flagged(seed)
    task = case.task()
    table = twin_table(task.table)
    kinds = twin.kinds_aimed_at(table, case.l) if case.kind is None else [case.kind] * 2
    runs = twin.k_division(table, case.k, order)
    found = QIMHSA(division="k-division", order=order).partition(task)
    try:
        expected = twin.repair_l(table, runs, case.l, kinds, "quasi")
    except twin.NotPossibleError:
        assert task.requirements.failing(found).any()
        return
    assert _classes(found) == expected


@pytest.mark.parametrize("seed", range(40))
def test_mondrian_classes_have_what_the_plan_names_or_frequency(seed: int) -> None:
    case = random_flagged(seed, n_rows=60)
    task = case.task()
    table = twin_table(task.table)
    kinds = twin.kinds_aimed_at(table, case.l) if case.kind is None else [case.kind] * 2
    found = _classes(QIMHSA().partition(task))
    assert sum(map(len, found)) == 60
    assert all(len(c) >= case.k and twin.diverse(table, c, case.l, kinds) for c in found)
    assert len(found) > 1


def test_missing_values_that_are_ignored_do_not_decide_what_is_aimed_at() -> None:
    """30 of 60 rows have `a`, but 30 of the 50 whose value is known: no class can have l = 2."""
    ills = (["a"] * 3 + ["b"] * 2 + [None]) * 10
    frame = pl.DataFrame({"age": range(60), "ill": ills})
    plan = Plan.parse(
        {
            "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"},
            "privacy": [{"k-anonymity": {"k": 6}}, {"l-diversity": {"l": 2, "missing": "ignore"}}],
            "method": "qi-mhsa",
        }
    )
    table = encode(frame, plan.schema)
    found = plan.method.partition(Task(table, Requirements.of(plan.models, table), 1))
    assert found.n_classes > 1
