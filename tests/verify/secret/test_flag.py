"""The flags of cells, by a column or by rules, and the edges of conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Kind, Role
from shoal.verify.secret.flag import meets, read_flags
from tests.verify.small import said, text


def flags(cells: Any, rules: Any, kind: Kind | None = Kind.NUMERIC) -> tuple[list[int], str]:
    attribute = Attribute("s", Role.SENSITIVE, kind, flags=rules, missing=("?",))
    found = read_flags(pl.DataFrame([text(cells, "s")]), attribute)
    return found.heights.tolist(), said(found.problems)


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("x < 2", [True, False, False]),
        ("x <= 2", [True, True, False]),
        ("x > 2", [False, False, True]),
        ("x >= 2", [False, True, True]),
        ("x = 2", [False, True, False]),
        ("x == 2", [False, True, False]),
        ("x != 2", [True, False, True]),
        ("2 <= x", [False, True, True]),
        ("1 < x < 3", [False, True, False]),
        ("x < 2 or x > 2", [True, False, True]),
        ("x >= 1 AND x <= 2", [True, True, False]),
        ("x = 1 or x >= 2 and x < 3", [True, True, False]),
        ("x >= -.5e1", [True, True, True]),
        ("1 < x <= 2 > 1 >= 1 = 1 == 1 != 3", [False, True, False]),
    ],
)
def test_conditions(condition: str, wanted: list[bool]) -> None:
    assert meets(condition, np.array([1.0, 2.0, 3.0])).tolist() == wanted
    assert meets(condition, np.array([np.nan])).tolist() == [False]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "2 < 3",
        "x <",
        "< 2",
        "x 2",
        "x < y",
        "x << 2",
        "x < 2 or",
        "X < 2",
        "x < 1 2",
        "x 1 2",
    ],
)
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(ValueError, match="chain"):
        meets(text, np.array([1.0]))


def test_rules_by_condition_and_default() -> None:
    rules = {"high": "x >= 3", "middle": "2 <= x < 3", "low": "x < 2"}
    assert flags(["1", "2", "3", "?", None], rules) == ([0, 1, 2, 0, 0], "")
    assert flags(["1", "2"], {"high": "x >= 2", "default": "middle"}) == ([1, 2], "")
    assert flags(["1"], {"default": "low"}) == ([0], "")


def test_rules_on_dates() -> None:
    days = ["2019-04-30", " 2019-05-01", "?"]
    assert flags(days, {"high": "x >= 2019-05-01", "default": "low"}, Kind.DATE) == ([0, 2, 0], "")
    assert flags(days, {"high": ["2019-05-01"], "default": "low"}, Kind.DATE) == ([0, 2, 0], "")
    for never in ("x >= 2019", "x >= 2019-02-30"):
        _, found = flags(days, {"high": never, "default": "low"}, Kind.DATE)
        assert "The flag rule 'high' of column 's' cannot be read." in found


@pytest.mark.parametrize(
    ("kind", "condition", "cells"),
    [
        (Kind.NUMERIC, "x <= 0 or x > 0", ["0", "many"]),
        (Kind.DATE, "x <= 1970-01-01 or x > 1970-01-01", ["1970-01-01", "1970-02-30"]),
    ],
)
def test_what_is_no_value_of_its_kind_meets_no_condition(
    kind: Kind, condition: str, cells: list[str]
) -> None:
    heights, found = flags(cells, {"low": condition}, kind)
    assert heights == [0, 2]
    assert found == "Column 's' has 1 cell that no flag rule covers (row 2)."


def test_rules_by_list() -> None:
    assert flags(["1.0", "2"], {"high": [1], "default": "low"}) == ([2, 0], "")
    strict = {"high": ["a"], "low": ("b",)}
    assert flags(["a", "b"], strict, Kind.CATEGORICAL) == ([2, 0], "")
    assert flags(["1.0"], {"high": ["1"], "default": "low"}, Kind.CATEGORICAL) == ([0], "")


@pytest.mark.parametrize(
    ("rules", "kind", "heights", "finding"),
    [
        ({"low": "x < 3", "middle": "x < 2"}, Kind.NUMERIC, [2], "1 cell that several flag rules"),
        ({"low": "x < 1"}, Kind.NUMERIC, [2], "1 cell that no flag rule covers (row 1)"),
        ({"low": "x < 1", "default": "none"}, Kind.NUMERIC, [2], "'default' of column 's' cannot"),
        ({"lowest": "x < 3", "default": "low"}, Kind.NUMERIC, [0], "an unknown flag rule 'lowest'"),
        ({"low": "x <", "default": "low"}, Kind.NUMERIC, [0], "flag rule 'low' of column 's'"),
        ({"low": "x < 3", "default": "low"}, Kind.CATEGORICAL, [0], "flag rule 'low' of column"),
        ({"low": 7, "default": "low"}, Kind.NUMERIC, [0], "flag rule 'low' of column 's' cannot"),
    ],
)
def test_rules_that_do_not_tell(rules: Any, kind: Kind, heights: list[int], finding: str) -> None:
    """What cannot be told counts as high."""
    found = flags(["1"], rules, kind)
    assert found[0] == heights
    assert finding in found[1]


def by_column(cells: Any, **columns: Any) -> tuple[list[int], str]:
    attribute = Attribute("s", Role.SENSITIVE, flag="f")
    frame = pl.DataFrame([text(cells, "s"), *(text(own, n) for n, own in columns.items())])
    found = read_flags(frame, attribute)
    return found.heights.tolist(), said(found.problems)


def test_a_column_of_flags() -> None:
    assert by_column("abcd", f=["0", " LOW", "1", "Middle"]) == ([0, 0, 1, 1], "")
    assert by_column("ab", f=["2", "high "]) == ([2, 2], "")
    heights, found = by_column("abcd", f=["3", None, "-1", "0"])
    assert heights == [2, 2, 2, 0]
    assert "3 cells that are not flags of 's' (original rows 1, 2, 3)" in found
    heights, found = by_column("ab")
    assert heights == [2, 2]
    assert "The flag column 'f' of 's' is not in the original table." in found


def test_without_flags_all_is_low() -> None:
    found = read_flags(pl.DataFrame([text("ab", "s")]), Attribute("s", Role.SENSITIVE))
    assert (found.heights.tolist(), found.problems) == ([0, 0], ())
