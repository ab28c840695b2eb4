"""Hierarchies that fit every value: from a file, masked, grouped, or none."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.demo import write_demo
from shoal._command.init import profile, propose
from shoal._command.init.hierarchy import hierarchy_choices, nice_width
from shoal.schema import Kind


@pytest.mark.parametrize(
    ("name", "n_values", "is_code"),
    [
        ("x", 12, True),
        ("x", 13, False),
        ("RACEX", 13, True),
        ("discharge_status", 30, True),
        ("discharge_status", 31, False),
        ("age", 9, False),
        ("number_inpatient", 9, False),
    ],
)
def test_few_whole_numbers_are_codes(name: str, n_values: int, is_code: bool) -> None:
    frame = pl.DataFrame({name: [i % n_values for i in range(200)]})
    first = hierarchy_choices(profile(frame).columns[0])[0]
    assert (first.kind is Kind.CATEGORICAL) == is_code
    assert first.words == ("sets of values" if is_code else "ranges")


def test_numbers_that_hardly_repeat_or_are_not_whole_are_no_codes() -> None:
    for cells in ([1, 2, 3, 4, 5], [0.5, 1.5, 2.5] * 20):
        assert (
            hierarchy_choices(profile(pl.DataFrame({"x": cells})).columns[0])[0].kind
            is Kind.NUMERIC
        )


@pytest.mark.parametrize(
    ("name", "cells", "texts", "kind"),
    [
        ("age", list(range(18, 95)), ["", "{width: 5, levels: 3}"], Kind.NUMERIC),
        ("part", [i / 100 for i in range(101)], ["", "{width: 0.05, levels: 4}"], Kind.NUMERIC),
        ("year", [1990, 1991, 1995], ["", "{width: 2, levels: 1}"], Kind.NUMERIC),
        ("x", [1, 2], [""], Kind.NUMERIC),
        ("x", [7], [""], Kind.NUMERIC),
        ("plz", ["04109", "27340"], ["", "{mask: 5}"], Kind.CATEGORICAL),
        ("zip", [13053, 14850], ["", "{mask: 5}"], Kind.CATEGORICAL),
        ("zip", list(range(13_000, 13_101)), ["{mask: 5}"], Kind.CATEGORICAL),
        ("code", ["007", "011", "100"], ["", "{mask: 3}"], Kind.CATEGORICAL),
        ("zip", ["AB1", "AB12 3CD"], [""], Kind.CATEGORICAL),
        ("town", ["Ulm", "Bonn"], [""], Kind.CATEGORICAL),
        ("day", ["2020-01-31", "2020-05-01"], ["", "{dates: [day, month, year]}"], Kind.DATE),
        (
            "born",
            ["1940-01-31", "2020-05-01"],
            ["", "{dates: [day, month, year, decade]}"],
            Kind.DATE,
        ),
    ],
)
def test_hierarchies(name: str, cells: list[object], texts: list[str], kind: Kind) -> None:
    found = hierarchy_choices(profile(pl.DataFrame({name: cells})).columns[0])
    assert [choice.text for choice in found] == texts
    assert {choice.kind for choice in found} == {kind}
    assert all(choice.words for choice in found)


@given(st.floats(1e-11, 1e300))
def test_widths_are_round_and_not_too_wide(least: float) -> None:
    width = nice_width(least)
    assert least * 0.999 <= width <= 2.6 * least
    assert f"{width:e}"[0] in "125"


def test_a_hierarchy_file_is_taken_where_it_has_every_value(tmp_path: Path) -> None:
    files = [tmp_path / "my_hierarchy_town.csv", tmp_path / "my_hierarchy_downtown.csv"]
    files[0].write_text("Ulm;south;*\nBonn;west;*\n")
    files[1].write_text("Ulm;no;*\nBonn;no;*\n")
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"]})
    (found,) = hierarchy_choices(profile(frame).columns[0], files, tmp_path)
    assert (found.text, found.words) == ("my_hierarchy_town.csv", "groups of the file")
    files[0].write_text("Ulm;south;*\n")
    (found,) = hierarchy_choices(profile(frame).columns[0], files, tmp_path)
    assert (found.text, found.note) == ("", "'my_hierarchy_town.csv' does not fit its values")


def test_ragged_text_files_are_found_by_the_end_of_their_name(tmp_path: Path) -> None:
    (tmp_path / "informs_RACEX.txt").write_text("1;*\n2;other;*\n")
    (tmp_path / "adult_marital_status.txt").write_text("never;*\nwed;Married;*\n")
    frame = pl.DataFrame({"RACEX": [1, 2] * 9, "marital-status": ["never", "wed"] * 9})
    found = propose(profile(frame), hierarchies=tmp_path, base=tmp_path)
    texts = [entry.hierarchy.text for entry in found.entries if entry.hierarchy]
    assert texts == ["informs_RACEX.txt", "adult_marital_status.txt"]
    assert not any("hierarchy file" in note for note in found.notes)
    joined = frame.rename({"marital-status": "MARITALSTATUS"})
    assert "adult_marital_status.txt" in propose(profile(joined), hierarchies=tmp_path).text


def test_a_damaged_hierarchy_file_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "town.csv").write_bytes(b"\xff\xfe")
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"]})
    found = propose(profile(frame), hierarchies=tmp_path)
    assert "town: {role: quasi, kind: categorical}" in found.text
    assert "'town.csv' does not fit its values" in found.text


def test_the_ward_takes_its_file(tmp_path: Path) -> None:
    write_demo(tmp_path, 50, 1)
    text = propose(profile(tmp_path / "patients.csv"), hierarchies=tmp_path / "hierarchies",
                   base=tmp_path).text  # fmt: skip
    assert "ward: {role: quasi, kind: categorical, hierarchy: hierarchies/ward.csv}" in text
