"""The weighted graph against the optimum, a strong search, and what is asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from benchmarks.graph import mixed
from benchmarks.restarts import best_of_restarts, edge_sum
from shoal.errors import InfeasibleError, PlanError
from shoal.graph import adjacency_matrix
from shoal.method import WeightedGraph
from shoal.method.graph.search import Graph
from shoal.table.space import metric_of
from tests.cases import Case, random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import ATTRIBUTES, EIGHT, SEVEN


def _run(rows: list[tuple[int, str]], k: int, **more: Any) -> shoal.Release:
    frame = pl.DataFrame(rows, schema=["age", "sex"], orient="row")
    privacy = [{"k-anonymity": {"k": k}}]
    plan = {"attributes": ATTRIBUTES, "privacy": privacy, "seed": 1, "order": "input"}
    return shoal.run({"method": "weighted-graph", **plan, **more}, frame)


def _classes(release: shoal.Release) -> list[list[int]]:
    groups = release.rows.group_by("class").agg("row")["row"]
    return sorted(sorted(rows) for rows in groups)


@pytest.mark.parametrize(
    ("rows", "k", "classes", "error", "edges"),
    [
        (SEVEN, 2, None, 10, 6),
        (SEVEN, 3, [[0, 5, 6], [1, 2, 3, 4]], 24, 19),
        (EIGHT, 2, [[0, 2], [1, 7], [3, 4], [5, 6]], 8, 4),
        (EIGHT, 3, None, 28, 26),
    ],
)
def test_the_papers_table(rows: list, k: int, classes: Any, error: int, edges: int) -> None:
    found = _classes(_run(rows, k))
    columns = [("numeric", 42, 48), ("tree", [("F", "*"), ("M", "*")])]
    assert classes is None or found == classes
    assert twin.error(rows, columns, found) == error
    assert twin.edge_sum(rows, columns, found) == edges


def _graph(task: Any, normalise: bool) -> Graph:
    return Graph.of(task, metric_of(task.table.quasi, normalise))


def _found(case: Case, normalise: bool = True) -> list[list[int]]:
    labels = WeightedGraph(normalise=normalise).partition(task_of(case)).unit_class
    return [np.flatnonzero(labels == c).tolist() for c in range(int(labels.max()) + 1)]


@pytest.mark.parametrize("block", range(3))
def test_the_search_finds_the_optimum_of_small_tables(block: int) -> None:
    """The search that larger tables get, on tables small enough to know the optimum."""
    for seed in range(block * 8, block * 8 + 8):
        frame, attributes = mixed(9 + seed % 4, seed)
        k = 2 + seed % 2
        case = Case({}, attributes, [{"k-anonymity": {"k": k}}])
        matrix = np.asarray(adjacency_matrix(frame, attributes, normalise=True), dtype=float)
        plan = case.plan(method={"weighted-graph": {"normalise": True}})
        labels = shoal.run(plan, frame).rows.sort("row")["class"].to_numpy()
        rng = np.random.default_rng(seed)
        graph = _graph(_task(frame, plan), True)
        start = graph.improved(graph.grown(graph.outliers_first()))
        searched = graph.labels_of_units(graph.searched(start, 200, rng))
        assert edge_sum(matrix, searched) == pytest.approx(edge_sum(matrix, labels), abs=1e-9)


def _task(frame: pl.DataFrame, plan: dict[str, Any]) -> Any:
    from shoal.method import Task
    from shoal.model.requirement import Requirements
    from shoal.plan import Plan
    from shoal.table import encode

    parsed = Plan.parse(plan)
    table = encode(frame, parsed.schema)
    return Task(table, Requirements.of(parsed.models, table), 0)


@pytest.mark.parametrize(("k", "seed"), [(3, 0), (5, 1), (10, 2)])
def test_it_is_close_to_the_best_of_many_restarts(k: int, seed: int) -> None:
    frame, attributes = mixed(200, seed)
    plan = {
        "attributes": attributes,
        "privacy": [{"k-anonymity": {"k": k}}],
        "method": {"weighted-graph": {"normalise": True}},
        "seed": 1,
    }
    labels = shoal.run(plan, frame).rows.sort("row")["class"].to_numpy()
    matrix = np.asarray(adjacency_matrix(frame, attributes, normalise=True), dtype=float)
    assert edge_sum(matrix, labels) <= 1.05 * best_of_restarts(matrix, k, 6, seed)


@pytest.mark.parametrize("model", ["k", "l", "alpha", "t", "ke"])
def test_groups_hold_before_any_repair(model: str) -> None:
    n_groups = 0
    for seed in range(300, 316):
        case = random_case(seed, most_rows=80, models=(model,))
        k = 2 + seed % 4
        case.privacy = [{"k-anonymity": {"k": k}}, *case.privacy]
        if len(case.units) <= 12 or not case.holds(range(len(case.units))):
            continue
        found = _found(case)
        assert sorted(u for members in found for u in members) == list(range(len(case.units)))
        assert all(case.holds(members) for members in found)
        assert model != "k" or max(map(len, found)) < 2 * task_of(case).requirements.least
        n_groups += len(found)
    assert n_groups > 15


def test_many_equal_rows_share_groups_at_no_cost() -> None:
    rows = [(45, "M")] * 400 + [(46, "F")] * 3 + [(60, "F")]
    found = _classes(_run(rows, 3))
    columns = [("numeric", 45, 60), ("tree", [("F", "*"), ("M", "*")])]
    assert max(map(len, found)) <= 5
    # The one who is 60 needs two others: two of the 400, or else two of the three.
    assert twin.edge_sum(rows, columns, found) == 32


def test_wide_hierarchies_need_no_table_of_pairs() -> None:
    draw = np.random.default_rng(1)
    frame = pl.DataFrame({"zip": draw.integers(10_000, 10_400, 300).astype(str)})
    plan = {
        "attributes": {"zip": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 5}}},
        "privacy": [{"k-anonymity": {"k": 4}}],
        "method": "weighted-graph",
        "seed": 1,
    }
    release = shoal.run(plan, frame)
    labels = release.rows.sort("row")["class"].to_numpy()
    matrix = np.asarray(adjacency_matrix(frame, plan["attributes"]), dtype=float)
    assert edge_sum(matrix, labels) <= 1.05 * best_of_restarts(matrix, 4, 3, 1)


def test_what_cannot_be_had() -> None:
    with pytest.raises(InfeasibleError, match="7 rows"):
        _run(SEVEN, 8)
    with pytest.raises(PlanError, match="k = 1"):
        _run(SEVEN, 1)


def test_where_not_all_rows_can_hold_some_are_in_no_group() -> None:
    ill = ["a"] * 30 + ["b", "c", "d"] * 5
    frame = pl.DataFrame({"age": [20 + i for i in range(45)], "ill": ill})
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"},
        "privacy": [{"alpha-k": {"alpha": 0.5, "k": 2}}],
    }
    task = _task(frame, plan)
    partition = WeightedGraph().partition(task)
    assert 0 < partition.n_suppressed < 45
    assert not task.requirements.failing(partition).any()


def test_weighing_the_loss_loses_less_than_mondrian() -> None:
    frame = mixed(400, 3)[0]
    plan = {"attributes": mixed(400, 3)[1], "privacy": [{"k-anonymity": {"k": 5}}], "seed": 1}
    found = {
        str(method): shoal.run({**plan, "method": method}, frame).measures["glm"]
        for method in ("mondrian", {"weighted-graph": {"weight": "loss"}})
    }
    assert found["{'weighted-graph': {'weight': 'loss'}}"] < found["mondrian"]
