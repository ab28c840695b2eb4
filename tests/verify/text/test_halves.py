"""Releases in two tables that the class links, and what the audit tells of symbols."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.schema import (
    Attribute,
    HierarchySpec,
    Individual,
    Kind,
    Layout,
    Requirement,
    Role,
    Schema,
)
from shoal.verify import Published, audit_table, verify_release
from shoal.verify.model.recount import LINKED, SYMBOLS
from shoal.verify.text.halves import are_sorted, check_halves, join_halves
from tests.verify.small import release_of, said
from tests.verify.symbol_cases import Case, random_case

Halves = dict[str, pl.DataFrame]


def in_two(seed: int = 1) -> Case:
    case = random_case(seed, "interval", "width", False)
    assert case is not None
    return replace(case, split=case.halves())


def test_sound_halves_hold() -> None:
    for seed in range(5):
        in_two(seed).verify()


def swap_rows(table: pl.DataFrame) -> pl.DataFrame:
    """Two rows of one class in each other's place, where they differ."""
    rows = table.rows()
    for i in range(len(rows) - 1):
        if rows[i][0] == rows[i + 1][0] and rows[i] != rows[i + 1]:
            order = np.arange(len(rows))
            order[[i, i + 1]] = [i + 1, i]
            return table[order]
    raise AssertionError("all rows are alike")


def other_gid(table: pl.DataFrame) -> pl.DataFrame:
    gids = table["GID"].to_list()
    gids[0] = next(g for g in gids if g != gids[0])
    return table.with_columns(pl.Series("GID", gids))


def change(half: str, how: Callable[[pl.DataFrame], pl.DataFrame]) -> Callable[[Halves], Halves]:
    return lambda halves: {**halves, half: how(halves[half])}


SPOILT: dict[str, tuple[Callable[[Halves], Halves], str]] = {
    "unsorted": (change("sensitive", swap_rows), "2 rows are not those of their class"),
    "sorted as text": (
        change("sensitive", lambda t: t.sort("GID", descending=True)),
        "rows are not those of their class in 'sensitive'",
    ),
    "class of data": (change("data", other_gid), "1 row has the GID of another class"),
    "class of sensitive": (change("sensitive", other_gid), "row is not one of its class"),
    "cell of data": (
        change("data", lambda t: t.with_columns(pl.lit("*").alias("age"))),
        "'age' of the table 'data' has",
    ),
    "row lost": (change("sensitive", lambda t: t[1:]), "The published table 'sensitive' must have"),
    "order of data": (change("data", lambda t: t[::-1]), "of the table 'data' has"),
    "sensitive in data": (
        change("data", lambda t: t.with_columns(pl.lit("x").alias("ill"))),
        "table 'data' does not have the required columns",
    ),
    "column lost": (change("sensitive", lambda t: t.drop("ill")), "'sensitive' does not have"),
    "table lost": (lambda h: {"data": h["data"]}, "'sensitive' does not have the required columns"),
    "table more": (lambda h: {**h, "rest": h["data"]}, "'rest' does not have the required columns"),
    "numbers": (
        change("data", lambda t: t.with_columns(pl.col("GID").cast(pl.Int64))),
        "'GID' of the table 'data' is not text",
    ),
}


@pytest.mark.parametrize("name", SPOILT)
def test_spoilt_halves(name: str) -> None:
    case = in_two()
    spoil, finding = SPOILT[name]
    with pytest.raises(VerificationError) as error:
        replace(case, split=spoil(case.halves())).verify()
    assert finding in "\n".join(map(str, error.value.problems))


K = Requirement("k-anonymity", {"k": 2})
L = Requirement("l-diversity", {"l": 2, "kind": "distinct"})
SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI, Kind.NUMERIC),
        Attribute("ill", Role.SENSITIVE, Kind.CATEGORICAL, hierarchy=HierarchySpec("flat")),
        Attribute("job", Role.SENSITIVE, Kind.CATEGORICAL),
        Attribute("note", Role.INSENSITIVE, Kind.CATEGORICAL),
    )
)
ORIGINAL = pl.DataFrame(
    {
        "age": ["30", "34", "51", "58"],
        "ill": ["flu", "hiv", "flu", "gout"],
        "job": ["cook", "smith", "cook", "cook"],
        "note": ["w", "x", "y", "z"],
    }
)
DATA = pl.DataFrame(
    {
        "age": ["[51, 58]", "[30, 34]", "[51, 58]", "[30, 34]"],
        "ill": ["flu", "*", "gout", "flu"],
        "job": ["cook", "smith", "cook", "cook"],
        "note": ["y", "x", "z", "w"],
    }
)
FIRST = pl.DataFrame({"GID": ["2", "10", "2", "10"], "age": DATA["age"], "note": DATA["note"]})
SECOND = pl.DataFrame(
    {
        "GID": ["2", "2", "10", "10"],
        "ill": ["flu", "gout", "*", "flu"],
        "job": ["cook", "cook", "smith", "cook"],
    }
)


def notes(found: Any) -> list[tuple[Any, ...]]:
    return [(v.attribute, v.holds, v.reached, v.note) for v in found.verdicts]


