"""Edges column by column: against the metric, against all pairs, and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.box.neighbour import spread_of
from shoal.kernels.graph.weight import weigh
from shoal.method.graph.edge import EdgeColumn, columns_of, sum_of_edges, weights_of
from shoal.table.space import packed_codes
from tests.kernels.box.small import plain, spaces


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


@pytest.mark.parametrize("name", ["glm", "f_dis"])
def test_the_sum_inside_groups_is_that_of_all_pairs(name: str) -> None:
    for _, table, space in spaces(name, 2):
        columns, n = columns_of(table, space), table.n_units
        labels = np.random.default_rng(n).integers(-1, 3, n)
        pairs = [
            (p, q) for q in range(n) for p in range(q) if labels[p] == labels[q] and labels[p] >= 0
        ]
        want = sum(float(c.between(np.array(p), np.array(q))) for c in columns for p, q in pairs)
        assert sum_of_edges(columns, labels) == pytest.approx(want, abs=1e-9)


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
