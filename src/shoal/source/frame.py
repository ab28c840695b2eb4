"""The last step of every reader: flat types, nulls for missing values, at least one row."""

from __future__ import annotations

from datetime import date

import polars as pl
from polars.selectors import by_name, string

from shoal.errors import DataError
from shoal.source.name import check_names

LONGEST_CELL = 1 << 20
_EXACT = 2**53  # floats below are exact integers
_FIRST_DAY, _LAST_DAY = ((day - date(1970, 1, 1)).days for day in (date.min, date.max))
_KEPT = (pl.String, pl.Boolean, pl.Date, pl.Datetime)
# Neither Arrow nor parquet has 128-bit integers: they become text, as decimals do.
_CAST = (
    pl.Categorical, pl.Enum, pl.Decimal, pl.Int128, pl.UInt128, pl.Time, pl.Duration, pl.Null,
)  # fmt: skip


def normalise(frame: pl.DataFrame, label: str) -> pl.DataFrame:
    """The frame with flat types and one kind of missing value; `label` names it in errors.

    Categories, decimals, 128-bit integers, times of day and durations become text. NaN and the
    empty text become null, so that a table gives the same release whichever format it was stored
    in.

    >>> normalise(pl.DataFrame({"a": [1.5, float("nan")], "b": ["", "x"]}), "The table").rows()
    [(1.5, None), (None, 'x')]
    """
    check_names(frame.columns, label)
    _refuse_nested(frame.schema, label)
    refuse_rowless(frame, label)
    refuse_long(frame, label)
    _refuse_far(frame, label)
    flat = frame.with_columns(
        _as_text(column, dtype) for column, dtype in frame.schema.items() if dtype in _CAST
    )
    return _with_nulls(flat)


def refuse_rowless(frame: pl.DataFrame, label: str) -> None:
    """Raise unless there is at least one row."""
    if not frame.height:
        raise DataError(f"{label} has a header but no rows.", "It must have at least one row.")


def refuse_long(frame: pl.DataFrame, label: str) -> None:
    """Raise if a cell is longer than any text about a person: a quotation mark may be missing."""
    lengths = frame.select(string().str.len_bytes())
    long = [column.name for column in lengths if (column.max() or 0) > LONGEST_CELL]  # type: ignore[operator]
    if long:
        row = (lengths[long[0]] > LONGEST_CELL).arg_max()
        raise DataError(
            f"{label} must have cells of at most {LONGEST_CELL:,} bytes, but has longer ones in "
            f"{', '.join(map(repr, long))} (the first in row {(row or 0) + 1}).",
            "Shorten them, or leave the column out of the table.",
        )


def _refuse_far(frame: pl.DataFrame, label: str) -> None:
    """Raise if a date is outside the years 1 to 9999, as the infinity of PostgreSQL is."""
    # Counted from 1970, since polars panics when it writes some of these dates.
    far = {
        name: ~frame[name].to_physical().is_between(*ends)
        for name, dtype in frame.schema.items()
        if (ends := _calendar(dtype)) is not None
    }
    rows = {name: outside.arg_true() for name, outside in far.items() if outside.any()}
    if rows:
        row = min(places[0] for places in rows.values()) + 1
        raise DataError(
            f"{label} must have dates between the years 1 and 9999, but has others in "
            f"{', '.join(map(repr, rows))} (the first in row {row}).",
            "Leave such cells empty, or leave the column out of the table.",
        )


def _calendar(dtype: pl.DataType) -> tuple[int, int] | None:
    """The first and the last moment of the years 1 to 9999, in the units of a type of dates."""
    if dtype == pl.Date:
        return _FIRST_DAY, _LAST_DAY
    # Nanoseconds do not reach so far.
    if not isinstance(dtype, pl.Datetime) or dtype.time_unit == "ns":
        return None
    day = 86_400 * (1_000 if dtype.time_unit == "ms" else 1_000_000)
    return _FIRST_DAY * day, (_LAST_DAY + 1) * day - 1


def _refuse_nested(schema: pl.Schema, label: str) -> None:
    """Raise if a column contains anything but flat values."""
    nested = {column: dtype for column, dtype in schema.items() if not _is_flat(dtype)}
    if nested:
        listed = ", ".join(f"'{column}' ({dtype.base_type()})" for column, dtype in nested.items())
        raise DataError(
            f"{label} has columns that are nested or binary: {listed}.",
            "Unnest them into columns of single values, or leave them out.",
        )


def named(column: str) -> pl.Expr:
    """The column of exactly this name; `pl.col` would take `*` and `^…$` for patterns."""
    return by_name(column).as_expr()


def natural(column: pl.Series) -> pl.Series:
    """Whole floats as integers, midnights as dates."""
    if column.dtype.is_float():
        whole = ((column == column.floor()) & (column.abs() < _EXACT)).all()
        return column.cast(pl.Int64) if whole else column
    if column.dtype == pl.Datetime:
        day = column.cast(pl.Date)
        return day if (day.cast(column.dtype) == column).all() else column
    return column


def _is_flat(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype in _KEPT or dtype in _CAST


def _as_text(column: str, dtype: pl.DataType) -> pl.Expr:
    cell = named(column)
    return cell.dt.to_string("iso") if dtype == pl.Duration else cell.cast(pl.String)


def _with_nulls(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame, rewriting only the columns that have a NaN or an empty text."""
    odd = {
        column: named(column).is_nan() if dtype.is_float() else named(column) == ""
        for column, dtype in frame.schema.items()
        if dtype.is_float() or dtype == pl.String
    }
    present = frame.select(cell.any() for cell in odd.values())
    return frame.with_columns(
        pl.when(~odd[column]).then(named(column)).alias(column)
        for column in odd
        if present[column].item()
    )
