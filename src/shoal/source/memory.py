"""Tables in memory: polars, pandas and pyarrow, recognised without importing the latter two."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from datetime import date, datetime
from typing import Any, TypeVar

import numpy as np
import polars as pl

from shoal.errors import DataError
from shoal.source.arrow import check_types, frame_of
from shoal.source.frame import normalise
from shoal.source.name import check_names

T = TypeVar("T")

_NESTED = (list, tuple, dict, set, frozenset, bytes, bytearray, np.ndarray)
# The first that fits: a bool is an integer as well, and a datetime is a date.
_ALIKE: tuple[tuple[str, type | tuple[type, ...]], ...] = (
    ("boolean", (bool, np.bool_)),
    ("integer", numbers.Integral),
    ("float", (float, np.floating)),
    ("text", str),
    ("time", datetime),
    ("day", date),
)


def read(table: Any) -> pl.DataFrame:
    """The table as a polars frame; the original is left as it is.

    The index of a pandas table is ignored, whatever it is.
    """
    columns(table)
    kind = _kind(table)
    if kind == "polars query":
        table = _run(table.collect)
    elif kind == "pandas table":
        table = _from_pandas(table)
    elif kind == "pyarrow table":
        table = _from_arrow(table)
    return normalise(table, f"The {kind}")


def columns(table: Any) -> tuple[str, ...]:
    """The names of the columns of a table in memory."""
    kind = _kind(table)
    if kind == "polars query":
        names = _run(table.collect_schema).names()
    else:
        names = table.schema.names if kind == "pyarrow table" else table.columns
    return check_names(names, f"The {kind}")


def _kind(table: Any) -> str:
    """What the table is, in words; an error if it is none of those that can be read."""
    if isinstance(table, pl.DataFrame):
        return "polars table"
    if isinstance(table, pl.LazyFrame):
        return "polars query"
    ancestors = {(cls.__module__.partition(".")[0], cls.__name__) for cls in type(table).__mro__}
    if ("pandas", "DataFrame") in ancestors:
        return "pandas table"
    if ancestors & {("pyarrow", kind) for kind in ("Table", "RecordBatch", "RecordBatchReader")}:
        return "pyarrow table"
    raise DataError(
        "The source must be a path, a glob, or a polars, pandas or pyarrow table, "
        f"got '{type(table).__name__}' instead.",
        "A single column is not a table." if type(table).__name__ == "Series" else "",
    )


def _run(collect: Callable[[], T]) -> T:
    """The result of a polars query; its own error may quote cells and is not passed on."""
    try:
        return collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        pass
    raise DataError("The polars query fails.", "Collect it first to see why.") from None


def _from_arrow(table: Any) -> pl.DataFrame:
    import pyarrow as pa

    check_types(table.schema, "The pyarrow table")
    frame = None
    try:
        whole = table.read_all() if isinstance(table, pa.RecordBatchReader) else table
        frame = frame_of(whole)
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        pass
    if frame is None:
        raise DataError(
            "The pyarrow table has columns that polars does not support.",
            "Convert them to numbers, text or dates first.",
        ) from None
    return frame


def _from_pandas(table: Any) -> pl.DataFrame:
    found, problems = [], []
    for position, label in enumerate(table.columns):
        column = _series(table.iloc[:, position])
        if isinstance(column, pl.Series):
            found.append(column.alias(label))
        else:
            problems.append(f"'{label}' ({column})")
    if problems:
        raise DataError(
            f"The pandas table has columns that are nested or not flat: {', '.join(problems)}.",
            "Unnest them into columns of single values, or leave them out.",
        )
    return pl.DataFrame(found)


def _series(column: Any) -> pl.Series | str:
    """The column in polars, or the name of the type if polars does not support it."""
    dtype = str(column.dtype)
    if dtype == "category":
        return _from_categories(column.cat)
    if dtype == "object":
        return _from_objects(column)
    if dtype.startswith(("period", "interval")):
        return _from_categories(column.astype("category").cat)
    if dtype.startswith("Sparse"):
        column = column.sparse.to_dense()
    typed = _from_array(column)
    return dtype if typed is None else typed


def _from_array(column: Any, *, as_text: bool = False) -> pl.Series | None:
    import pyarrow as pa

    try:
        values = column.map(str, na_action="ignore") if as_text else column
        array = pa.Array.from_pandas(values)
        check_types(pa.schema([("", array.type)]), "")
        return pl.Series("", pl.from_arrow(array))
    except (DataError, pa.ArrowException, pl.exceptions.PolarsError):
        return None
    except (OverflowError, TypeError, ValueError):
        return None


def _from_categories(categories: Any) -> pl.Series:
    texts = pl.Series("", [str(label) for label in categories.categories], dtype=pl.String)
    codes = pl.Series("", categories.codes.to_numpy()).cast(pl.Int64)
    return pl.Series("", texts.gather(codes.set(codes < 0, None)))


def _from_objects(column: Any) -> pl.Series | str:
    """One type if all values have it, else text as Python's `str` gives it."""
    types: list[type] = list(column.dropna().map(type).unique())
    nested = sorted(kind.__name__ for kind in types if issubclass(kind, _NESTED))
    if nested:
        return nested[0]
    alike = {next((k for k, of in _ALIKE if issubclass(kind, of)), "other") for kind in types}
    typed = _from_array(column) if len(alike) < 2 and "other" not in alike else None
    if typed is None:
        typed = _from_array(column, as_text=True)
    return "object" if typed is None else typed
