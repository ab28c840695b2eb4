"""What people say of their own cells: columns, conditions and rules."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode, read_own_l, read_secrets
from shoal.table.condition import Condition
from tests.papers.mhsa import twin as twin


@pytest.mark.parametrize(
    "cells",
    [["Yes", "no ", "yes"], [True, False, True], [1, 0, 1], ["1", "0", "TRUE"]],
    ids=["words", "booleans", "numbers", "texts"],
)
def test_secrets_are_read_from_any_kind_of_yes_and_no(cells: list[Any]) -> None:
    assert read_secrets(pl.Series("f", cells), "zip").tolist() == [1, 0, 1]


@pytest.mark.parametrize("wrong", ["maybe", "", None, "2", "y"])
def test_anything_else_is_an_error_that_names_rows_and_no_value(wrong: Any) -> None:
    with pytest.raises(DataError) as told:
        read_secrets(pl.Series("f", ["yes", wrong, "no", wrong]), "zip")
    [problem] = told.value.problems
    assert "2 rows (2, 4)" in problem.text
    assert not wrong or repr(wrong) not in problem.text


def test_own_l_is_never_less_than_what_is_asked_of_all() -> None:
    assert read_own_l(pl.Series("l", [5, 1, None]), 2.5).tolist() == [5, 3, 3]
    for wrong in ("0", "-1", "two", "2.5", "9" * 20):
        with pytest.raises(DataError, match=r"1 row \(1\)"):
            read_own_l(pl.Series("l", [wrong, "3"]), 2)


NUMBERS = st.integers(-5, 5).map(str) | st.sampled_from(["0.5", "-2.5", "3e0"])
SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@st.composite
def conditions(draw: st.DrawFn) -> str:
    chains = []
    for _ in range(draw(st.integers(1, 3))):
        sides = draw(st.permutations(["x", *draw(st.lists(NUMBERS, min_size=1, max_size=2))]))
        words = [sides[0]]
        for side in sides[1:]:
            words += [draw(SIGNS), side]
        chains.append(" ".join(words))
    joints = [draw(st.sampled_from([" and ", " or "])) for _ in chains[1:]]
    return chains[0] + "".join(j + c for j, c in zip(joints, chains[1:], strict=True))


@given(conditions())
def test_conditions_mean_what_the_twin_says(text: str) -> None:
    numbers = [-6, -2.5, -1, 0, 0.5, 1, 3, 5, 7]
    found = Condition.parse(text).holds(np.array(numbers, dtype=float)).tolist()
    assert found == [twin.holds(text, n) for n in numbers]


@pytest.mark.parametrize(
    "text", ["", "x", "x <", "1 < 2", "x < y", "x < 1 and", "f(x) > 1", "x<1;"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must compare|cannot be read"):
        Condition.parse(text)


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
            r"1 row \(2\) hold one of 1 values that no",
        ),
        ([30, 50, 70], {"low": "x < 60", "high": "x > 40"}, r"1 row \(2\) .* more than one rule"),
        (["a", "b"], {"high": "x > 3", "default": "low"}, "no numbers"),
    ],
)
def test_values_without_a_rule_or_with_two_are_told_by_row(
    cells: list[Any], rules: dict[str, Any], told: str
) -> None:
    with pytest.raises(DataError, match=told):
        _flags(cells, rules)
