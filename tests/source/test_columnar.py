"""Parquet, Arrow and xlsx files."""

from __future__ import annotations

import datetime as dt
import logging
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from shoal.errors import DataError
from shoal.source import columns, read

SECRET = "S3CRET"
FRAME = pl.DataFrame(
    {
        "whole": [1, None, 3],
        "share": [0.5, float("nan"), None],
        "text": ["x", "", "NA"],
        "yes": [True, None, False],
        "day": [dt.date(2020, 1, 2), None, dt.date(2021, 1, 2)],
        "when": [dt.datetime(2020, 1, 2, 3), None, None],
    }
)
CLEAN = FRAME.with_columns(
    share=pl.Series([0.5, None, None], dtype=pl.Float64), text=pl.Series(["x", None, "NA"])
)


def failure(path: Path, sheet: str | None = None) -> str:
    with pytest.raises(DataError) as caught:
        read(path.name, base=path.parent, sheet=sheet)
    assert caught.value.__cause__ is None
    assert SECRET not in str(caught.value)
    assert f"'{path.name}'" in str(caught.value)
    return str(caught.value)


def write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix in (".parquet", ".pq"):
        frame.write_parquet(path)
    elif path.stem == "stream":
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)


NAMES = ["t.parquet", "t.pq", "t.arrow", "t.feather", "t.ipc", "stream.arrow"]


@pytest.mark.parametrize("name", NAMES)
def test_types_are_kept_and_missing_is_null(tmp_path: Path, name: str) -> None:
    write(FRAME, tmp_path / name)
    frame = read(name, base=tmp_path)
    assert frame.equals(CLEAN)
    assert frame.schema == FRAME.schema
    assert columns(name, tmp_path) == tuple(FRAME.columns)


@pytest.mark.parametrize("name", NAMES)
def test_faults(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("a,b\nS3CRET,2\n")
    assert f"not what its suffix {path.suffix} says" in failure(path)
    path.write_bytes(b"\x89PNGS3CRET")
    assert "looks like a PNG image" in failure(path)
    path.write_bytes(b"")
    assert "is empty" in failure(path)
    write(pl.DataFrame({"a": ["S3CRET"]}).head(0), path)
    assert "has a header but no rows" in failure(path)
    write(pl.DataFrame({"a": [["S3CRET"]], "b": [{"x": 1}], "c": [b"S3CRET"], "d": [1]}), path)
    assert "'a' (List), 'b' (Struct), 'c' (Binary)." in failure(path)
    write(pl.DataFrame({"a": [1], "": [2]}), path)
    assert "a column without a name (column 2)" in failure(path)
    write(pl.DataFrame({"a": ["S3CRET"] * 1000}), path)
    path.write_bytes(path.read_bytes()[:200])
    assert "is damaged" in failure(path)


def test_doubled_names(tmp_path: Path) -> None:
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    assert "'a' (columns 1, 3)" in failure(tmp_path / "t.parquet")
    assert "'a' (columns 1, 3)" in failure(tmp_path / "t.arrow")


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


def test_sheets(path: Path) -> None:
    sheet_of(path, [["a"], [1]], "Other", "Third")
    assert read(path).columns == ["a"]
    assert read(path, sheet="Other").rows() == [(7,)]
    assert columns(path, sheet="Other") == ("other",)
    message = failure(path, sheet="Othr")
    assert (
        "has no sheet 'Othr'; it has 'People', 'Other', 'Third'. Did you mean 'Other'?" in message
    )


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], "is empty"),
        ([["a", "b"]], "has a header but no rows"),
        ([["a", "a", "b"], [SECRET, 2, 3]], "'a' (columns 1, 2)"),
        ([["a", "a_1", "a "], [SECRET, 2, 3]], "'a' (columns 1, 3)"),
        ([["a", None, "b"], [SECRET, 2, 3]], "a column without a name (column 2)"),
        ([["a", "b"], [SECRET, 2, 3]], "a column without a name (column 3)"),
        ([["a", "b"], [SECRET, 2], [None, None], [3, 4]], "blank rows between others (1 of them"),
    ],
)
def test_faults_of_sheets(path: Path, rows: list[list[Any]], expected: str) -> None:
    assert expected in failure(sheet_of(path, rows))


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
    assert "not what its suffix .xlsx says" in failure(path)


def test_a_damaged_workbook(path: Path) -> None:
    data = sheet_of(path, [["a"], [SECRET]]).read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "is damaged" in failure(path)
    broken = bytearray(data)
    broken[len(data) // 4 : len(data) // 2] = b"\xff" * (len(data) // 2 - len(data) // 4)
    path.write_bytes(bytes(broken))
    failure(path)
    path.write_bytes(b"")
    assert "is empty" in failure(path)


def test_other_flat_types_become_text(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "money": [Decimal("1.10"), Decimal("12345678901234567.89")],
            "clock": [dt.time(1, 2), None],
            "span": [dt.timedelta(days=1, seconds=3), None],
            "kind": pl.Series(["x", "y"], dtype=pl.Categorical),
            "level": pl.Series(["lo", None], dtype=pl.Enum(["lo", "hi"])),
            "none": [None, None],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    got = read(tmp_path / "t.parquet")
    assert set(got.dtypes) == {pl.String}
    assert got.rows() == [
        ("1.10", "01:02:00", "P1DT3S", "x", "lo", None),
        ("12345678901234567.89", None, None, "y", None, None),
    ]
