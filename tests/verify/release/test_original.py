"""A published table beside the original: no row twice, and how many were never published."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.release.original import comparable, demand_columns, match_rows
from tests.verify.small import said, text

SCHEMA = Schema(
    (
        Attribute("q", Role.QUASI),
        Attribute("s", Role.SENSITIVE),
        Attribute("o", Role.INSENSITIVE, Kind.NUMERIC),
    )
)


def match(s: Any, o: Any, of_s: Any, of_o: Any, **more: Any) -> tuple[Any, Any, str]:
    data = pl.DataFrame([text(s, "s"), text(o, "o")])
    original = pl.DataFrame([text(of_s, "s"), text(of_o, "o")])
    rows, n_unseen, problems = match_rows(data, original, SCHEMA, **more)
    return None if rows is None else rows.tolist(), n_unseen, said(problems)


def test_every_row_finds_one_of_its_own() -> None:
    assert match("ba", "21", "abb", "122") == ([1, 0], 0, "")
    assert match("bb", "22", "abb", "122") == ([1, 2], 1, "")
    assert match(["a"], ["1.0"], ["a"], ["1"]) == ([0], 0, "")
    assert match(["a"], ["-0"], ["a"], ["0.0"]) == ([0], 0, "")


def test_rows_that_the_original_does_not_have() -> None:
    rows, n_unseen, found = match("abc", "111", "ab", "11")
    assert (rows, n_unseen) == (None, None)
    assert "1 rows have sensitive or other unchanged values that no row" in found
    assert "(published row 3)" in found
    rows, _, found = match("aaa", "111", "ab", "11")
    assert rows is None
    assert "in more rows than in the original, by 2 in all" in found
    assert "that no row of the original has" not in found


def test_columns_that_are_not_compared() -> None:
    assert match(["a", None], "11", "xy", "11") == ([0, 1], 0, "")
    assert match("ab", "11", "xy", "11", symbols=("s",)) == ([0, 1], 0, "")
    assert match("ab", "12", "ab", "99", roles=(Role.SENSITIVE,)) == ([0, 1], 0, "")
    assert match([None] * 2, [None] * 2, "a", "1")[2] == (
        "1 more rows are published than the original has."
    )
    assert match([None], [None], "ab", "11")[:2] == ([0], 0)


def test_values_that_are_published_nowhere_count_as_one() -> None:
    assert match("a", "1", "abc", "111")[1] == 1
    assert match("ab", "12", "abba", "1212")[1] == 2
    assert match("ab", "11", "abc", "113")[1] == 1


@pytest.mark.parametrize(
    ("kind", "dtype", "same"),
    [(None, pl.String, False), (Kind.NUMERIC, pl.String, True), (None, pl.Int64, True)],
)
def test_numbers_are_alike_however_written(kind: Any, dtype: Any, same: bool) -> None:
    found = comparable(text(["1", "1.0", " 1"]), Attribute("s", Role.SENSITIVE, kind), dtype())
    assert (found.n_unique() == 1) is same
    other = comparable(text(["x", None]), Attribute("s", Role.SENSITIVE, kind), dtype())
    assert other.to_list() == ["x", None]


def test_a_column_that_the_original_lacks() -> None:
    demand_columns(pl.DataFrame({"q": [1], "s": [1], "o": [1]}), SCHEMA)
    with pytest.raises(DataError, match="The original has no column 'o', but the release does"):
        demand_columns(pl.DataFrame({"q": [1], "s": [1]}), SCHEMA)
