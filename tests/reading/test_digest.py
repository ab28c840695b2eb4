"""Digests of rows: equal exactly where the text, or the number that it is, is equal."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.reading.digest import hash_rows

_ROWS = pl.DataFrame({"a": ["1", None, "x", "x"], "b": ["y", "", "2.50", None]})


@pytest.mark.parametrize("numbers", [True, False])
def test_dictionaries_are_text(numbers: bool) -> None:
    plain = hash_rows(_ROWS, 4, 3, numbers=numbers)
    for kind in (pl.Categorical, pl.Enum(["1", "x", "y", "", "2.50"])):
        coded = _ROWS.with_columns(pl.all().cast(kind))
        assert (hash_rows(coded, 4, 3, numbers=numbers) == plain).all()
    assert len(set(plain.tolist())) == 4


def test_columns_and_seeds_are_told_apart() -> None:
    swapped = _ROWS.select("b", "a")
    differ = hash_rows(_ROWS, 4) != hash_rows(swapped, 4)
    assert differ.tolist() == [True, False, True, True]
    assert (hash_rows(_ROWS, 4, 1) != hash_rows(_ROWS, 4, 2)).all()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("7", "7.0", True), ("7", "007", False), ("7", "7.1", False), ("", None, True),
     ("x", "X", False), ("1e3", "1000", True), ("nan", "NaN", False),
     ("9007199254740992", "9007199254740993", False), ("1e14", "100000000000000", True),
     ("1e17", "100000000000000000.0", True)],
)  # fmt: skip
def test_numbers_are_their_values(one: str | None, other: str | None, same: bool) -> None:
    found = [hash_rows([pl.Series([t], dtype=pl.String)], 1)[0] for t in (one, other)]
    assert (found[0] == found[1]) == same
