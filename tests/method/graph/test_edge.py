"""Edges column by column: against the metric, against all pairs, and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from shoal.kernels.box.neighbour import spread_of
from shoal.kernels.graph.weight import weigh
from shoal.method.graph.edge import EdgeColumn, columns_of, sum_of_edges, weights_of
from shoal.table.space import metric_of, packed_codes, space_of
from tests.cases import random_case, task_of
from tests.kernels.box.small import plain, spaces
from tests.papers import naive
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import graph_column, graph_rows


@pytest.mark.parametrize("tabled", [True, False])
@pytest.mark.parametrize("name", ["glm", "f_dis", "normalised"])
def test_edges_weigh_what_their_ends_lose(
    name: str, tabled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables of pairs and steps of trees against the metric; steps of glm differ by their mean."""
    if not tabled:
        monkeypatch.setattr("shoal.method.graph.edge._TABLED", 0)
        monkeypatch.setattr("shoal.method.graph.edge._TABLED_TREE", 0)
    forms = None if tabled or name != "glm" else ("range", "halves", "set", "ordinal", "date")
    for _, table, space in spaces(name, 1, forms):
        codes = packed_codes(table)
        weights, columns = weights_of(table, codes, space), columns_of(table, space)
        for p in range(0, len(codes), 3):
            for q in range(len(codes)):
                want = pytest.approx(spread_of(space, codes, p, codes, q), abs=1e-9)
                assert plain(weigh)(*weights, p, q) == want
                assert sum(float(c.between(np.array(p), np.array(q))) for c in columns) == want


@pytest.mark.parametrize("normalise", [False, True])
def test_edges_are_summed_as_they_are_defined(normalise: bool) -> None:
    for seed in range(60, 75):
        case = random_case(seed, most_rows=25)
        table = task_of(case).table
        labels = np.random.default_rng(seed).integers(0, 4, len(case.units))
        classes = [np.flatnonzero(labels == c).tolist() for c in range(4)]
        want = twin.edge_sum(
            graph_rows(case), [graph_column(q) for q in case.quasi], classes, normalise
        )
        assert sum_of_edges(
            columns_of(table, metric_of(table.quasi, normalise)), labels
        ) == pytest.approx(want)


@pytest.mark.parametrize("seed", range(40))
def test_edges_that_weigh_the_loss_are_summed_so(seed: int) -> None:
    """The glm of every pair as one class, trees with branches of unlike size included."""
    case = random_case(seed, most_rows=25)
    table = task_of(case).table
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 4, table.n_units)
    weights = columns_of(table, space_of(table.quasi, "glm"))
    want = sum(
        naive.glm(q, {q.cells[case.units[a][0]], q.cells[case.units[b][0]]})
        for a, b in combinations(range(table.n_units), 2)
        if labels[a] == labels[b] >= 0
        for q in case.quasi
    )
    assert sum_of_edges(weights, labels) == pytest.approx(want)


def test_a_missing_number_is_as_far_as_the_price() -> None:
    column = EdgeColumn(0, np.array([0, 1, 2, 2]), 7.0, np.array([1.0, 4.0, 0.0]), missing=2)
    ones, others = np.array([0, 0, 1, 2]), np.array([1, 2, 3, 3])
    assert column.between(ones, others).tolist() == [3.0, 7.0, 7.0, 0.0]
    assert column.sum_inside(np.zeros(4, np.int64)) == 3.0 + 4 * 7.0


def test_codes_with_prices_of_their_own_cost_the_mean() -> None:
    column = EdgeColumn(0, np.array([0, 1, 1]), 0.0, prices=np.array([1.0, 3.0]))
    assert column.apart(np.array([0, 1]), np.array([1, 1])).tolist() == [2.0, 0.0]
    assert column.sum_inside(np.array([0, 0, 0])) == 4.0
    assert column.sum_inside(np.array([-1, 0, 0])) == 0.0
