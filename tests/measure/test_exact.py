"""Small cases by hand: entropy, query error, learning, and the measures of ladders."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure.query import Predicate, Query, workload
from shoal.recode import generalise
from shoal.table import encode


def _release(frame: pl.DataFrame, attributes: dict[str, Any], k: int, **more: Any) -> shoal.Release:
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": k}}], "seed": 1, **more}
    return shoal.run(plan, frame)


def test_entropy_of_one_class_is_everything() -> None:
    frame = pl.DataFrame({"q": ["a", "b", "c", "d"]})
    assert _release(frame, {"q": "quasi"}, 4).measures["entropy"] == pytest.approx(1.0)


def test_entropy_of_pairs() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2, 8, 8, 9, 9]})
    # Each cell is one of 4 rows in its range, and was one of 2: 1 bit lost of 2 that there were.
    measures = _release(frame, {"q": "quasi"}, 4).measures
    assert measures["entropy"] == pytest.approx(0.5)


def test_nothing_lost_nothing_wrong() -> None:
    frame = pl.DataFrame({"q": [1, 1, 2, 2], "r": list("xxyy"), "s": [10, 20, 30, 40]})
    attributes = {"q": "quasi", "r": "quasi", "s": "sensitive"}
    measures = _release(frame, attributes, 2).measures
    assert measures["entropy"] == 0
    assert measures["query-count"] == 0
    assert measures["query-sum"] == pytest.approx(0)


def _labels(frame: pl.DataFrame, attributes: dict[str, Any], k: int) -> Any:
    release = _release(frame, attributes, k)
    return release.measures.view.labels  # type: ignore[attr-defined]


def test_share_of_a_range_counts_its_integers() -> None:
    frame = pl.DataFrame({"q": [1, 2, 3, 4]})
    (label,) = _labels(frame, {"q": "quasi"}, 4)
    wanted = np.array([True, True, False, False])
    assert Predicate(0, wanted, (1.0, 2.0)).share(label).tolist() == [0.5]


def test_share_of_a_range_of_fractions_is_length() -> None:
    frame = pl.DataFrame({"q": [0.0, 0.5, 2.0]})
    (label,) = _labels(frame, {"q": "quasi"}, 3)
    wanted = np.array([True, True, False])
    assert Predicate(0, wanted, (0.0, 0.5)).share(label).tolist() == [0.25]


def test_share_of_a_set_and_of_a_node_counts_values() -> None:
    frame = pl.DataFrame({"q": ["a", "b", "c"], "r": ["x", "y", "z"]})
    set_label, node = _labels(frame, {"q": "quasi", "r": {"role": "quasi", "hierarchy": "flat"}}, 3)
    wanted = np.array([True, False, False])
    assert Predicate(0, wanted).share(set_label).tolist() == [pytest.approx(1 / 3)]
    assert Predicate(1, wanted).share(node).tolist() == [pytest.approx(1 / 3)]


def test_and_or() -> None:
    shares = [np.array([0.5, 1.0]), np.array([0.5, 0.0])]
    assert Query((), "and").combine(shares).tolist() == [0.25, 0.0]
    assert Query((), "or").combine(shares).tolist() == [0.75, 1.0]


def test_the_workload_is_the_same_every_time() -> None:
    frame = pl.DataFrame({"q": list(range(20)), "r": list("abcde") * 4})
    plan = {"attributes": {"q": "quasi", "r": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]}
    table = encode(frame, shoal.Plan.of(plan).schema)
    first = [(q.joined, [p.wanted.tolist() for p in q.predicates]) for q in workload(table.quasi)]
    again = [(q.joined, [p.wanted.tolist() for p in q.predicates]) for q in workload(table.quasi)]
    assert first == again
    assert {joined for joined, _ in first} == {"and", "or"}
    assert all(any(wanted) for _, parts in first for wanted in parts)


def test_query_error_of_one_class_by_hand() -> None:
    frame = pl.DataFrame({"q": ["a", "a", "a", "b"], "s": [1, 2, 3, 10]})
    release = _release(frame, {"q": "quasi", "s": "sensitive"}, 4)
    # Every query asks for a (estimate 2 of 3; sum 8 of 6) or for b (2 of 1; 8 of 10).
    asked = [bool(q.predicates[0].wanted[0]) for q in workload(release.measures.view.table.quasi)]  # type: ignore[attr-defined]
    count = np.mean([1 / 3 if a else 1.0 for a in asked])
    total = np.mean([1 / 3 if a else 0.2 for a in asked])
    assert release.measures["query-count"] == pytest.approx(count)
    assert release.measures["query-sum"] == pytest.approx(total)


def test_no_number_no_sum() -> None:
    frame = pl.DataFrame({"q": ["a", "b"], "s": ["x", "y"]})
    assert "query-sum" not in _release(frame, {"q": "quasi", "s": "sensitive"}, 2).measures


def test_learning_from_the_original_loses_nothing_and_from_stars_everything() -> None:
    pytest.importorskip("sklearn")
    frame = pl.DataFrame({"q": [1, 2] * 60, "s": ["x", "y"] * 60})
    attributes = {"q": "quasi", "s": "sensitive"}
    assert _release(frame, attributes, 10).measures["ml-utility"] == pytest.approx(0)
    assert _release(frame, attributes, 120).measures["ml-utility"] == pytest.approx(1)


def _ladder(k: int) -> shoal.Release:
    frame = pl.DataFrame({"q": list("aaabbc")})
    rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    attributes = {"q": {"role": "quasi", "hierarchy": {"rows": rows}}}
    return _release(frame, attributes, k, method="ka")


def test_measures_of_a_ladder_by_hand() -> None:
    measures = _ladder(2).measures
    # a and b are released at level 1 of 3; c alone is suppressed.
    assert measures["isr"] == pytest.approx(1 / 6)
    assert measures["igr"] == pytest.approx(5 / (3 * 5))
    assert measures["ilr"] == pytest.approx(1 / 6 + 1 / 3)
    # c needs anonymising and is not published: one false negative, nothing else touched.
    assert measures["f1"] == 0
    assert (measures["precision"], measures["recall"]) == (1, 0)


def test_f1_of_a_ladder_that_helps() -> None:
    measures = _ladder(5).measures
    # Nobody has 5 alike; a and b are released together at level 2, c is suppressed.
    assert measures["igr"] == pytest.approx(2 / 3)
    assert measures["f1"] == pytest.approx(2 * 5 / (2 * 5 + 1))
    assert measures["precision"] == 1
    assert measures["recall"] == pytest.approx(5 / 6)


def test_parts_of_a_measure_are_not_in_the_manifest() -> None:
    measures = _ladder(5).measures
    parts = {"precision", "recall", "infoloss-quasi", "infoloss-sensitive"}
    assert parts <= set(measures)
    assert parts.isdisjoint(measures.quick)


def test_a_ladder_that_touches_nobody() -> None:
    measures = _ladder(1).measures
    assert (measures["isr"], measures["f1"]) == (0, 1)


def test_only_ladders_have_levels() -> None:
    frame = pl.DataFrame({"q": list("aabb")})
    assert "ilr" not in _release(frame, {"q": "quasi"}, 2).measures


def test_generalised_totals_sum_what_is_covered() -> None:
    frame = pl.DataFrame({"q": list("aabbcc")})
    release = _release(frame, {"q": "quasi"}, 3)
    view = release.measures.view  # type: ignore[attr-defined]
    (label,) = generalise(view.table, view.partition)
    assert sorted(label.total(np.array([1.0, 10.0, 100.0])).tolist()) == sorted(
        sum({"a": 1, "b": 10, "c": 100}[x] for x in text.strip("{}").split(", "))
        for text in label.texts
        if text is not None
    )
