"""Forms of numbers and dates: recognised where there is no doubt, and left alone elsewhere."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.schema import Attribute, HierarchySpec, Kind, Role, Schema
from shoal.table.form import matched_entries, settle_form, settle_forms

COMMA = "numeric, with a decimal comma"
MIDNIGHT = "a date: its times are all midnight"


def settled(cells: list[Any], **given: Any) -> tuple[list[Any], str]:
    series, words = settle_form(pl.Series("x", cells), Attribute("x", Role.QUASI, **given))
    return series.to_list(), words


@pytest.mark.parametrize(
    ("cells", "usual"),
    [
        (["57,0", " 3 ", None], ["57.0", "3", None]),
        (["0,123", "1,234"], ["0.123", "1.234"]),
        (["1234,567"], ["1234.567"]),
        (["-1,5e3", ",5"], ["-1.5e3", ".5"]),
    ],
)
def test_decimal_commas(cells: list[Any], usual: list[Any]) -> None:
    assert settled(cells) == (usual, COMMA)
    assert settled(cells, kind=Kind.NUMERIC) == (usual, COMMA)


@pytest.mark.parametrize(
    "cells",
    [["1,234", "2,345,678"], ["1,5", "2.5"], ["1,5", "x"], ["1,5,6"], ["12"], ["a,b"], [None]],
)
def test_commas_that_may_mean_something_else(cells: list[Any]) -> None:
    """A thousand is written like a little more than one."""
    assert settled(cells) == (cells, "")


@pytest.mark.parametrize("cells", [["\u0661,\u0662"], ["\u0661\u0669\u0665\u0660-01-01 00:00"]])
def test_digits_of_other_scripts_are_no_numbers(cells: list[Any]) -> None:
    """A run takes them for text, so they must stay as they are."""
    assert settled(cells) == (cells, "")


@pytest.mark.parametrize(
    ("cells", "days", "words"),
    [
        (["31.12.1950", "1.2.1961"], [date(1950, 12, 31), date(1961, 2, 1)], "day.month.year"),
        (["13/4/1950", "3/4/1950"], [date(1950, 4, 13), date(1950, 4, 3)], "day/month/year"),
        (["4/13/1950", "3/4/1950"], [date(1950, 4, 13), date(1950, 3, 4)], "month/day/year"),
        (["13-04-1950"], [date(1950, 4, 13)], "day-month-year"),
        (["1950/4/13"], [date(1950, 4, 13)], "year/month/day"),
    ],
)
def test_dates_of_other_countries(cells: list[Any], days: list[date], words: str) -> None:
    assert settled(cells) == (days, f"a date, written {words}")
    assert settled([*cells, "?"], missing=("?",))[0] == [*days, None]
    assert settled(cells, kind=Kind.DATE)[0] == days


@pytest.mark.parametrize("cells", [["3/4/1950"], ["31.02.1950"], ["13/13/1950"], ["1.2.50"]])
def test_dates_in_doubt(cells: list[Any]) -> None:
    assert settled(cells) == (cells, "")


def test_midnights_are_days() -> None:
    days = [date(2020, 1, 1), None]
    assert settled([datetime(2020, 1, 1), None]) == (days, MIDNIGHT)
    zoned = pl.Series("x", [datetime(2020, 1, 1), None]).dt.replace_time_zone("Europe/Berlin")
    assert settle_form(zoned, Attribute("x", Role.QUASI))[0].to_list() == days
    assert settled(["2020-01-01 00:00:00", "2020-02-01T00:00"])[0] == ["2020-01-01", "2020-02-01"]
    later = [datetime(2020, 1, 1), datetime(2020, 1, 1, 0, 0, 1)]
    assert settled(later) == (later, "")
    assert settled([str(x) for x in later])[1] == ""


@pytest.mark.parametrize(
    "given",
    [
        {"kind": Kind.CATEGORICAL},
        {"kind": Kind.ORDINAL, "values": ("57,0",)},
        {"values": ("57,0",)},
        {"hierarchy": HierarchySpec("file", rows=(("57,0", "*"),))},
    ],
)
def test_names_stay_as_they_are(given: dict[str, Any]) -> None:
    assert settled(["57,0"], **given) == (["57,0"], "")


@pytest.mark.parametrize(
    ("cells", "missing", "left"),
    [
        (["-8.0", "1", "-8", "2"], ("-8",), [None, "1", "-8", "2"]),
        ([-8.0, 1.5], ("-8",), [None, 1.5]),
        ([-8, 1], ("-8.00",), [None, 1]),
        (["-8.0", "?", "3"], ("-8", "?"), [None, "?", "3"]),
        (["-8,0", "1,5"], ("-8",), [None, "1.5"]),
        (["-8.0", "a"], ("-8",), ["-8.0", "a"]),
        (["1", "2"], ("-8",), ["1", "2"]),
    ],
)
def test_a_number_means_missing_however_it_is_written(
    cells: list[Any], missing: tuple[str, ...], left: list[Any]
) -> None:
    """The text itself is left to those who compare texts."""
    assert settled(cells, missing=missing)[0] == left


@pytest.mark.parametrize(
    ("cells", "marker", "left", "given"),
    [
        (["21,5", "-9,9"], "-9,9", ["21.5", "-9,9"], {}),
        (["1,5", "n/a "], "n/a ", ["1.5", "n/a "], {}),
        (["31.12.1950", "01.01.1900"], "01.01.1900", [date(1950, 12, 31), None], {}),
        (
            ["2020-01-02 00:00", "1900-01-01 00:00"],
            "1900-01-01 00:00",
            ["2020-01-02", "1900-01-01 00:00"],
            {},
        ),
        (
            ["2020-01-02 10:00", "not known yet"],
            "not known yet",
            ["2020-01-02", "not known yet"],
            {"kind": Kind.DATE},
        ),
        (
            ["2020-01-02 10:00:30", "NA"],
            "NA",
            ["2020-01-02 10:00", "NA"],
            {"hierarchy": HierarchySpec("dates", units=("hour", "day"))},
        ),
    ],
)
def test_a_text_that_means_missing_is_not_brought_into_the_form(
    cells: list[Any], marker: str, left: list[Any], given: dict[str, Any]
) -> None:
    """Otherwise it would be a number or a day like any other."""
    assert settled(cells, missing=(marker,), **given)[0] == left


def test_with_a_decimal_comma_a_point_in_a_missing_text_stays() -> None:
    attribute = Attribute("x", Role.QUASI, missing=("n.a.",))
    assert settle_form(pl.Series("x", ["1.234,5", "n.a."]), attribute, ",")[0].to_list() == [
        "1234.5",
        "n.a.",
    ]


def test_a_missing_text_in_the_form_of_the_column_is_published_as_missing() -> None:
    for cells, marker in (
        (["21,5", "30,2", "-9,9"], "-9,9"),
        (["31.12.1950", "1.2.1961", "01.01.1900"], "01.01.1900"),
    ):
        plan = {
            "attributes": {"x": {"role": "quasi", "missing": marker}},
            "privacy": [{"k-anonymity": {"k": 1}}],
            "method": "mondrian",
            "seed": 1,
        }
        made = shoal.run(plan, pl.DataFrame({"x": cells}))
        assert made.frame["x"].null_count() == 1


def test_entries_that_match() -> None:
    def found(cells: list[Any], *missing: str) -> set[str]:
        return matched_entries(pl.Series("x", cells), Attribute("x", Role.QUASI, missing=missing))

    assert found(["-8.0", "?", "1"], "-8", "?", "NA", "-9") == {"-8", "?"}
    assert found([-8.0, 1.0], "-8", "?") == {"-8"}
    assert found([date(2020, 1, 1)], "-8") == set()


def test_only_coded_columns_change() -> None:
    frame = pl.DataFrame({"a": ["1,5"], "b": ["1,5"], "c": ["1,5"]})
    schema = Schema((Attribute("a", Role.QUASI), Attribute("b", Role.INSENSITIVE),
                     Attribute("d", Role.QUASI)))  # fmt: skip
    changed, forms = settle_forms(frame, schema)
    assert changed.rows() == [("1.5", "1,5", "1,5")]
    assert forms == {"a": COMMA}
    assert settle_forms(frame, Schema(()))[0] is frame


ATTRIBUTES = {
    "bmi": {"role": "quasi", "missing": ["-8", "-9"]},
    "seen": "quasi",
    "ill": "sensitive",
}
PLAN = {
    "attributes": ATTRIBUTES, "privacy": [{"k-anonymity": {"k": 2}}], "method": "mondrian",
    "seed": 1,
}  # fmt: skip
FRAME = pl.DataFrame(
    {
        "bmi": ["21,5", "30,25", "-8,0", "-8,0"],
        "seen": [datetime(2020, 1, day) for day in (1, 2, 1, 2)],
        "ill": list("abab"),
    }
)


def test_a_release_is_that_of_the_usual_form() -> None:
    made = shoal.run(PLAN, FRAME)
    usual = FRAME.with_columns(
        bmi=pl.Series([21.5, 30.25, None, None]), seen=pl.col("seen").dt.date()
    )
    assert sorted(made.frame.rows(), key=str) == sorted(
        shoal.run(PLAN, usual).frame.rows(), key=str
    )
    assert made.notes == (f"bmi is taken as {COMMA}", f"seen is taken as {MIDNIGHT}",
                          "ill is taken as categorical")  # fmt: skip


def test_entries_that_match_nothing_are_reported_by_place(tmp_path: Any) -> None:
    (advice,) = [a for a in shoal.run(PLAN, FRAME).warnings if a.code == "idle-missing"]
    assert "entry 2 of 'bmi'" in advice.text
    assert "-9" not in advice.text
    shared = {**PLAN, "missing": ["?", "b"]}
    (advice,) = [a for a in shoal.run(shared, FRAME).warnings if a.code == "idle-missing"]
    assert "entry 2 of 'bmi' and entry 1 of the plan." in advice.text


def test_an_audit_reads_the_original_alike(tmp_path: Any) -> None:
    shoal.run(PLAN, FRAME, output=tmp_path / "release")
    FRAME.write_parquet(tmp_path / "original.parquet")
    found = shoal.audit(tmp_path / "release", tmp_path / "original.parquet")
    assert found.holds


@pytest.mark.parametrize(
    ("cells", "decimal", "found"),
    [
        (["1,234", "2,5"], ",", ["1.234", "2.5"]),
        (["1,234", "5,678"], ",", ["1.234", "5.678"]),
        (["1.234,5", "1.000", "7"], ",", ["1234.5", "1000", "7"]),
        (["1.23", "4,5"], ",", ["1.23", "4,5"]),
        (["1,234", "5,678"], None, ["1,234", "5,678"]),
        (["57,0", "58,5"], ".", ["57,0", "58,5"]),
    ],
)
def test_a_declared_decimal_mark_leaves_no_doubt(
    cells: list[str], decimal: str | None, found: list[str]
) -> None:
    schema = Schema((Attribute("x", Role.QUASI),))
    settled, words = settle_forms(pl.DataFrame({"x": cells}), schema, decimal)
    assert settled["x"].to_list() == found
    assert words == {}


CLOCK = HierarchySpec("dates", units=("minute", "hour", "day", "year"))
DAYS = HierarchySpec("dates", units=("day", "year"))
LATE = [datetime(2024, 5, 6, 7, 8, 59), None, datetime(2024, 12, 31, 23, 59)]
CUT = "a date: its times of day are left out"
MINUTES = "a moment, cut to the minute"


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Asia/Tokyo"])
def test_moments_are_cut_as_the_plan_says(unit: Any, zone: str | None) -> None:
    """The clock on the wall counts, in whichever zone it hangs."""
    cells = pl.Series("x", LATE, dtype=pl.Datetime(unit)).dt.replace_time_zone(zone)
    minutes, words = settle_form(cells, Attribute("x", Role.QUASI, hierarchy=CLOCK))
    assert (minutes.to_list(), words) == (["2024-05-06 07:08", None, "2024-12-31 23:59"], MINUTES)
    for given in ({"hierarchy": DAYS}, {"kind": Kind.DATE}):
        days, words = settle_form(cells, Attribute("x", Role.QUASI, **given))  # type: ignore[arg-type]
        assert (days.to_list(), words) == ([date(2024, 5, 6), None, date(2024, 12, 31)], CUT)
    assert settle_form(cells, Attribute("x", Role.QUASI)) == (cells, "")


def test_moments_that_are_text_are_cut_too() -> None:
    cells = ["2024-05-06T07:08:59.5Z", None, "2024-12-31 23:59", "2025-01-01"]
    minutes = ["2024-05-06 07:08", None, "2024-12-31 23:59", "2025-01-01 00:00"]
    assert settled(cells, hierarchy=CLOCK) == (minutes, MINUTES)
    assert settled(cells, kind=Kind.DATE) == (
        ["2024-05-06", None, "2024-12-31", "2025-01-01"], CUT)  # fmt: skip
    assert settled(["2024-05-06 7:08", "x"], kind=Kind.DATE)[1] == ""


@pytest.mark.parametrize("method", ["ka", "mondrian", "danonyir"])
def test_moments_are_published_by_their_hierarchy(method: str, tmp_path: Any) -> None:
    """To the minute, hour or day; a method without hierarchies publishes ranges of days."""
    seen = [datetime(2024, 5, 6 + n // 6, 7 + n % 6 // 3, n % 3, 30) for n in range(12)]
    frame = pl.DataFrame({"who": [str(n) for n in range(12)], "seen": seen, "ill": ["a", "b"] * 6})
    units = ["minute", "hour", "day", "month", "year"]
    attributes = {"who": "identifier", "ill": "sensitive",
                  "seen": {"role": "quasi", "hierarchy": {"dates": units}}}  # fmt: skip
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 3}}], "method": method,
            "seed": 1}  # fmt: skip
    if method == "danonyir":
        plan |= {"individual": "who", "privacy": [{"eir-l": {"l": 2}}]}
    release = shoal.run(plan, frame)
    shown = set(release.frame["seen"])
    if method == "danonyir":
        assert all(label[:7] in ("2024-05", "[2024-0") for label in shown)
        assert not any(":" in label for label in shown)
    else:
        assert shown == {f"2024-05-0{day} 0{hour}h" for day in (6, 7) for hour in (7, 8)}
    release.save(tmp_path / "r", private=tmp_path / "own")
    assert shoal.audit(tmp_path / "r", frame).holds
