"""Hilbert honours every requirement, and loses no more than Mondrian."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.method import Hilbert, Mondrian, Task
from shoal.method.baseline import hilbert, mondrian
from shoal.method.loss import lost_by
from shoal.model.requirement import Requirements
from shoal.table import encode
from tests.cases import random_case, task_of
from tests.method.test_polish import BARE, REQUIRED, ROLES, table


@pytest.mark.parametrize("curve", ["tree", "hilbert"])
@pytest.mark.parametrize("required", REQUIRED)
@pytest.mark.parametrize("roles", [ROLES, BARE], ids=["trees", "bare"])
def test_everything_holds(required: str, roles: Any, curve: str) -> None:
    method = {"hilbert": {"curve": curve}}
    plan = {"attributes": roles, "privacy": REQUIRED[required], "method": method, "seed": 1}
    release = shoal.run(plan, table(4))
    assert all(v.holds for v in release.verdicts)
    assert release.measures["suppression"] == 0


def loses_less(task: Task) -> bool:
    """Whether hilbert loses less than mondrian; it never loses more where mondrian holds."""
    ours, theirs = Hilbert().partition(task), Mondrian().partition(task)
    if task.requirements.failing(theirs).any():
        return False
    assert not task.requirements.failing(ours).any()
    lost, limit = (lost_by(task.table, p, task.objective) for p in (ours, theirs))
    assert lost <= limit + 1e-9
    return lost < limit - 1e-9


def random_task(seed: int, **more: Any) -> Task:
    objective = ("glm", "ncp", "prec")[seed % 3]
    return replace(task_of(random_case(seed, **more)), objective=objective)


def test_no_more_is_lost_than_by_mondrian() -> None:
    """Numbers, categories and hierarchies, rows and people, sizes alone and everything else."""
    assert sum(loses_less(random_task(seed, models=("k",))) for seed in range(300)) > 60
    assert sum(loses_less(random_task(seed)) for seed in range(300, 500)) > 20


@pytest.mark.parametrize("required", REQUIRED)
@pytest.mark.parametrize("roles", [ROLES, BARE], ids=["trees", "bare"])
def test_nor_with_personal_sizes(required: str, roles: Any) -> None:
    plan, better = shoal.Plan.of({"attributes": roles, "privacy": REQUIRED[required]}), 0
    for seed in range(10):
        coded = encode(table(seed), plan.schema)
        better += loses_less(Task(coded, Requirements.of(plan.models, coded), 1))
    assert better >= 5


def test_lines_and_subtrees_are_cut_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes of more than four units are cut one at a time, and lines of ten or so apart."""
    monkeypatch.setattr(hilbert, "_LINE", 10)
    monkeypatch.setattr(mondrian, "_SMALL", 4)
    assert sum(loses_less(random_task(seed)) for seed in range(1000, 1100)) > 10


def test_classes_are_no_larger_than_needed() -> None:
    plan = {"attributes": BARE, "privacy": REQUIRED["k"], "method": "hilbert", "seed": 1}
    sizes = shoal.run(plan, table(5)).classes["size"]
    assert sizes.min() >= 4
    assert sizes.max() <= 7


@pytest.mark.parametrize("curve", ["tree", "hilbert"])
def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch, curve: str) -> None:
    monkeypatch.setattr(hilbert, "_LINE", 40)
    monkeypatch.setattr(mondrian, "_SMALL", 20)
    method = {"hilbert": {"curve": curve}}
    plan = {"attributes": BARE, "privacy": REQUIRED["k"], "method": method, "seed": 1}
    one = shoal.run(plan, table(6))
    two = shoal.run({**plan, "engine": {"local": {"workers": 1}}}, table(6))
    assert all(v.holds for v in one.verdicts)
    assert one.frame.equals(two.frame)


def test_more_attributes_than_bits() -> None:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({f"q{j}": draw.integers(0, 3, 30) for j in range(70)})
    plan = {
        "attributes": dict.fromkeys(frame.columns, "quasi"), "seed": 1,
        "method": {"hilbert": {"curve": "hilbert"}}, "privacy": [{"k-anonymity": {"k": 3}}],
    }  # fmt: skip
    assert shoal.run(plan, frame).verdicts[0].holds
