"""The graph of nearest units: its points and neighbours, groups to start from, and the search."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.method import Task
from shoal.method.graph.search import Graph
from shoal.model import KAnonymity
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode
from shoal.table.space import metric_of
from tests.cases import random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import graph_column, graph_rows


def _graph(task: Any, normalise: bool) -> Graph:
    return Graph.of(task, metric_of(task.table.quasi, normalise))


def test_neighbours_are_the_nearest_points() -> None:
    for seed in range(80, 95):
        case = random_case(seed, most_rows=60)
        if len(case.units) < 2:
            continue
        graph, rows = _graph(task_of(case), True), graph_rows(case)
        columns = [graph_column(q) for q in case.quasi]
        unit = graph.order[graph.first[:-1]]
        for p, row in enumerate(unit):
            far = [twin.tick(twin.distance(rows, columns, row, v, True)) for v in unit]
            nearest = sorted((away, q) for q, away in enumerate(far) if q != p)
            wanted = [q for _, q in nearest][: graph.near.shape[1]]
            assert graph.near[p][: len(wanted)].tolist() == wanted


def test_a_step_never_adds_to_the_sum() -> None:
    for seed in range(6):
        case = random_case(seed + 40, most_rows=90, models=("l",), share_of_people=0.0)
        if len(case.units) <= 12 or not case.holds(range(len(case.units))):
            continue
        graph = _graph(task_of(case), False)
        grown, rng = graph.grown(graph.outliers_first()), np.random.default_rng(seed)
        steps = [grown, graph.improved(grown)]
        steps.append(graph.searched(steps[-1], 30, rng))
        sums = [graph.sum_of_edges(labels) for labels in steps]
        assert all(b <= a + 1e-6 for a, b in pairwise(sums))


def test_units_of_a_point_stand_together_and_labels_go_back_to_the_table() -> None:
    for seed in range(110, 120):
        case = random_case(seed, most_rows=40)
        graph, rows = _graph(task_of(case), False), graph_rows(case)
        assert sorted(graph.order.tolist()) == list(range(len(rows)))
        assert graph.n_points == len(set(rows))
        for p in range(graph.n_points):
            units = graph.order[graph.first[p] : graph.first[p + 1]]
            assert len({rows[u] for u in units}) == 1
        labels = graph.order.astype(np.int32)
        assert graph.labels_of_units(labels).tolist() == list(range(len(rows)))


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_do_not_change_the_neighbours(threads: int) -> None:
    from dataclasses import replace

    task = task_of(random_case(81, most_rows=60))
    one, several = _graph(task, True), _graph(replace(task, threads=threads), True)
    assert one.near.tolist() == several.near.tolist()
    assert one.far.tolist() == several.far.tolist()


def test_every_start_has_groups_of_the_right_size() -> None:
    for seed in range(120, 128):
        case = random_case(seed, most_rows=60, models=("k",))
        case.privacy = [{"k-anonymity": {"k": 3}}]
        if len(case.units) < 6:
            continue
        graph = _graph(task_of(case), True)
        units = np.arange(graph.n_units, dtype=np.int32)
        starts = (units % 2 == 0).astype(np.uint8)
        for labels in (
            graph.grown(graph.outliers_first()), graph.forest(), graph.from_order(starts, units)
        ):  # fmt: skip
            sizes = np.unique(labels, return_counts=True)[1]
            assert sizes.min() >= 3
            assert sizes.max() <= graph.cap == 5


def test_groups_that_are_merged_and_cut_have_room_for_their_numbers() -> None:
    """Merged groups leave their numbers unused, and those of the cut ones come on top."""
    n = 60
    table = encode(
        pl.DataFrame({"x": [f"v{i:02d}" for i in range(n)]}),
        Schema((Attribute("x", Role.QUASI, Kind.CATEGORICAL),)),
    )
    task = Task(table, Requirements.of([KAnonymity(k=5)], table), 0)
    graph = _graph(task, normalise=False)
    for labels in (graph.forest(), graph.grown(graph.outliers_first())):
        assert labels.min() >= 0
        assert labels.max() < n
