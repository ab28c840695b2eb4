"""What people say of their own cells."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.table import read_own_l, read_secrets
from shoal.table.flag import read_levels
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


def test_own_l_is_never_less_than_what_is_required_for_all() -> None:
    assert read_own_l(pl.Series("l", [5, 1, None]), 2.5).tolist() == [5, 3, 3]
    for wrong in ("0", "-1", "two", "2.5", "9" * 20):
        with pytest.raises(DataError, match=r"1 row \(1\)"):
            read_own_l(pl.Series("l", [wrong, "3"]), 2)


def test_levels_are_words_or_numbers() -> None:
    cells = ["low", "Middle ", "HIGH", "0", "1", "2"]
    assert read_levels(pl.Series("f", cells), "ill").tolist() == [0, 1, 2, 0, 1, 2]
    with pytest.raises(DataError, match=r"the flag 0, 1 or 2, but 2 rows \(2, 3\) do not"):
        read_levels(pl.Series("f", ["0", "3", None]), "ill")
