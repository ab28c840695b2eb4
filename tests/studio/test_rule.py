from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.errors import PlanError
from shoal.schema import Attribute, Kind, Role
from shoal.studio.counted import CountedColumn
from shoal.studio.rule import MOST, rules_given, rules_of


def counted(cells: list[str], counts: list[int], kind: Kind = Kind.CATEGORICAL) -> CountedColumn:
    attribute = Attribute("illness", Role.SENSITIVE, kind)
    return CountedColumn(pl.Series("illness", cells), np.array(counts), attribute)


def test_every_value_has_its_rows_and_its_flag() -> None:
    rules, problems = rules_of(
        3, counted(["flu", "HIV", "gout"], [5, 1, 9]), {"high": ["HIV"], "default": "low"}
    )
    assert problems == ()
    assert [(v.text, v.rows, v.flag) for v in rules.values] == [
        ("gout", 9, "low"), ("flu", 5, "low"), ("HIV", 1, "high"),
    ]  # fmt: skip
    assert rules.parts == (("low", 14), ("middle", 0), ("high", 1))
    assert (rules.number, rules.total, rules.conditions) == (3, 15, None)


def test_rules_that_leave_values_out_are_shown_with_the_reason() -> None:
    rules, problems = rules_of(0, counted(["flu", "HIV"], [5, 1]), {"high": ["HIV"]})
    assert "no rule" in problems[0].text
    assert [v.flag for v in rules.values] == [None, None]


def test_conditions_on_numbers() -> None:
    numbers = counted(["10", "20", "30"], [1, 2, 4], Kind.NUMERIC)
    rules, problems = rules_of(0, numbers, {"high": "x > 20", "default": "low"})
    assert problems == ()
    assert rules.conditions == {"low": "", "middle": "", "high": "x > 20"}
    assert rules.parts == (("low", 3), ("middle", 0), ("high", 4))
    _, problems = rules_of(0, numbers, {"high": "x is big"})
    assert "high" in problems[0].text


def test_only_so_many_values_are_shown() -> None:
    many = counted([f"v{i}" for i in range(MOST + 5)], [1] * (MOST + 5))
    rules, _ = rules_of(0, many, {"default": "low"})
    assert (len(rules.values), rules.n_values) == (MOST, MOST + 5)


def test_forms_become_rules() -> None:
    assert rules_given({"begin": "1"}, None) == {"default": "low"}
    assert rules_given({"remove": "1"}, {"high": ["HIV"]}) is None
    assert rules_given({"low": "x < 3", "middle": "", "high": "[3, 4]", "default": ""}, {}) == {
        "low": "x < 3", "high": [3, 4],
    }  # fmt: skip
    before = {"high": ["HIV", "rare"], "default": "low"}
    assert rules_given({"v0": "HIV", "f0": "low", "v1": "flu", "f1": "middle"}, before) == {
        "middle": ["flu"], "high": ["rare"], "default": "low",
    }  # fmt: skip
    with pytest.raises(PlanError):
        rules_given({"v0": "HIV", "f0": "never"}, {})
