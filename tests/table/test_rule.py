"""Rules that give cells their flags."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError, PlanError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode, rule_faults


def _flags(cells: list[Any], rules: dict[str, Any], kind: Kind | None = None) -> list[int]:
    schema = Schema((Attribute("s", Role.SENSITIVE, kind, flags=rules),))
    return encode(pl.DataFrame({"s": cells}), schema).flags["s"].tolist()


def test_rules_by_lists_and_conditions() -> None:
    assert _flags(list("abc"), {"high": ["a"], "middle": ["b"], "default": "low"}) == [2, 1, 0]
    assert _flags([1, 5, 9], {"high": "x >= 9", "low": [1, "5.0"]}) == [0, 0, 2]
    assert _flags(["a", None], {"high": ["a"], "default": "high"}) == [2, 0], "missing is no secret"


@pytest.mark.parametrize(
    ("cells", "rules", "told"),
    [
        (
            [30, 50, 70],
            {"low": "x < 50", "high": "x > 50"},
            r"1 values in 1 row \(2\) have no rule",
        ),
        ([30, 50, 70], {"low": "x < 60", "high": "x > 40"}, r"1 row \(2\) have more than one rule"),
    ],
)
def test_values_without_a_rule_or_with_two_are_told_by_row(
    cells: list[Any], rules: dict[str, Any], told: str
) -> None:
    with pytest.raises(DataError, match=told):
        _flags(cells, rules)


@pytest.mark.parametrize(
    ("rules", "keys"),
    [
        ({"high": ["a"], "middle": "x > 3", "default": "low"}, []),
        ({}, []),
        ({"default": "none"}, ["default"]),
        ({"top": ["a"]}, ["top"]),
        ({"high": []}, ["high"]),
        ({"high": [["a"]]}, ["high"]),
        ({"high": [True]}, ["high"]),
        ({"high": "x"}, ["high"]),
        ({"low": ["a"], "high": ["a"]}, ["high"]),
        ({"low": ["a", "a"]}, []),
        ({"low": [1], "high": ["1"]}, ["high"]),
    ],
)
def test_every_fault_of_rules_is_found(rules: dict[str, Any], keys: list[str]) -> None:
    assert [key for key, _ in rule_faults(rules)] == keys


def test_a_value_is_found_as_text_and_as_number() -> None:
    assert _flags(["1", "2"], {"high": ["1.0"], "default": "low"}, Kind.NUMERIC) == [2, 0]
    assert _flags(["1", "2"], {"high": ["1.0"], "default": "low"}, Kind.CATEGORICAL) == [0, 0]


def test_conditions_and_lists_of_dates() -> None:
    days = ["2019-04-30", "2019-05-01", None, " 2020-01-01"]
    rules = {"high": "x >= 2019-05-01", "default": "low"}
    assert _flags(days, rules, Kind.DATE) == [0, 2, 0, 2]
    assert _flags(days, {"high": ["2020-01-01"], "default": "low"}, Kind.DATE) == [0, 0, 0, 2]


@pytest.mark.parametrize(
    ("cells", "condition", "told"),
    [
        (["2019-05-01"], "x >= 2019", "must compare x with dates"),
        ([1, 2], "x >= 2019-05-01", "must compare x with numbers"),
        (["a", "b"], "x > 3", "must list values"),
    ],
)
def test_a_condition_that_does_not_fit_the_kind_is_a_fault_of_the_plan(
    cells: list[Any], condition: str, told: str
) -> None:
    rules = {"high": condition, "default": "low"}
    with pytest.raises(PlanError, match=told):
        _flags(cells, rules)
    kind = encode(pl.DataFrame({"s": cells}), Schema((Attribute("s", Role.SENSITIVE),)))
    assert [key for key, _ in rule_faults(rules, kind.schema["s"].kind)] == ["high"]
