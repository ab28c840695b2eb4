"""What a partition loses, against the measures of a release."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.method.base import Task
from shoal.method.loss import lost_by
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from shoal.table.partition import SUPPRESSED, Partition
from tests.cases import random_case


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("objective", ["glm", "ncp"])
def test_it_is_the_measure_of_the_release(seed: int, objective: str) -> None:
    case = random_case(seed, models=("k",))
    plan = Plan.parse(case.plan(method="mondrian", order="input"))
    release = shoal.run(plan, case.frame)
    table = encode(case.frame, plan.schema)
    unit_class = release.rows["class"].fill_null(SUPPRESSED).to_numpy()
    of_unit = dict(zip(table.unit_of_row().tolist(), unit_class.tolist(), strict=True))
    shown = sorted({c for c in of_unit.values() if c >= 0})
    place = {SUPPRESSED: SUPPRESSED} | {c: i for i, c in enumerate(shown)}
    numbered = np.array([place[of_unit[u]] for u in range(table.n_units)], dtype=np.int32)
    if release.counts.repeated:
        pytest.skip("repeated rows are measured once")
    lost = lost_by(table, Partition(numbered, len(shown)), objective)
    assert lost == pytest.approx(release.measures[objective])


def test_top_down_leaves_classes_at_the_root_above_several_tops() -> None:
    tops = {"north": ["a", "b", "c"], "south": ["d", "e"], "isle": ["f"]}
    town = {"role": "quasi", "hierarchy": {"tree": tops}}
    frame = pl.DataFrame({"town": list("abcdef")})
    privacy = [{"k-anonymity": {"k": 4}}]
    plan = Plan.parse({"attributes": {"town": town}, "privacy": privacy, "method": "top-down"})
    table = encode(frame, plan.schema)
    found = plan.method.partition(Task(table, Requirements.of(plan.models, table), 1))
    assert lost_by(table, found) == 1.0
    assert shoal.run(plan, frame).measures["glm"] == 1.0
