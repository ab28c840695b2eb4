"""Columns, rows and suppression: the edge of each comparison."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.verify.text.structure import (
    EXAMPLES,
    check_columns,
    check_integers,
    check_map_shape,
    check_rows,
    check_suppression,
    check_tables,
    name_rows,
    refuse_secrets,
    report_rows,
)
from shoal.verify.text.unchanged import check_unchanged
from tests.verify.small import release_of, said, text

SCHEMA = Schema((Attribute("q", Role.QUASI), Attribute("s", Role.SENSITIVE)))
PEOPLE = Schema(
    (Attribute("who", Role.IDENTIFIER), *SCHEMA.attributes, Attribute("o", Role.INSENSITIVE)),
    Individual("who"),
)


def rows(classes: list[int], origin: list[int]) -> Any:
    shown = {"q": ["a"] * len(origin), "s": ["b"] * len(origin)}
    whole = {"q": ["a"] * len(classes), "s": ["b"] * len(classes)}
    return release_of(shown, whole, SCHEMA, origin=origin, classes=classes)


# Suppression -----------------------------------------------------------------------------------


def test_the_limit_itself_may_be_suppressed_and_not_one_row_more() -> None:
    release = rows([1] * 9 + [-1], list(range(9)))
    assert said(check_suppression(replace(release, suppression_limit=0.1))) == ""
    assert "1 of 10 rows are suppressed, a share of 0.1; the limit is 0.09" in said(
        check_suppression(replace(release, suppression_limit=0.09))
    )
    assert said(check_suppression(replace(release, suppression_limit=np.nextafter(0.1, 0)))) != ""
    two = rows([1] * 8 + [-1, 0], list(range(8)))
    assert said(check_suppression(replace(two, suppression_limit=0.1 + 0.02))) != ""
    assert said(check_suppression(replace(two, suppression_limit=0.2))) == ""


def test_a_limit_that_is_no_number_allows_nothing() -> None:
    two, nothing = rows([1, 1], [0, 1]), rows([], [])
    assert said(check_suppression(replace(two, suppression_limit=float("nan")))) != ""
    assert said(check_suppression(replace(nothing, suppression_limit=0.0))) == ""
    assert said(check_suppression(replace(two, suppression_limit=0.0))) == ""


# Rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("classes", "origin", "finding"),
    [
        ([1, 2, -1], [1, 0], ""),
        ([0, 1], [1], "1 row has a class number below 1 that is not -1 (row 1)"),
        ([0, 1], [0, 1], "1 suppressed row is published (original row 1)"),
        ([-2, 1], [1], "1 row has a class number below 1 that is not -1 (row 1)"),
        ([1, 1], [0, 1, 1], "1 row is published more than once (original row 2)"),
        ([1, 1], [1], "1 row has a class but is not published (original row 1)"),
        ([1, -1], [0, 1], "1 suppressed row is published (original row 2)"),
        ([1, -1], [0, 1, 1], "1 suppressed row is published (original row 2)"),
    ],
)
def test_rows_with_a_class_are_published_once(
    classes: list[int], origin: list[int], finding: str
) -> None:
    found = said(check_rows(rows(classes, origin)))
    assert (found == "") == (finding == "")
    assert finding in found


def of_people(
    who: str, origin: list[int], classes: list[int], s: str = "aaaa", o: str = "xxxx"
) -> Any:
    original = {"who": list(who), "q": list("aaaa"), "s": list(s), "o": list(o)}
    data = {"Id_num": [1] * len(origin), **{n: [original[n][r] for r in origin] for n in "qso"}}
    return release_of(data, original, PEOPLE, origin=origin, classes=classes)


@pytest.mark.parametrize(
    ("who", "s", "origin", "finding"),
    [
        ("ppqr", "aaaa", [0, 2, 3], ""),
        ("ppqr", "aaaa", [1, 2, 3], ""),
        ("ppqr", "abaa", [1, 2, 3], "1 row has a class but is not published (original row 1)"),
        (
            "ppqr",
            "aaaa",
            [3, 2, 1, 0],
            ("in addition to an equal row of the same person (original row 2)"),
        ),
        ("ppqr", "aaaa", [2, 3], "2 rows have a class but are not published (original rows 1, 2)"),
        ("pqrt", "aaaa", [0, 1, 2, 3], ""),
    ],
)
def test_equal_rows_of_a_person_are_published_once(
    who: str, s: str, origin: list[int], finding: str
) -> None:
    found = said(check_rows(of_people(who, origin, [1, 1, 1, 1], s)))
    assert (found == "") == (finding == "")
    assert finding in found


def test_what_a_published_row_stands_for() -> None:
    release = of_people("ppqr", [2, 1, 3], [1, 1, 1, 1])
    assert release.stands_for is not None
    assert [part.tolist() for part in release.stands_for] == [[0, 1, 2, 1], [2, 1, 3, 0]]
    assert sorted(release.counted.tolist()) == [0, 2, 3]
    first = of_people("ppqr", [1, 2, 3], [1, 1, 1, 1]).stands_for
    assert first is not None
    assert [part.tolist() for part in first] == [[0, 1, 2, 0], [1, 2, 3, 0]]
    for classes in ([-1, 1, 1, 1], [0, 1, 1, 1]):
        assert of_people("ppqr", [1, 2, 3], classes).stands_for is None
    assert of_people("pqrr", [0, 1], [1, 1, 1, 1]).stands_for is None
    assert of_people("pqrt", [0, 1, 2, 3], [1] * 4).stands_for is None
    assert rows([1], [0]).stands_for is None
    assert rows([1], [0]).counted is None


def test_rows_of_a_person_are_equal_in_what_is_published_unchanged() -> None:
    """Other columns of a row count too, as text; sensitive numbers count as numbers."""
    assert of_people("pppp", [0], [1] * 4, o="xyxx").records[1] == 2
    other = {"who": "pp", "q": "ab", "s": "xx", "o": "xx"}
    assert release_of({}, other, PEOPLE, origin=[]).records[1] == 1
    del other["o"]
    assert release_of({}, other, PEOPLE, origin=[]).records[1] == 1
    numeric = Schema(
        (
            Attribute("who", Role.IDENTIFIER),
            Attribute("s", Role.SENSITIVE, Kind.NUMERIC),
            Attribute("o", Role.INSENSITIVE, Kind.NUMERIC),
        ),
        Individual("who"),
    )
    for s, o, n_records in (("1 1.0", "2 2", 1), ("1 1", "2 2.0", 2), ("1 2", "2 2", 2)):
        original = {"who": "pp", "s": s.split(), "o": o.split()}
        assert release_of({}, original, numeric, origin=[]).records[1] == n_records


# The map ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "finding"), [([0, 1], ""), ([0, -1], "(published row 2)"), ([2, 0], "row 1)")]
)
def test_published_rows_come_from_an_original_row(origin: list[int], finding: str) -> None:
    found = said(check_map_shape(rows([1, 1], origin)))
    assert (found == "") == (finding == "")
    assert finding in found


def test_maps_are_as_long_as_their_tables() -> None:
    two = {"q": "ab", "s": "ab"}
    assert "The row map must have 2 rows, as the published table, but it has 1" in said(
        check_map_shape(release_of(two, two, SCHEMA, origin=[0]))
    )
    assert "2 class numbers, one for each original row, but there are 3" in said(
        check_map_shape(release_of(two, two, SCHEMA, classes=[1, 1, 1]))
    )
    lists = release_of({"q": "a", "s": pl.Series([[1]])}, {"q": "a", "s": "a"}, SCHEMA)
    assert "Column 's' has cells that have no text form" in said(check_map_shape(lists))
    nobody = release_of({"q": "a", "s": "a"}, {"q": "a", "s": "a"}, PEOPLE)
    assert "The individual column 'who' is not in" in said(check_map_shape(nobody))


@pytest.mark.parametrize(
    ("array", "fits"),
    [
        (np.array([1], dtype=np.int8), True),
        (np.array([1], dtype=np.uint64), False),
        (np.array([1.0]), False),
        (np.array([[1]]), False),
        ([1], False),
    ],
)
def test_maps_are_rows_of_whole_numbers(array: Any, fits: bool) -> None:
    assert (said(check_integers(classes=array)) == "") is fits


# Columns ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "findings"),
    [
        ({"q": "a", "s": "a"}, []),
        ({"s": "a", "q": "a"}, ["The published columns are not in the order of the schema."]),
        ({"q": "a"}, ["Column 's' is not published."]),
        ({"q": "a", "s": "a", "x": "a"}, ["'x' must not be published: it is not in the schema."]),
        ({"q": "a", "s": "a", "i": "a"}, ["'i' must not be published: its role is identifier."]),
        ({"s": "a", "q": pl.Series([1])}, ["not in the order", "'q' must be published as text"]),
    ],
)  # fmt: skip
def test_columns_are_those_of_the_schema(data: Any, findings: list[str]) -> None:
    schema = Schema((*SCHEMA.attributes, Attribute("i", Role.IDENTIFIER)))
    problems = list(check_columns(release_of(data, {"q": "a", "s": "a", "i": "a"}, schema)))
    assert len(problems) == len(findings)
    for problem, finding in zip(problems, findings, strict=True):
        assert finding in str(problem)


def test_a_column_that_the_original_lacks() -> None:
    found = said(check_columns(release_of({"q": "a", "s": "a"}, {"q": "a"}, SCHEMA)))
    assert found == "Column 's' is not in the original table."


def test_two_attributes_under_one_name() -> None:
    number = Attribute("q", Role.QUASI, Kind.NUMERIC)
    schema = Schema((number, Attribute("q_low", Role.QUASI)))
    release = release_of({"q_low": "a", "q_high": "a"}, {"q": "a", "q_low": "a"}, schema,
                         ranges="columns")  # fmt: skip
    assert "Two attributes have the same published column 'q_low'." in said(check_columns(release))


@pytest.mark.parametrize(
    ("role", "kind", "hierarchy", "ranges", "split"),
    [
        (Role.QUASI, Kind.NUMERIC, None, "columns", True),
        (Role.SEMI_SENSITIVE, Kind.NUMERIC, None, "columns", True),
        (Role.SENSITIVE, Kind.NUMERIC, None, "columns", False),
        (Role.QUASI, Kind.DATE, None, "columns", False),
        (Role.QUASI, Kind.NUMERIC, HierarchySpec("width", width=1, levels=1), "columns", False),
        (Role.QUASI, Kind.NUMERIC, None, "tight", False),
    ],
)
def test_numbers_without_a_hierarchy_may_be_two_columns(
    role: Role, kind: Kind, hierarchy: HierarchySpec | None, ranges: str, split: bool
) -> None:
    attribute = Attribute("q", role, kind, hierarchy=hierarchy)
    release = release_of({}, {"q": "1"}, Schema((attribute,)), ranges=ranges)
    assert release.is_split(attribute) is split
    assert release.columns() == (["q_low", "q_high"] if split else ["q"])
    assert release.has(attribute) is False
    if split:
        half = release_of(
            {"q_low": pl.Series([1])}, {"q": "1"}, Schema((attribute,)), ranges=ranges
        )
        assert half.has(attribute) is False
        ends = {"q_low": pl.Series([1]), "q_high": text(["1"])}
        whole = release_of(ends, {"q": "1"}, Schema((attribute,)), ranges=ranges)
        assert whole.has(attribute) is True
        assert "'q_high' must be published as numbers" in said(check_columns(whole))


def test_what_nobody_can_hold_secret_is_refused() -> None:
    assert said(refuse_secrets(rows([1], [0]))) == ""
    secret = Schema((Attribute("q", Role.SEMI_SENSITIVE),))
    assert "'q', of role semi-sensitive" in said(refuse_secrets(release_of({}, {"q": "a"}, secret)))


def test_only_data_is_published() -> None:
    one, table = rows([1], [0]), pl.DataFrame()
    assert said(check_tables(one)) == ""
    assert "no published table 'data'" in said(check_tables(replace(one, tables={})))
    more = replace(one, tables={"data": table, "more": table})
    assert "no independent check of the table 'more'" in said(check_tables(more))


# Examples --------------------------------------------------------------------------------------


def test_at_most_five_rows_are_named() -> None:
    assert EXAMPLES == 5
    assert name_rows(range(5)) == "published rows 1, 2, 3, 4, 5"
    assert name_rows(range(6), "row") == "rows 1, 2, 3, 4, 5, …"
    assert name_rows([3], "row") == "row 4"
    flags = np.ones(7, dtype=np.bool_)
    assert said(report_rows("{n} of them", flags)) == "7 of them (published rows 1, 2, 3, 4, 5, …)."
    assert said(report_rows("{n} of them", flags[:5], "row")) == "5 of them (rows 1, 2, 3, 4, 5)."
    assert said(report_rows("{n}", ~flags)) == ""


def test_many_columns_are_looked_up_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The names of a table are listed as often for many columns as for few."""
    listed = []
    names = pl.DataFrame.columns

    def count(frame: pl.DataFrame) -> list[str]:
        listed.append(frame.width)
        return names.fget(frame)  # type: ignore[attr-defined, no-any-return]

    def n_listed(n: int) -> int:
        columns = {f"c{i}": ["a"] for i in range(n)}
        schema = Schema(tuple(Attribute(name, Role.INSENSITIVE) for name in columns))
        release = release_of(columns, columns, schema, origin=[0], classes=[1])
        with monkeypatch.context() as patched:
            patched.setattr(pl.DataFrame, "columns", property(count, names.fset))  # type: ignore[attr-defined]
            listed.clear()
            assert said([*check_columns(release), *check_unchanged(release)]) == ""
        return len(listed)

    assert n_listed(50) == n_listed(5)
