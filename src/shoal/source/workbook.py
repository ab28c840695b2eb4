"""The first sheet of an xlsx workbook.

Excel stores every number as a float and every day as a time, so a column of whole numbers is read
as integers and one of midnights as dates. Columns of mixed types become text. A cell that
shows an error (#N/A) is missing. Rows left blank at the end are not rows.
"""

from __future__ import annotations

import logging
import re
import zipfile
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.errors import DataError
from shoal.source.frame import natural
from shoal.source.location import Location
from shoal.source.name import check_names

if TYPE_CHECKING:
    from fastexcel import ExcelReader, ExcelSheet

# A sheet of equal cells, as spreadsheet programs write it, is packed about twelve-fold.
_DENSEST = 200
_UNPACKED = 1 << 26


def read(location: Location) -> pl.DataFrame:
    """The rows of the sheet, as typed there."""
    book, title = _opened(location)
    # All rows decide the types of columns; left out, the first 1,000 do.
    loaded = _loaded(location, book, title, schema_sample_rows=None)
    frame = loaded.to_polars()
    if not frame.width:
        raise _empty(location, title)
    names = _names(location, book, title, loaded)
    kept = [
        column.alias(label)
        for label, column in zip(names, frame.iter_columns(), strict=True)
        if label or column.null_count() < len(column)
    ]
    label = f"'{location.name}' (sheet '{title}')"
    check_names([column.name for column in kept], label)
    return _without_blank_rows(pl.DataFrame([natural(column) for column in kept]), label)


def columns(location: Location) -> tuple[str, ...]:
    """The names in the first row of the sheet."""
    book, title = _opened(location)
    names = _first_row(location, book, title)
    while names and not names[-1]:
        names.pop()
    return check_names(names, f"'{location.name}' (sheet '{title}')")


def _opened(location: Location) -> tuple[ExcelReader, str]:
    import fastexcel

    # Its remarks on empty columns would otherwise go to the user's terminal.
    logging.getLogger("fastexcel").addHandler(logging.NullHandler())
    start = location.start()
    _refuse_packed(location)
    try:
        book = fastexcel.read_excel(location.path)
        titles = list(book.sheet_names)
    except (fastexcel.FastExcelError, ValueError):
        titles = []
    if not titles:
        raise location.mistaken(b"" if start[:2] == b"PK" else start) from None
    return book, titles[0]


def _refuse_packed(location: Location) -> None:
    """Raise for a small file that unpacks to a huge one: no spreadsheet program writes such."""
    try:
        with zipfile.ZipFile(location.path) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, ValueError):
        return  # old workbooks are no archives, and what is damaged is refused by the reader
    for entry in entries:
        packed, size = entry.compress_size, entry.file_size
        if size > _UNPACKED and size > packed * _DENSEST:
            raise DataError(
                f"No part of '{location.name}' may unpack to more than {_DENSEST} times its size, "
                f"but {packed:,} bytes unpack to {size:,}.",
                "Save it again with a spreadsheet program, or export it as csv.",
            )


def _loaded(location: Location, book: ExcelReader, title: str, **options: Any) -> ExcelSheet:
    import fastexcel

    try:
        sheet: ExcelSheet = book.load_sheet(title, **options)
        return sheet
    except (fastexcel.FastExcelError, ValueError):
        pass
    raise DataError(
        f"Cannot read the sheet '{title}' of '{location.name}'.",
        "Save it again, or export it as csv.",
    ) from None


def _names(location: Location, book: ExcelReader, title: str, loaded: ExcelSheet) -> list[str]:
    """The names as in the sheet; fastexcel numbers doubled names and makes up missing ones."""
    found = loaded.available_columns()
    if any(
        column.column_name_from == "generated" or re.search(r"_\d+$", column.name)
        for column in found
    ):
        names = _first_row(location, book, title)
        return names + [""] * (len(found) - len(names))
    return [column.name.strip() for column in found]


def _first_row(location: Location, book: ExcelReader, title: str) -> list[str]:
    row = _loaded(location, book, title, header_row=None, n_rows=1, dtypes="string").to_polars()
    if not row.height:
        raise _empty(location, title)
    return [(cell or "").strip() for cell in row.row(0)]


def _empty(location: Location, title: str) -> DataError:
    return DataError(f"The sheet '{title}' of '{location.name}' is empty.")


def _without_blank_rows(frame: pl.DataFrame, label: str) -> pl.DataFrame:
    """Drop the blank rows at the end; one in between is an error, unless there is one column."""
    blank = frame.select(pl.all_horizontal(pl.all().is_null())).to_series()
    rows = blank.not_().arg_true()
    frame = frame.head(rows[-1] + 1 if len(rows) else 0)
    between = blank.head(frame.height).arg_true()
    if frame.width > 1 and len(between):
        listed = ", ".join(str(row + 1) for row in between.head(5))
        raise DataError(
            f"{label} must not have blank rows between others, but has {len(between)} "
            f"(rows {listed}).",
            "Remove them.",
        )
    return frame
