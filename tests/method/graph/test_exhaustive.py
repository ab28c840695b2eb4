"""The best partition of a few units, against the twin's search."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.method.graph.exhaustive import part_exactly
from shoal.table.space import metric_of
from tests.cases import Case, as_field, random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import graph_column, graph_rows


def _found(case: Case, normalise: bool = True) -> list[list[int]]:
    task = task_of(case)
    labels = part_exactly(task, metric_of(task.table.quasi, normalise))
    return [np.flatnonzero(labels == c).tolist() for c in range(int(labels.max()) + 1)]


@pytest.mark.parametrize("model", ["k", "l", "alpha", "t", "ke"])
@pytest.mark.parametrize("normalise", [False, True])
def test_few_rows_have_the_first_of_the_best_partitions(model: str, normalise: bool) -> None:
    n_compared = 0
    for seed in range(24):
        case = random_case(seed, most_rows=12, models=(model,))
        k = 2 + seed % 2
        holds = None if model == "k" else case.holds
        case.privacy = [{"k-anonymity": {"k": k}}, *([] if model == "k" else case.privacy[:1])]
        if model == "alpha":
            case.privacy[1]["alpha-k"]["k"] = k
        columns = [graph_column(q) for q in case.quasi]
        try:
            want = twin.weighted_graph_optimum(graph_rows(case), columns, k, holds, normalise)
        except ValueError:
            continue
        assert _found(case, normalise) == want
        n_compared += 1
    assert n_compared > 5


def _line(numbers: list[int], k: int) -> Case:
    kind = {"kind": "numeric"}
    quasi = as_field("q", kind, [str(n) for n in numbers])
    return Case({"q": quasi}, {"q": {"role": "quasi", **kind}}, [{"k-anonymity": {"k": k}}])


@pytest.mark.parametrize(
    ("numbers", "k", "groups"),
    [
        ([1, 9, 2, 8], 2, [[0, 2], [1, 3]]),
        ([5, 5, 5, 5], 2, [[0, 1], [2, 3]]),
        ([1, 2, 3], 2, [[0, 1, 2]]),
        ([1, 2, 3], 1, [[0], [1], [2]]),
        ([4], 1, [[0]]),
        ([1, 2], 3, [[0, 1]]),
    ],
)
def test_ties_go_to_the_first_and_what_cannot_hold_is_one_group(
    numbers: list[int], k: int, groups: list[list[int]]
) -> None:
    assert _found(_line(numbers, k)) == groups