def test_symbols_are_neither_compared_nor_judged() -> None:
    found = audit_table(DATA, SCHEMA, [K, L], ORIGINAL, symbols=["ill"])
    assert found.problems == ()
    size, ill, job = notes(found)
    assert (size[1], ill) == (True, ("ill", None, None, SYMBOLS))
    assert job[:3] == ("job", False, 1)
    assert len(audit_table(DATA, SCHEMA, [K, L], ORIGINAL).problems) == 1
    assert notes(audit_table(DATA, SCHEMA, [L], symbols=["ill"]))[1] == job


def test_sizes_alone_may_decide() -> None:
    asked = Requirement("l-diversity", {"l": 3, "kind": "distinct"})
    (ill, _) = audit_table(DATA, SCHEMA, [asked], symbols=["ill"]).verdicts
    assert ill.holds is False


def test_equal_rows_of_a_person_may_hide_different_values() -> None:
    schema = replace(SCHEMA, individual=Individual("Id_num"))
    data = DATA.with_columns(pl.lit("*").alias("ill"), pl.lit("w").alias("note"))
    data = data.with_columns(pl.lit("cook").alias("job"), pl.Series("Id_num", ["1", "2", "1", "3"]))
    found = audit_table(data.select("Id_num", *DATA.columns), schema, [K], symbols=["ill"])
    assert found.problems == ()


def test_two_tables_are_counted_as_one() -> None:
    found = audit_table(FIRST, SCHEMA, [K, L], ORIGINAL, symbols=["ill"], sensitive=SECOND)
    assert found.problems == ()
    size, ill, job = notes(found)
    assert (size[1:3], ill[3], job[:3]) == ((True, 2), SYMBOLS, ("job", False, 1))
    assert (
        found.verdicts[2].offending
        == audit_table(DATA, SCHEMA, [L], ORIGINAL, symbols=["ill"]).verdicts[1].offending
    )
    assert found.assigned is not None
    assert found.assigned.rows is not None


def test_whose_values_are_in_two_tables_is_not_told() -> None:
    schema = replace(SCHEMA, individual=Individual("Id_num"))
    ids = FIRST.with_columns(pl.Series("Id_num", ["1", "2", "3", "4"]))
    found = audit_table(ids, schema, [L], ORIGINAL, symbols=["ill"], sensitive=SECOND)
    assert [v.note for v in found.verdicts] == [SYMBOLS, LINKED]


Change = Callable[[pl.DataFrame], pl.DataFrame]


def same(table: pl.DataFrame) -> pl.DataFrame:
    return table


def having(column: str, *cells: str) -> Change:
    return lambda table: table.with_columns(pl.Series(column, cells))


def in_lists(column: str) -> Change:
    return lambda table: table.with_columns(pl.concat_list(column))


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (same, lambda t: t[1:], "1 class does not have as many rows"),
        (same, other_gid, "2 classes do not have as many rows"),
        (lambda t: t.drop("GID"), same, "'GID' is not in the table 'data'"),
        (same, lambda t: t.drop("job"), "'sensitive' does not have the columns of the manifest"),
        (lambda t: DATA.with_columns(t["GID"]), same, "Column 'ill' is in 'data'"),
        (same, lambda t: t[[1, 0, 2, 3]], "'sensitive' are not sorted"),
        (same, lambda t: t[[2, 3, 0, 1]], "'sensitive' are not sorted"),
        (same, in_lists("job"), "The table 'sensitive' has cells that have no text form"),
        (same, in_lists("GID"), "The table 'sensitive' has cells that have no text form"),
        (in_lists("GID"), same, "The table 'data' has cells that have no text form"),
        (same, having("job", "cook", "boss", "smith", "cook"), "no row"),
        (having("note", "y", "x", "z", "v"), same, "no row of the"),
        (
            having("age", "[51, 58]", "[30, 34]", "*", "*"),
            same,
            "have different published labels in 2 classes",
        ),
    ],
)
def test_two_tables_that_do_not_fit(first: Change, second: Change, text: str) -> None:
    tables = first(FIRST), second(SECOND)
    found = audit_table(tables[0], SCHEMA, [K, L], ORIGINAL, symbols=["ill"], sensitive=tables[1])
    assert text in "\n".join(map(str, found.problems))


