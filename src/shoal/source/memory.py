"""Tables in memory: polars, pandas and pyarrow, told apart without importing the latter two."""

from __future__ import annotations

import numbers
from datetime import date, datetime
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem
from shoal.source import name
from shoal.source.frame import settled

_NESTED = (list, tuple, dict, set, frozenset, bytes, bytearray, np.ndarray)
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
    match _kind(table):
        case "polars":
            return settled(table, "The polars table")
        case "lazy":
            return settled(_collected(table), "The polars query")
        case "pandas":
            return settled(_from_pandas(table), "The pandas table")
        case _:
            return settled(_from_arrow(table), "The pyarrow table")


def columns(table: Any) -> tuple[str, ...]:
    """The names of the columns of a table in memory."""
    match _kind(table):
        case "polars":
            return name.checked(table.columns, "The polars table")
        case "lazy":
            return name.checked(_schema(table).names(), "The polars query")
        case "pandas":
            return name.checked(table.columns, "The pandas table")
        case "arrow":
            return name.checked(table.schema.names, "The pyarrow table")
    raise DataError(
        "The source must be a path, a glob, or a polars, pandas or pyarrow table, "
        f"got '{type(table).__name__}' instead.",
        "A single column is not a table." if type(table).__name__ == "Series" else "",
    )


def _kind(table: Any) -> str | None:
    if isinstance(table, pl.DataFrame):
        return "polars"
    if isinstance(table, pl.LazyFrame):
        return "lazy"
    ancestors = {(cls.__module__.partition(".")[0], cls.__name__) for cls in type(table).__mro__}
    if ("pandas", "DataFrame") in ancestors:
        return "pandas"
    arrow = {("pyarrow", kind) for kind in ("Table", "RecordBatch", "RecordBatchReader")}
    return "arrow" if ancestors & arrow else None


def _schema(query: pl.LazyFrame) -> pl.Schema:
    try:
        return query.collect_schema()
    except (pl.exceptions.PolarsError, OSError):
        pass
    raise DataError("The polars query fails.", "Collect it first to see why.") from None


def _collected(query: pl.LazyFrame) -> pl.DataFrame:
    try:
        return query.collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        pass
    raise DataError("The polars query fails.", "Collect it first to see why.") from None


def _from_arrow(table: Any) -> pl.DataFrame:
    import pyarrow as pa

    frame = None
    try:
        whole = table.read_all() if isinstance(table, pa.RecordBatchReader) else table
        frame = pl.DataFrame(pl.from_arrow(whole))
    except (pa.ArrowException, pl.exceptions.PolarsError, pl.exceptions.PanicException):
        pass
    if frame is None:
        raise DataError(
            "The pyarrow table has columns that polars cannot hold.",
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
            Problem(
                f"The pandas table has columns that are nested or of no flat type: "
                f"{', '.join(problems)}.",
                hint="Unnest them into columns of single values, or leave them out.",
            )
        )
    return pl.DataFrame(found)


def _series(column: Any) -> pl.Series | str:
    """The column as polars holds it, or the name of the type that cannot be held."""
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
        return pl.Series("", pl.from_arrow(pa.Array.from_pandas(values)))
    except (pa.ArrowException, pl.exceptions.PolarsError, OverflowError, TypeError, ValueError):
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
