"""Buckets: pointers, order and contents, each at its edge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Kind, Layout, Role, Schema
from shoal.verify.secret.bucket import (
    Listing,
    bucket_classes,
    check_buckets,
    check_order,
    common_codes,
    compare_pointers,
    find_listing,
    read_listing,
)
from shoal.verify.secret.secret import Bucketed
from tests.verify.secret.test_secret import sound
from tests.verify.small import release_of, said, text

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
    for unlike in (["9", "10", "x"], ["x", "9", "10"]):
        assert said(check_order(S, listing([1, 1, 1], unlike), untyped=True)) != ""
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


def test_many_buckets_are_not_all_named() -> None:
    for n_more, named in ((5, "buckets 2, 3, 4, 5, 6"), (6, "buckets 2, 3, 4, 5, 6, …")):
        bids = list(range(1, n_more + 2))
        (problem,) = compare_pointers(S, np.array([1]), listing(bids, ["a"] * len(bids)))
        assert str(problem) == f"{n_more} buckets of 's' have values but no rows ({named})."


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
        (["1"], pl.Series([7]), pl.String(), "must be text or of the type of the original"),
        (["1"], pl.Series([7.0]), pl.Int64(), "must be text or of the type of the original"),
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
        (NUMBER, "0.5", "0.25", False),
        (NUMBER, "0.5", "0.50", True),
        (NUMBER, "x", "x", True),
        (NUMBER, "x", "y", False),
        (NUMBER, "x", "1", False),
        (S, "?", None, True),
        (S, None, None, True),
        (S, "?", "?", False),
        (NUMBER, "?", None, True),
        (NUMBER, "0", "", False),
        (NUMBER, "0", None, False),
        (NUMBER, "?", "", False),
        (NUMBER, 2**53 + 1, 2**53, False),
        (NUMBER, 2**53 + 1, f"+{2**53 + 1}", True),
        (NUMBER, 2**53 + 2, float(2**53 + 2), True),
        (NUMBER, "1e16", 10**16, True),
        (NUMBER, -(2**53) - 1, -(2**53), False),
        (S, "a", None, False),
    ],
)
def test_values_are_equal(attribute: Attribute, before: Any, after: Any, same: bool) -> None:
    left, right, n_codes = common_codes(text(["q", before]), text([after, "w"]), attribute)
    assert (left[1] == right[0]) == same
    assert max(*left, *right) < n_codes
    assert left[0] != right[1]


def test_large_numbers_are_as_precise_as_their_column() -> None:
    after = text([10**16 + 1])
    for before, same in ((pl.Series([10**16]), False), (pl.Series([1e16]), True)):
        left, right, _ = common_codes(before, after, NUMBER)
        assert (left[0] == right[0]) is np.bool_(same)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Float64, pl.String])
def test_the_bounds_of_a_cell_in_a_bucket_are_equal(dtype: Any) -> None:
    case = sound("joined", "columns")
    case = case.with_column(case.tables["data"]["age_high"].cast(dtype))
    age = case.schema["age"]
    assert find_listing(Bucketed.of(case.published), age)[0] == []
    forged = case.with_cell("age_high", 0, "x" if dtype == pl.String else 99)
    (problem,) = find_listing(Bucketed.of(forged.published), age)[0]
    assert "1 cell in a bucket that shows a range (published row 1)" in str(problem)


# Entries that are nobody's ---------------------------------------------------------------------


def release(own: dict[str, str], held: dict[str, str], n_extra: int = 0) -> Bucketed:
    """What the people of each bucket have, and what the bucket holds."""
    cells = [cell for cells in own.values() for cell in cells]
    pointers = [bid for bid, cells in own.items() for _ in cells]
    rows = [(bid, cell) for bid, cells in held.items() for cell in cells]
    table = pl.DataFrame(rows, schema={"BID": pl.String, "value": pl.String}, orient="row")
    published = release_of({"s_BID": pointers}, {"s": cells}, Schema((S,)))
    return Bucketed.of(
        replace(
            published,
            tables={**published.tables, "buckets-s": table},
            layout=Layout.SPLIT,
            counterfeits={"s": n_extra} if n_extra else {},
        )
    )


@pytest.mark.parametrize(
    ("own", "held", "n_extra", "finding"),
    [
        ({"1": "ab"}, {"1": "ab"}, 0, ""),
        ({"1": "ab"}, {"1": "abc"}, 1, ""),
        ({"1": "ab", "2": "cd"}, {"1": "abc", "2": "bcdd"}, 3, ""),
        (
            {"1": "ab"},
            {"1": "abcd"},
            3,
            "There must be 3 counterfeit entries in the buckets of 's', but there are 2.",
        ),
        (
            {"1": "ab"},
            {"1": "ab"},
            2,
            "There must be 2 counterfeit entries in the buckets of 's', but there are 0.",
        ),
        (
            {"1": "ab"},
            {"1": "acd"},
            1,
            "1 bucket of 's' does not hold the values of its rows (bucket 1).",
        ),
        (
            {"1": "ab", "2": "cc"},
            {"1": "abc", "2": "cd"},
            1,
            "1 bucket of 's' does not hold the values of its rows (bucket 2).",
        ),
        (
            {"1": "ab", "2": "cd"},
            {"1": "a", "2": "bcde"},
            1,
            "1 bucket of 's' does not have as many values as rows (bucket 1).\n"
            "1 bucket of 's' does not hold the values of its rows (bucket 1).",
        ),
    ],
)
def test_a_bucket_may_hold_more_than_its_rows_where_the_release_says_how_much(
    own: Any, held: Any, n_extra: int, finding: str
) -> None:
    assert said(check_buckets(release(own, held, n_extra))) == finding


def test_entries_that_are_nobodys_must_be_said() -> None:
    found = said(check_buckets(release({"1": "ab"}, {"1": "abc"})))
    assert "1 bucket of 's' does not have as many values as rows (bucket 1)." in found
    assert "1 bucket of 's' does not hold the values of its rows (bucket 1)." in found


def test_what_a_bucket_holds_beyond_its_rows_is_judged_with_them() -> None:
    """What is told apart there is what is published."""
    for n_extra, held in ((0, {"1": "ab", "2": "c"}), (2, {"1": "aab", "2": "cd"})):
        rows, classes = bucket_classes(release({"1": "ab", "2": "c"}, held, n_extra), S)
        assert rows.tolist() == [0, 1, 2]
        assert classes.numbers.tolist() == [1, 2]
        assert classes.table["s"].to_list() == list("".join(held.values()))
        assert classes.n_rows.tolist() == [len(cells) for cells in held.values()]


# A whole release -------------------------------------------------------------------------------


def pointing(pointers: pl.Series) -> str:
    """What is found where the people of buckets 1 and 2 point elsewhere."""
    published = release({"1": "a", "2": "b"}, {"1": "a", "2": "b"})
    data = published.data.with_columns(pointers.alias("s_BID"))
    return said(check_buckets(replace(published, tables={**published.tables, "data": data})))


def test_buckets_are_numbered_as_they_appear() -> None:
    assert pointing(text(["1", "2"])) == ""
    assert "does not number buckets as they appear in 1 cell (published row 1)" in pointing(
        text(["2", "1"])
    )
    assert "does not number buckets as they appear in 1 cell (published row 2)" in pointing(
        text(["1", "3"])
    )


def test_a_pointer_that_is_no_number_has_no_place_among_them() -> None:
    found = pointing(text(["x", "1"]))
    assert "Column 's_BID' has 1 cell that is not a number (published row 1)." in found
    assert "as they appear" not in found


def test_pointers_that_are_not_text_are_told_elsewhere() -> None:
    assert pointing(pl.Series([1.0, 2.0])) == ""


def test_what_is_read_without_the_original_may_have_any_type() -> None:
    published = release({"1": "1"}, {"1": "1"})
    whole = pl.DataFrame({"s": [1]})
    assert find_listing(replace(published, original=whole), S, alone=False)[1] is not None
    typed = {**published.tables, "buckets-s": published.tables["buckets-s"].with_columns(value=1.0)}
    published = replace(published, original=whole, tables=typed)
    assert find_listing(published, S)[1] is not None
    problems, nothing = find_listing(published, S, alone=False)
    assert "must be text or of the type of the original" in said(problems)
    assert nothing is None
    assert said(check_buckets(published, alone=True)) == ""
    assert said(check_buckets(published)) == said(problems)
