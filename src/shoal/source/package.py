"""Files of statistics packages: SPSS, Stata and SAS by pyreadstat, R by pyreadr.

Both are extras. Their numbers are floats, so a column of whole numbers is read as integers. A
column whose values all have labels, each another one, is read as these labels. Values that the file
declares to be missing are missing; days are dates, times that all lie at midnight too.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

import polars as pl

from shoal.errors import DataError
from shoal.source.frame import natural
from shoal.source.location import Location
from shoal.source.name import check_names

_READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
# R numbers the rows where they have no names.
_ROW_NAMES = "rownames"


def read(location: Location) -> pl.DataFrame:
    """The whole file: labels for values, nulls for what it declares missing."""
    labels: Mapping[str, Mapping[Any, str]] = {}
    if location.format == "r":
        frame = _read_r(location)
    else:
        frame, labels = _read_stat(location)
    check_names(frame.columns, f"'{location.name}'")
    return pl.DataFrame([natural(_labelled(c, labels.get(c.name, {}))) for c in frame])


def columns(location: Location) -> tuple[str, ...]:
    """The names in the file, without the rows."""
    if location.format == "r":
        names = _read_r(location, row_limit=2).columns
    else:
        names = _read_stat(location, metadataonly=True)[0].columns
    return check_names(names, f"'{location.name}'")


def _read_stat(
    location: Location, **options: Any
) -> tuple[pl.DataFrame, Mapping[str, Mapping[Any, str]]]:
    reader = getattr(_library("pyreadstat", "stats", location), _READERS[location.suffix])
    frame, facts = _tried(location, reader, **options)
    return frame, facts.variable_value_labels


def _read_r(location: Location, **options: Any) -> pl.DataFrame:
    reader = _library("pyreadr", "r", location).read_r
    tables = {
        name: table
        for name, table in _tried(location, reader, **options).items()
        if isinstance(table, pl.DataFrame)
    }
    if len(tables) != 1:
        raise DataError(
            f"'{location.name}' must have one table (a data frame), but has {len(tables)}.",
            "Save the table to be published by itself, as in saveRDS(people, 'people.rds').",
        )
    (table,) = tables.values()
    numbers = pl.int_range(1, table.height + 1, eager=True).cast(pl.String)
    if _ROW_NAMES in table.columns and table[_ROW_NAMES].cast(pl.String).equals(numbers):
        return table.drop(_ROW_NAMES)
    return table


def _library(name: str, extra: str, location: Location) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
    raise DataError(
        f"Reading '{location.name}' needs the package {name}, which is not installed.",
        f"Install it: pip install 'shoal[{extra}]'.",
    ) from None


def _tried(location: Location, reader: Any, **options: Any) -> Any:
    """What a reader returns; its errors may quote cells and are not passed on."""
    start = location.start()
    if location.encoding:
        options["encoding"] = location.encoding
    try:
        return reader(os.fspath(location.path), output_format="polars", **options)
    except UnicodeDecodeError:
        problem = DataError(
            f"The text of '{location.name}' is not in the encoding that the file declares.",
            "Name the right one in the plan, as in 'encoding: windows-1252'.",
        )
    except MemoryError:
        raise
    except Exception:  # the libraries raise classes of their own that derive from nothing else
        problem = location.mistaken(start)
    raise problem from None


def _labelled(column: pl.Series, labels: Mapping[Any, str]) -> pl.Series:
    """The labels of a column's values, if all values present have one and no two have the same.

    A few labels in a column of numbers say what some of the numbers mean; the rest are numbers.
    """
    values = column.unique().drop_nulls()
    texts = [labels.get(value) for value in values]
    if not texts or None in texts or len(set(texts)) < len(texts):
        return column
    return column.replace_strict(values, pl.Series(texts, dtype=pl.String), default=None)