@pytest.mark.parametrize(
    ("gids", "ill", "job", "holds"),
    [
        ([2, 10], ["b", "a"], ["x", "x"], True),
        ([10, 2], ["a", "b"], ["x", "x"], False),
        ([1, 1], ["a", "b"], ["y", "x"], True),
        ([1, 1], ["b", "a"], ["x", "y"], False),
        ([1, 1], ["a", "a"], ["x", "y"], True),
        ([1, 1], ["a", "a"], ["y", "x"], False),
        ([1, 1, 1], ["a", "b", None], ["x", "x", "x"], True),
        ([1, 1, 1], ["a", None, "b"], ["x", "x", "x"], False),
        ([1, 1], [None, None], ["x", None], True),
        ([1, 1], [None, None], [None, "x"], False),
        ([1, 2, 2], ["a", "a", "a"], ["y", "x", "x"], True),
        ([1], ["a"], ["x"], True),
        ([], [], [], True),
    ],
)
def test_rows_are_sorted_by_class_and_then_by_each_column(
    gids: list[int], ill: list[Any], job: list[Any], holds: bool
) -> None:
    columns = [pl.Series(cells, dtype=pl.String) for cells in (ill, job)]
    assert are_sorted(pl.Series(gids, dtype=pl.Int64), columns) is holds


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
@pytest.mark.parametrize(
    ("numbers", "holds"),
    [
        ([1000.0, 1000.5, 10000.0, 5.0, 50.0, None], True),
        ([5.0, 10.0], False),
        ([1e-07, 1e-10, 2e-05], True),
        ([2e-05, 1e-10, 1e-07], True),
        ([1e-10, 1e-07, 2e-05], False),
        ([None, 1e-07], False),
    ],
)
def test_numbers_may_be_sorted_by_either_of_their_texts(
    dtype: Any, numbers: list[Any], holds: bool
) -> None:
    """Small ones are 1e-07, 1e-10 and 0.00002, or else 1e-7, 1e-10 and 2e-05: one way for all."""
    classes = pl.Series([1] * len(numbers))
    assert are_sorted(classes, [pl.Series(numbers, dtype=dtype)]) is holds


def test_columns_of_numbers_are_each_sorted_in_their_own_way() -> None:
    first = pl.Series([1e-07, 1e-07, 1e-10, 1e-10])
    second = pl.Series([1e-10, 1e-07, 1e-10, 1e-07])
    assert are_sorted(pl.Series([1] * 4), [first, second])
    assert not are_sorted(pl.Series([1] * 4), [first, second[[0, 1, 3, 2]]])


SMALL = Schema((SCHEMA["note"], Attribute("ill", Role.SENSITIVE), Attribute("job", Role.SENSITIVE)))
CELLS: dict[str, list[Any]] = {
    "note": ["w", "x", "y"],
    "ill": [None, "flu", "flu"],
    "job": ["cook", None, "cook"],
}
HALVES = {
    "data": pl.DataFrame({"GID": ["1", "1", "1"], "note": ["w", "x", "y"]}),
    "sensitive": pl.DataFrame(
        {"GID": ["1"] * 3, "ill": ["flu", "flu", None], "job": ["cook", None, "cook"]}
    ),
}


def test_what_is_missing_is_sorted_last() -> None:
    whole = release_of(CELLS, CELLS, SMALL)
    assert said(check_halves(whole, HALVES)) == ""
    first = {**HALVES, "sensitive": HALVES["sensitive"][[2, 1, 0]]}
    assert "2 rows are not those of their class in 'sensitive'" in said(check_halves(whole, first))


def test_a_sensitive_column_that_the_whole_table_lacks_is_told_elsewhere() -> None:
    for absent in ({"ill"}, {"job"}, {"ill", "job"}):
        shown = {name: cells for name, cells in CELLS.items() if name not in absent}
        assert said(check_halves(release_of(shown, CELLS, SMALL), HALVES)) == ""


@pytest.mark.parametrize(("half", "column"), [("data", "note"), ("sensitive", "job")])
@pytest.mark.parametrize("cells", [[["a"], [], None], [b"a", b"\xff", None]])
def test_cells_that_are_no_text_are_refused(half: str, column: str, cells: list[Any]) -> None:
    split = {**HALVES, half: HALVES[half].with_columns(pl.Series(column, cells))}
    found = said(check_halves(release_of(CELLS, CELLS, SMALL), split))
    assert found == f"The table '{half}' has cells that have no text form."


def test_classes_without_a_number_cannot_be_sorted() -> None:
    data = HALVES["data"].with_columns(pl.Series("GID", ["x", "1", "y"]))
    beside = HALVES["sensitive"].with_columns(pl.Series("GID", ["x", "1", "y"]))
    found = join_halves(data, beside, ["ill", "job"])
    assert said(found.problems) == "Column 'GID' has 2 cells without a number."
    assert found.table is not None


def test_no_attribute_may_have_the_name_of_the_class() -> None:
    case = in_two()
    schema = replace(
        case.schema, attributes=(*case.schema.attributes, Attribute("GID", Role.INSENSITIVE))
    )
    cells = pl.Series("GID", ["x"] * case.original.height)
    named = replace(
        case,
        schema=schema,
        original=case.original.with_columns(cells),
        data=case.data.with_columns(cells[: case.data.height]),
    )
    with pytest.raises(VerificationError, match="'GID' is reserved, but an attribute has it"):
        named.verify()


def test_symbols_have_no_check_beside_buckets() -> None:
    case = in_two()
    given: Any = (np.array(case.origin), np.array(case.classes), case.schema, [])
    with pytest.raises(VerificationError, match="no independent check of symbols of form 'split'"):
        verify_release(
            Published(
                {"data": case.data},
                case.original,
                *given,
                layout=Layout.SPLIT,
                symbols=case.symbols,
            )
        )
