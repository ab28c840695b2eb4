"""One sheet of an xlsx workbook."""

from __future__ import annotations

import datetime as dt
import logging
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import xlsxwriter

from shoal.source import columns, read
from tests.source.cases import SECRET, failure_of


def sheet_of(path: Path, rows: list[list[Any]], *others: str) -> Path:
    """Write the rows to the first sheet, and a column `other` to the others."""
    book = xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd hh:mm"})
    sheet = book.add_worksheet("People")
    for number, row in enumerate(rows):
        sheet.write_row(number, 0, row)
    for title in others:
        book.add_worksheet(title).write_column(0, 0, ["other", 7])
    book.close()
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "t.xlsx"


def test_a_sheet_is_typed(path: Path) -> None:
    day, when = dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 12)
    sheet_of(
        path,
        [
            [" whole ", "share", "text", "yes", "day", "when", 2020, "large", "none"],
            [1.0, 0.5, "007", True, day, when, 1, 1e300],
            [None, 2, "", False, day, day, 2, 2.0],
        ],
    )
    frame = read(path)
    assert frame.columns == [
        "whole", "share", "text", "yes", "day", "when", "2020", "large", "none",
    ]  # fmt: skip
    assert frame.rows() == [
        (1, 0.5, "007", True, day.date(), when, 1, 1e300, None),
        (None, 2.0, None, False, day.date(), day, 2, 2.0, None),
    ]
    assert frame.schema["whole"] == pl.Int64
    assert frame.schema["none"] == pl.String
    assert columns(path) == tuple(frame.columns)


def test_mixed_columns_become_text_however_late_they_mix(path: Path) -> None:
    rows = [[number, 1] for number in range(3000)]
    frame = read(sheet_of(path, [["a", "b"], *rows, ["x", 2.5]]))
    assert frame.schema == {"a": pl.String, "b": pl.Float64}
    assert frame["a"].to_list() == [*map(str, range(3000)), "x"]


def test_the_first_of_several_sheets_is_read(path: Path) -> None:
    sheet_of(path, [["a"], [1]], "Other", "Third")
    assert read(path).columns == ["a"]
    assert columns(path) == ("a",)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], "is empty"),
        ([["a", "b"]], "has a header but no rows"),
        ([["a", "a", "b"], [SECRET, 2, 3]], "'a' (columns 1, 2)"),
        ([["a", "a_1", "a "], [SECRET, 2, 3]], "'a' (columns 1, 3)"),
        ([["a", None, "b"], [SECRET, 2, 3]], "has no name for column 2"),
        ([["a", "b"], [SECRET, 2, 3]], "has no name for column 3"),
        (
            [["a", "b"], [SECRET, 2], [None, None], [3, 4]],
            "between others, but has 1 (rows 2)",
        ),
    ],
)
def test_faults_of_sheets(path: Path, rows: list[list[Any]], expected: str) -> None:
    assert expected in failure_of(sheet_of(path, rows))


def test_names_that_look_numbered_are_names(path: Path) -> None:
    frame = read(sheet_of(path, [["a", "a_1", "b_2"], [1, 2, 3]]))
    assert frame.columns == ["a", "a_1", "b_2"]


def test_blank_rows_and_columns_at_the_edge_are_nothing(path: Path) -> None:
    book = xlsxwriter.Workbook(path)
    sheet, bold = book.add_worksheet(), book.add_format({"bold": True})
    for number, row in enumerate([["a", "b", None], [1, None, None], [2, 3, None], [None] * 3]):
        for place, cell in enumerate(row):
            sheet.write(number, place, cell, bold)
    book.close()
    assert read(path).rows() == [(1, None), (2, 3)]


def test_in_a_single_column_a_blank_cell_is_a_missing_value(path: Path) -> None:
    assert read(sheet_of(path, [["a"], [1], [None], [2]]))["a"].to_list() == [1, None, 2]


def test_nothing_is_logged_to_the_terminal(
    path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    read(sheet_of(path, [["a", "b"], [1, None]]))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    "content", [b"a,b\nS3CRET,2\n", b"PK\x03\x04S3CRET", b"\xd0\xcf\x11\xe0S3"]
)
def test_what_is_no_workbook(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    assert "not what its suffix .xlsx says" in failure_of(path)


def test_a_damaged_workbook(path: Path) -> None:
    data = sheet_of(path, [["a"], [SECRET]]).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "is damaged" in failure_of(path)
    broken = bytearray(data)
    broken[len(data) // 4 : len(data) // 2] = b"\xff" * (len(data) // 2 - len(data) // 4)
    path.write_bytes(bytes(broken))
    failure_of(path)
    path.write_bytes(b"")
    assert "is empty" in failure_of(path)


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.source.workbook._UNPACKED", 1 << 17)
    many = [["age"], *([7] for _ in range(20_000))]
    assert read(sheet_of(path, many)).height == 20_000
    bomb = path.with_name("bomb.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
        new.writestr("xl/more.xml", b" " * (1 << 24))
    words = failure_of(bomb)
    assert "may unpack to more than 200 times its size" in words
    assert "export it as csv" in words
