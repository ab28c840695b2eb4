"""True answers of a whole workload, beside one query on one row at a time."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.base import View
from shoal.measure.query import alike_queries, workload
from shoal.measure.truth import AggregateQuery, true_answers
from tests.measure.small import view_of


def naive(view: View, query: AggregateQuery, weights: list[float]) -> float:
    """Row by row, predicate by predicate."""
    found = 0.0
    for row in range(view.n_rows):
        held = [
            bool(
                p.matches[
                    view.table.columns[view.table.quasi[p.attribute].attribute.name].codes[row]
                ]
            )
            for p in query.predicates
        ]
        if all(held) if query.joined == "and" else any(held):
            found += weights[row]
    return found


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n_queries", [0, 1, 7, 64, 65, 150])
def test_as_row_by_row(seed: int, n_queries: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.measure.truth._STEP", 7)
    draw = np.random.default_rng(seed)
    n = int(draw.integers(1, 40))
    columns = {
        "q": draw.integers(0, 6, n).tolist(),
        "r": draw.choice(["a", "b", None], n).tolist(),
        "t": draw.choice(list("wxyz"), n).tolist(),
    }
    view = view_of(columns, {"q": "quasi", "r": "quasi", "t": "quasi"}, [0] * n)
    half = list(workload(view.table.quasi, n_queries // 2, seed))
    queries = [*half, *alike_queries(view, "or", 2, n_queries - len(half), seed)]
    weights = draw.integers(-3, 9, n).astype(np.float64)
    expected = [naive(view, query, weights.tolist()) for query in queries]
    assert true_answers(view.table, queries, weights).tolist() == expected
