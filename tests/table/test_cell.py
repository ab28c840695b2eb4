"""The cells of a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.table.cell import dictionary, dictionary_codes, rows_text


@pytest.mark.parametrize(
    ("cells", "texts", "codes"),
    [
        (["b", "a", "b"], ["b", "a"], [0, 1, 0]),
        ([1.5, None, 1.5], ["1.5", None], [0, 1, 0]),
        ([True, False], ["true", "false"], [0, 1]),
        ([], [], []),
    ],
)
def test_distinct_texts_in_order_of_appearance(
    cells: list[Any], texts: list[str | None], codes: list[int]
) -> None:
    found, places = dictionary(pl.Series("x", cells))
    assert (found, places.tolist()) == (texts, codes)


def test_codes_alone_mark_null() -> None:
    assert dictionary_codes(pl.Series(["b", None, "a", "b"])).tolist() == [0, -1, 1, 0]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([6], "1 row (7)"),
        ([0, 1, 2], "3 rows (1, 2, 3)"),
        ([0, 1, 2, 3], "4 rows (1, 2, 3, …)"),
    ],
)
def test_three_rows_are_listed(rows: list[int], text: str) -> None:
    assert rows_text(np.array(rows)) == text
