"""Answers from a release, by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure.query import QuerySum, alike_queries, relative_errors, workload
from shoal.measure.truth import AggregateQuery, Predicate
from shoal.recode import Generalised
from tests.measure.small import release_of, view_of
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS

SECRETS = [
    {"k-anonymity": {"k": 2}},
    *({"l-diversity": {"l": 2, "attribute": name}} for name in ("disease", "age", "zip")),
]


def test_nothing_lost_nothing_wrong() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "r": list("xxyy"), "s": [10, 20, 30, 40]})
    attributes = {"q": "quasi", "r": "quasi", "s": "sensitive"}
    measures = release_of(frame, attributes, 2).measures
    assert measures["query-count"] == 0
    assert measures["query-sum"] == pytest.approx(0)


def _labels(columns: dict[str, Any], attributes: dict[str, Any]) -> Sequence[Generalised]:
    """The labels of all rows as one class."""
    return view_of(columns, attributes, [0] * len(next(iter(columns.values())))).labels


def test_share_of_a_range_counts_its_integers() -> None:
    (label,) = _labels({"q": [1, 2, 3, 4]}, {"q": "quasi"})
    matches = np.array([True, True, False, False])
    assert Predicate(0, matches, (1.0, 2.0)).share(label).tolist() == [0.5]


def test_share_of_a_range_of_fractions_is_length() -> None:
    (label,) = _labels({"q": [0.0, 0.5, 2.0]}, {"q": "quasi"})
    matches = np.array([True, True, False])
    assert Predicate(0, matches, (0.0, 0.5)).share(label).tolist() == [0.25]


def test_share_of_a_set_and_of_a_node_counts_values() -> None:
    columns = {"q": ["a", "b", "c"], "r": ["x", "y", "z"]}
    attributes = {"q": "quasi", "r": {"role": "quasi", "hierarchy": "flat"}}
    set_label, node = _labels(columns, attributes)
    matches = np.array([True, False, False])
    assert Predicate(0, matches).share(set_label).tolist() == [pytest.approx(1 / 3)]
    assert Predicate(1, matches).share(node).tolist() == [pytest.approx(1 / 3)]


def test_and_or() -> None:
    shares = [np.array([0.5, 1.0]), np.array([0.5, 0.0])]
    assert AggregateQuery((), "and").combine(shares).tolist() == [0.25, 0.0]
    assert AggregateQuery((), "or").combine(shares).tolist() == [0.75, 1.0]


def test_a_point_of_a_range_of_fractions() -> None:
    (label,) = _labels({"q": [0.5, 0.5]}, {"q": "quasi"})
    matches = np.array([True])
    assert Predicate(0, matches, (0.5, 0.7)).share(label).tolist() == [1]
    assert Predicate(0, ~matches, (0.6, 0.7)).share(label).tolist() == [0]


def test_missing_numbers_match_no_range_and_stars_count_values() -> None:
    view = view_of({"q": [1, None, 3, None]}, {"q": "quasi"}, [0, 1, 2, 2])
    (label,) = view.labels
    missing = np.array([text is None for text in view.table.quasi[0].texts])
    shares = dict(zip(label.texts, Predicate(0, ~missing, (1.0, 3.0)).share(label), strict=True))
    assert shares == {"1": 1, None: 0, "*": pytest.approx(2 / 3)}


VIEW = view_of(
    {"q": list(range(20)), "r": list("abcde") * 4}, {"q": "quasi", "r": "quasi"}, [0] * 20
)


def _plain(queries: Iterable[AggregateQuery]) -> list[tuple[str, list[tuple[int, list[bool]]]]]:
    return [(q.joined, [(p.attribute, p.matches.tolist()) for p in q.predicates]) for q in queries]


def test_the_workload_is_the_same_every_time() -> None:
    first, again = _plain(workload(VIEW.table.quasi)), _plain(workload(VIEW.table.quasi))
    assert first == again != _plain(workload(VIEW.table.quasi, seed=1))
    assert {joined for joined, _ in first} == {"and", "or"}
    assert all(any(matches) for _, parts in first for _, matches in parts)
    assert [len(list(workload(VIEW.table.quasi, n))) for n in (0, 3)] == [0, 3]


@pytest.mark.parametrize("kind", ["and", "or", "range"])
@pytest.mark.parametrize("n_attributes", [1, 2])
def test_queries_alike_in_kind_and_size(kind: Any, n_attributes: int) -> None:
    queries = _plain(alike_queries(VIEW, kind, n_attributes, 30, 1))
    assert len(queries) == 30
    assert {joined for joined, _ in queries} == {"or" if kind == "or" else "and"}
    assert {len(parts) for _, parts in queries} == {n_attributes}
    sizes = {sum(matches) for _, parts in queries for _, matches in parts}
    assert (sizes == {1}) is (kind != "range")


def test_queries_for_a_missing_value_find_it() -> None:
    view = view_of({"q": [None, None]}, {"q": {"role": "quasi", "kind": "numeric"}}, [0, 0])
    (query,) = alike_queries(view, "and", 1, 1, 0)
    assert query.predicates[0].interval is None
    assert relative_errors(view, [query], np.ones(2)) == [0]


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_where_all_is_missing_queries_ask_for_nothing(kind: str) -> None:
    view = view_of({"q": [None, None]}, {"q": {"role": "quasi", "kind": kind}}, [0, 0])
    queries = list(workload(view.table.quasi, 20))
    assert not any(predicate.matches.any() for q in queries for predicate in q.predicates)
    assert relative_errors(view, queries, np.ones(2)) == []


def test_queries_without_a_true_answer_are_left_out() -> None:
    view = view_of({"q": ["a", "b"]}, {"q": "quasi"}, [0, 0])
    none = AggregateQuery((Predicate(0, np.array([False, False])),), "and")
    one = AggregateQuery((Predicate(0, np.array([True, False])),), "and")
    assert relative_errors(view, [none, one], np.array([1.0, 3.0])) == [1.0]


def test_query_error_of_one_class_by_hand() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "a", "b"], "s": [1, 2, 3, 10]})
    release = release_of(frame, {"q": "quasi", "s": "sensitive"}, 4)
    # Every query asks for a (estimate 2 of 3; sum 8 of 6) or for b (2 of 1; 8 of 10).
    asked = [bool(q.predicates[0].matches[0]) for q in workload(release.measures.view.table.quasi)]  # type: ignore[attr-defined]
    count = np.mean([1 / 3 if a else 1.0 for a in asked])
    total = np.mean([1 / 3 if a else 0.2 for a in asked])
    assert release.measures["query-count"] == pytest.approx(count)
    assert release.measures["query-sum"] == pytest.approx(total)


def test_no_number_no_sum() -> None:
    frame = pl.DataFrame({"q": ["a", "b"], "s": ["x", "y"]})
    assert "query-sum" not in release_of(frame, {"q": "quasi", "s": "sensitive"}, 2).measures


def test_secret_cells_are_answered_from_their_buckets() -> None:
    # Everybody keeps zip secret, in one bucket of x, x, y, z: each cell is x by 1/2.
    view = view_of(
        {"zip": ["x", "x", "y", "z"], "pay": [1, 2, 3, 6]},
        {"zip": "quasi", "pay": {"role": "sensitive", "kind": "numeric"}},
        [0, 0, 0, 0],
    )
    label = replace(
        view.labels[0], texts=(None, None), of_class=np.zeros(1, np.int32), secret=0, withheld=1,
        leaves=np.array([1.0, 3.0]), first=np.zeros(2, np.int64), last=np.full(2, 2),
        sets=None,
    )  # fmt: skip
    bucket = np.zeros(4, np.int32)
    kept = replace(view, labels=[label], buckets={"zip": bucket, "pay": bucket})
    x = AggregateQuery((Predicate(0, np.array([True, False, False])),), "and")
    y = AggregateQuery((Predicate(0, np.array([False, True, False])),), "and")
    # Counts: 4 · 1/2 of 2, and 4 · 1/4 of 1. Sums of pay, whose bucket's mean is 3: 6 of 3, 3 of 3.
    assert relative_errors(kept, [x, y], np.ones(4)) == pytest.approx([0, 0])
    numbers, shown = QuerySum().weights(kept), QuerySum().shown(kept)
    assert numbers is not None
    assert relative_errors(kept, [x, y], numbers, shown) == pytest.approx([1, 0])


def test_secrets_have_query_errors() -> None:
    plan = {"attributes": PATIENT_ATTRIBUTES, "privacy": SECRETS, "method": "lgb-mdp", "seed": 3}
    measures = shoal.run(plan, PATIENTS).measures
    assert 0 < measures["query-count"] < 5
