"""Buckets: pointers, order and contents, each at its edge."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Kind, Role
from shoal.verify.secret.bucket import (
    Listing,
    check_order,
    common_codes,
    compare_pointers,
    find_listing,
    read_listing,
)
from shoal.verify.secret.secret import Bucketed
from tests.verify.secret.test_secret import sound
from tests.verify.small import said, text

S = Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL, missing=("?",))
NUMBER = Attribute("s", Role.SENSITIVE, Kind.NUMERIC, missing=("?",))
DATE = Attribute("s", Role.SENSITIVE, Kind.DATE)


def listing(bids: list[int], values: Any) -> Listing:
    return Listing(
        np.array(bids, dtype=np.int64), values if isinstance(values, pl.Series) else text(values)
    )


# Order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "bids", "values", "fine"),
    [
        (S, [1, 1, 2], "abz", True),
        (S, [1, 1, 2], "baz", False),
        (S, [1, 1], "aa", True),
        (S, [1, 2, 1], "abc", False),
        (S, [1, 2, 2], "bab", True),
        (S, [1, 1], ["a", None], True),
        (S, [1, 1], [None, "a"], False),
        (S, [1, 1], [None, None], True),
        (S, [1, 1], ["10", "9"], True),
        (S, [1, 1], ["9", "10"], False),
        (NUMBER, [1, 1], ["9", "10"], True),
        (NUMBER, [1, 1], ["10", "9"], False),
        (NUMBER, [1, 1], ["1", "1.0"], True),
        (NUMBER, [1, 1], ["1.0", "1"], False),
        (DATE, [1, 1], ["2020-01-02", "2020-01-10"], True),
        (DATE, [1, 1], ["2020-01-10", "2020-01-02"], False),
    ],
)
def test_values_rise_in_each_bucket(
    attribute: Attribute, bids: list[int], values: Any, fine: bool
) -> None:
    found = said(check_order(attribute, listing(bids, values)))
    assert (found == "") is fine
    assert fine or f"1 bucket of 's' is not sorted (bucket {1})" in found


def test_the_order_may_be_that_of_the_type_or_of_the_text() -> None:
    numbers = pl.Series([9, 10])
    assert said(check_order(S, listing([1, 1], numbers))) == ""
    assert said(check_order(S, listing([1, 1], numbers.reverse()))) == ""
    assert said(check_order(S, listing([1, 1, 1], pl.Series([9, 11, 10])))) != ""
    assert said(check_order(S, listing([1, 1], ["9", "10"]), untyped=True)) == ""
    assert said(check_order(S, listing([1, 1, 1], ["9", "10", "x"]), untyped=True)) != ""
    mixed = listing([1, 1, 2, 2], ["9", "10", "10", "9"])
    assert "1 bucket of" in said(check_order(S, mixed, untyped=True))


def test_the_order_by_which_fewest_are_wrong_counts() -> None:
    two = listing([1, 1, 2, 2, 3, 3], ["9", "10", "8", "10", "10", "7"])
    assert "1 bucket of 's' is not sorted (bucket 3)" in said(check_order(S, two, untyped=True))


# Pointers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pointing", "bids", "finding"),
    [
        ([1, 2, 2], [1, 2, 2], ""),
        ([1], [1, 2], "1 bucket of 's' has values but no rows (bucket 2)."),
        ([1, 3], [1], "1 bucket of 's' has rows but no values (bucket 3)."),
        ([1, 1], [1], "1 bucket of 's' does not have as many values as rows (bucket 1)."),
        ([1], [1, 1], "1 bucket of 's' does not have as many values as rows (bucket 1)."),
    ],
)
def test_every_bucket_has_as_many_values_as_rows(
    pointing: list[int], bids: list[int], finding: str
) -> None:
    found = compare_pointers(S, np.array(pointing), listing(bids, ["a"] * len(bids)))
    assert said(found) == finding


# The table of buckets --------------------------------------------------------------------------


def read(bids: Any, values: Any, dtype: Any = None) -> tuple[str, Any]:
    bid, value = (x if isinstance(x, pl.Series) else text(x) for x in (bids, values))
    found, read_as = read_listing(S, pl.DataFrame({"BID": bid, "value": value}), dtype)
    return said(found), read_as


def test_a_table_of_buckets() -> None:
    found, read_as = read(["1", "2"], ["a", None])
    assert found == ""
    assert read_as.bids.tolist() == [1, 2]
    assert read_as.values.to_list() == ["a", None]
    assert read(["1"], ["a"], pl.String)[0] == ""
    assert read(["1"], ["a"], pl.Enum(["a"]))[0] == ""
    assert read(["1"], pl.Series([7]), pl.Int64())[0] == ""


@pytest.mark.parametrize(
    ("bids", "values", "dtype", "finding"),
    [
        (["0"], ["a"], None, "1 cell that is not a number in 'BID' (row 1)"),
        (["1", None], ["a", "b"], None, "1 cell that is not a number in 'BID' (row 2)"),
        (["01"], ["a"], None, "1 cell that is not a number in 'BID'"),
        (pl.Series([1]), ["a"], None, "The column 'BID' of the table 'buckets-s' must be text."),
        (["1"], ["a"], pl.Int64(), "do not have the type"),
        (["1"], pl.Series([7]), pl.String(), "do not have the type"),
    ],
)
def test_what_is_no_table_of_buckets(bids: Any, values: Any, dtype: Any, finding: str) -> None:
    found, read_as = read(bids, values, dtype)
    assert finding in found
    assert read_as is None


def test_missing_values_are_empty() -> None:
    found, read_as = read(["1"], ["?"])
    assert "has 1 missing value whose cell is not empty (row 1)" in found
    assert read_as is not None
    odd = pl.DataFrame({"BID": ["1"], "values": ["a"]})
    assert "are not 'BID' and 'value'" in said(read_listing(S, odd, None)[0])


# Values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attribute", "before", "after", "same"),
    [
        (S, "a", "a", True),
        (S, "1", "1.0", False),
        (NUMBER, "1", "1.0", True),
        (NUMBER, "1", "2", False),
        (NUMBER, "x", "x", True),
        (NUMBER, "x", "y", False),
        (NUMBER, "x", "1", False),
        (S, "?", None, True),
        (S, None, None, True),
        (S, "?", "?", False),
        (NUMBER, "?", None, True),
        (S, "a", None, False),
    ],
)
def test_values_are_equal(attribute: Attribute, before: Any, after: Any, same: bool) -> None:
    left, right, n_codes = common_codes(text(["q", before]), text([after, "w"]), attribute)
    assert (left[1] == right[0]) == same
    assert max(*left, *right) < n_codes
    assert left[0] != right[1]


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_the_bounds_of_a_cell_in_a_bucket_are_equal(dtype: Any) -> None:
    case = sound("joined", "columns")
    case = case.with_column(case.tables["data"]["age_high"].cast(dtype))
    age = case.schema["age"]
    assert find_listing(Bucketed.of(case.published), age)[0] == []
    forged = case.with_cell("age_high", 0, "x" if dtype == pl.String else 99)
    (problem,) = find_listing(Bucketed.of(forged.published), age)[0]
    assert "1 cell in a bucket that shows a range (published row 1)" in str(problem)
