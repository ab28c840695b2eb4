"""Conditions as sets: each against what it means, value by value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.query.condition import Numbers, Texts, Vocabulary, join_conditions
from shoal._command.query.grammar import QueryError, parse
from shoal.schema import Attribute, HierarchySpec, Kind, Role

LINE = np.array([*np.arange(-6, 7) / 2, np.nan])
NUMBER = Vocabulary("x", Kind.NUMERIC)
MEANING: dict[str, Any] = {
    "<": lambda x, a, b: x < a,
    "<=": lambda x, a, b: x <= a,
    ">": lambda x, a, b: x > a,
    ">=": lambda x, a, b: x >= a,
    "=": lambda x, a, b: x == a,
    "!=": lambda x, a, b: x != a,
    "IN": lambda x, a, b: x in (a, b),
    "BETWEEN": lambda x, a, b: a <= x <= b,
}


def join(where: str, words: Vocabulary) -> Any:
    return join_conditions(parse(f"SELECT COUNT(*) WHERE {where}").conditions, words)


condition = st.tuples(st.sampled_from(sorted(MEANING)), st.integers(-3, 3), st.integers(0, 3))


@given(st.lists(condition, min_size=1, max_size=4))
def test_numbers_match_where_every_condition_holds(conditions: list[tuple[str, int, int]]) -> None:
    texts = []
    for operator, a, more in conditions:
        rest = {"IN": f"({a}, {a + more})", "BETWEEN": f"{a} AND {a + more}"}.get(operator, str(a))
        texts.append(f"x {operator} {rest}")
    joined = join(" AND ".join(texts), NUMBER)
    expected = [all(MEANING[o](x, a, a + m) for o, a, m in conditions) for x in LINE[:-1]]
    assert joined.match(LINE).tolist() == [*expected, False], "what is missing satisfies nothing"
    assert list(joined.spans) == sorted(joined.spans)


@pytest.mark.parametrize(
    ("spans", "low", "high", "expected"),
    [
        (((1, 2), (4, 6)), 4, 6, 1),
        (((1, 2), (4, 6)), 1, 6, None),
        (((1, 2), (4, 6)), 2.5, 3.5, 0),
        (((1, 2), (4, 6)), 6, 9, None),
        ((), 0, 1, 0),
        (((-math.inf, 5),), -math.inf, 4, 1),
    ],
)
def test_a_span_matches_wholly_in_part_or_not(
    spans: Any, low: float, high: float, expected: float | None
) -> None:
    assert Numbers(spans).of_all(low, high) == expected


def test_no_condition_matches_everything() -> None:
    assert join_conditions([], NUMBER) == Numbers()
    assert Numbers().everything
    assert Numbers().match(LINE).all()
    assert join_conditions([], Vocabulary("x", Kind.CATEGORICAL)) == Texts()


JOB = Attribute(
    "x",
    Role.QUASI,
    Kind.CATEGORICAL,
    hierarchy=HierarchySpec("tree", rows=(("nurse", "health", "*"), ("cook", "cook", "*"))),
)


@pytest.mark.parametrize(
    ("where", "matching"),
    [
        ("x = 'a'", {"a"}),
        ("x != 'a'", {"b", "nurse", "cook"}),
        ("x IN ('a', 'b') AND x != 'b'", {"a"}),
        ("x IN ('a', 'b') AND x IN ('b', 'c')", {"b"}),
        ("x = 'health'", {"nurse"}),
        ("x = '*'", {"nurse", "cook"}),
        ("x != '*'", {"a", "b"}),
        ("x = 'cook'", {"cook"}),
        ("x IS MISSING", {""}),
        ("x IS NOT MISSING", {"a", "b", "nurse", "cook"}),
        ("x IS MISSING AND x = 'a'", set()),
    ],
)
def test_texts(where: str, matching: set[str]) -> None:
    joined = join(where, Vocabulary("x", Kind.CATEGORICAL, JOB))
    assert {text for text in ("a", "b", "nurse", "cook", "") if joined.match(text)} == matching
    assert joined.share(["a", "b", "nurse", "cook", ""]) == len(matching) / 5
    assert joined.share([]) == 0


def test_the_order_of_ordinals_is_that_of_the_plan() -> None:
    level = Attribute("x", Role.QUASI, Kind.ORDINAL, values=("low", "mid", "high"))
    words = Vocabulary("x", Kind.ORDINAL, level)
    assert join("x > 'low' AND x <= 'high'", words).allowed == {"mid", "high"}
    with pytest.raises(QueryError, match="not in the plan's list"):
        join("x > 'S3CRET'", words)
    with pytest.raises(QueryError, match="how the values of 'x' are ordered"):
        join("x > 'low'", Vocabulary("x", Kind.ORDINAL))


@pytest.mark.parametrize(
    ("where", "days", "matching"),
    [
        ("x = '1970-01-02'", [0.9999, 1, 1.9999, 2], [1, 2]),
        ("x < '1970-01-02'", [0.9999, 1], [0]),
        ("x > '1970-01'", [30.9999, 31], [1]),
        ("x <= '1970-01-01 12:00'", [0.5, 0.50001], [0]),
    ],
)
def test_a_date_is_all_of_its_day(where: str, days: list[float], matching: list[int]) -> None:
    found = join(where, Vocabulary("x", Kind.DATE)).match(np.array(days))
    assert np.flatnonzero(found).tolist() == matching


def test_every_problem_is_said_at_once() -> None:
    with pytest.raises(QueryError) as caught:
        join("x = 'a' AND x BETWEEN 2 AND 1 AND x IN (1, 'b', 1e999)", NUMBER)
    assert len(caught.value.problems) == 4
