"""The adjacency method against the paper's releases and the full-matrix twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.errors import InfeasibleError, PlanError
from shoal.method import METHODS
from tests.cases import Case, random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import ATTRIBUTES, EIGHT, SEVEN, graph_column, graph_rows


def _run(rows: list[tuple[int, str]], k: int, **more: Any) -> shoal.Release:
    frame = pl.DataFrame(rows, schema=["age", "sex"], orient="row")
    privacy = [{"k-anonymity": {"k": k}}]
    plan = {"attributes": ATTRIBUTES, "privacy": privacy, "seed": 1, "order": "input"}
    return shoal.run({"method": "adjacency", **plan, **more}, frame)


def _classes(release: shoal.Release) -> set[frozenset[int]]:
    groups = release.rows.group_by("class").agg(pl.col("row") + 1)["row"]
    return {frozenset(rows) for rows in groups}


@pytest.mark.parametrize(
    ("rows", "k", "classes", "error"),
    [
        (SEVEN, 2, [{6, 7}, {3, 4, 5}, {1, 2}], 10),
        (SEVEN, 3, [{3, 4, 5}, {1, 2, 6, 7}], 26),
        (EIGHT, 2, [{6, 7}, {1, 2, 8}, {3, 4, 5}], 12),
        (EIGHT, 3, [{3, 4, 5}, {1, 2, 6, 7, 8}], 31),
    ],
)
def test_the_papers_releases(rows: list, k: int, classes: list[set[int]], error: int) -> None:
    release = _run(rows, k)
    assert _classes(release) == set(map(frozenset, classes))
    columns = [("numeric", 42, 48), ("tree", [("F", "*"), ("M", "*")])]
    found = [[row - 1 for row in members] for members in _classes(release)]
    assert twin.error(rows, columns, found) == error


def _compare(case: Case, k: int, normalise: bool) -> int:
    columns = [graph_column(q) for q in case.quasi]
    holds = None if len(case.privacy) == 1 else case.holds
    rows = graph_rows(case)
    method = METHODS["adjacency"].model_validate({"normalise": normalise})
    try:
        want = twin.adjacency(rows, columns, k, holds, normalise)
    except ValueError:
        return 0
    found = method.partition(task_of(case)).unit_class
    got = [np.flatnonzero(found == c).tolist() for c in range(int(found.max()) + 1)]
    assert got == [sorted(members) for members in want]
    return len(got)


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("block", range(5))
def test_it_is_the_full_matrix_version(block: int, normalise: bool) -> None:
    n_classes = 0
    for seed in range(block * 20, block * 20 + 20):
        case = random_case(seed, most_rows=60)
        k = 2 + seed % 4
        case.privacy = [{"k-anonymity": {"k": k}}]
        n_classes += _compare(case, k, normalise)
    assert n_classes > 60


@pytest.mark.parametrize("model", ["l", "alpha", "t", "ke"])
@pytest.mark.parametrize("block", range(2))
def test_more_than_k_is_honoured_inside(block: int, model: str) -> None:
    n_classes = 0
    for seed in range(200 + block * 20, 220 + block * 20):
        case = random_case(seed, most_rows=40, models=(model,))
        k = 2 + seed % 3
        case.privacy = [{"k-anonymity": {"k": k}}, case.privacy[0]]
        asked = case.privacy[1]
        if model == "alpha":
            asked["alpha-k"]["k"] = min(asked["alpha-k"]["k"], k)
        n_classes += _compare(case, k, False)
    assert n_classes > 10


def test_many_equal_rows() -> None:
    release = _run([(45, "M")] * 40 + [(46, "F")] * 3 + [(60, "F")], 3)
    assert release.holds
    shown = release.frame.unique().rows()
    assert ("45", "M") in shown


def test_k_of_one_is_no_graph() -> None:
    with pytest.raises(PlanError, match="k = 1"):
        _run(SEVEN, 1)


def test_too_few_rows() -> None:
    with pytest.raises(InfeasibleError, match="7 rows"):
        _run(SEVEN, 8)


def test_unlike_scales_are_warned_of() -> None:
    frame = pl.DataFrame({"pay": [0, 50_000, 90_000, 10], "sex": ["M", "F", "M", "F"]})
    plan = {
        "attributes": {**ATTRIBUTES, "pay": {"role": "quasi", "kind": "numeric"}},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    del plan["attributes"]["age"]
    raw = shoal.run({**plan, "method": "adjacency"}, frame)
    assert "normalise: true" in raw.warnings[0].text
    alike = shoal.run({**plan, "method": {"adjacency": {"normalise": True}}}, frame)
    assert "unlike-distances" not in [advice.code for advice in alike.warnings]


def test_huge_numbers_do_not_overflow() -> None:
    """Twelve rows in pairs that are near by their standards, and far from each other."""
    pay = [i // 2 * 10**12 + i % 2 * 10**6 for i in range(12)]
    frame = pl.DataFrame({"pay": [pay[i] for i in (0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11)]})
    plan = {
        "attributes": {"pay": {"role": "quasi", "kind": "numeric"}},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "adjacency",
        "seed": 1,
    }
    assert _classes(shoal.run(plan, frame)) == {frozenset({i, i + 6}) for i in range(1, 7)}
