"""The types of published columns: numbers, dates and booleans that are shown as they were.

A run works on text, and so do the verifier and CSV. In memory, in parquet and in Arrow, a column
whose cells are shown as they were has a type. It must not tell of cells that are not shown: ints
are floats in pandas if one person's is missing. So it is that of the input only where every cell of
the column is shown, or where the text says as much (booleans, dates, times); else it follows from
the published cells and the declared kind alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import ShoalError
from shoal.schema import Attribute, Kind
from shoal.table.column import declared_kind

if TYPE_CHECKING:
    import pandas as pd

# More digits, and zeros in front, are those of codes.
_WHOLE = r"\A(0|-?[1-9]\d{0,14})\z"
_LONG = r"\A[+-]?\d{16,}\z"
_DATE = r"\A\d{4}-\d{2}-\d{2}\z"
_MOMENT = r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"
_TIMES: Mapping[str, pl.DataType] = {
    rf"\A{_MOMENT}\.\d{{3}}\z": pl.Datetime("ms"),
    rf"\A{_MOMENT}\.\d{{6}}\z": pl.Datetime("us"),
    rf"\A{_MOMENT}\.\d{{9}}\z": pl.Datetime("ns"),
}
_CODES = (Kind.CATEGORICAL, Kind.ORDINAL)


def with_types(
    table: pl.DataFrame,
    shown: Iterable[tuple[str, Attribute]],
    given: Mapping[str, pl.DataType],
    *,
    plain: bool = True,
) -> pl.DataFrame:
    """The table with types where cells are `shown` as they were; all other text is plain text.

    `shown` pairs the columns with the attributes that they are of; `given` are the types to keep.
    Plain text takes 16 bytes a cell: where it is not `plain`, text in a dictionary stays there.

    >>> from shoal.schema import Role
    >>> table = pl.DataFrame({"age": ["[20, 29]", "*"], "pay": ["900", "1200.5"]})
    >>> with_types(table, [("pay", Attribute("pay", Role.SENSITIVE))], {}).dtypes
    [String, Float64]
    """
    attributes = dict(shown)
    columns = [
        _typed(column, attributes[column.name], given.get(attributes[column.name].name))
        if column.name in attributes
        else column
        for column in table
    ]
    typed = pl.DataFrame(columns)
    return typed.with_columns(pl.col(pl.Enum).cast(pl.String)) if plain else typed


def _typed(column: pl.Series, attribute: Attribute, given: pl.DataType | None) -> pl.Series:
    if column.dtype == given:
        return column
    text = column if isinstance(column.dtype, pl.Enum) else column.cast(pl.String)
    cells = text.unique().drop_nulls().cast(pl.String)
    dtype = given if given is not None else type_of_cells(cells, attribute)
    # A type that cannot hold every cell would lose some.
    if dtype == pl.String or parse(cells, dtype).null_count():
        return text
    if not isinstance(text.dtype, pl.Enum):
        return parse(text, dtype).alias(column.name)
    values = parse(text.dtype.categories, dtype)
    return values.gather(text.to_physical()).alias(column.name)


def type_of_cells(cells: pl.Series, attribute: Attribute) -> pl.DataType:
    """The type that different texts have in common, as far as they and the plan tell.

    A text is a number only if the number says all of it: `250.00` may be a code, as `007` is.

    >>> from shoal.schema import Role
    >>> code = Attribute("code", Role.INSENSITIVE)
    >>> [type_of_cells(pl.Series(c), code) for c in (["7", "12"], ["007"], ["true"])]
    [Int64, String, Boolean]
    """
    return CellType.of(cells).dtype(attribute)


@dataclass(frozen=True)
class CellType:
    """What is true of all of some texts; of several lots of them together, where it is of each."""

    empty: bool = True
    boolean: bool = True
    whole: bool = True
    number: bool = True
    pointed: bool = True
    shortest: bool = True
    date: bool = True
    times: tuple[bool, ...] = (True,) * len(_TIMES)

    @classmethod
    def of(cls, cells: pl.Series) -> CellType:
        if cells.is_empty():
            return cls()
        numbers = cells.cast(pl.Float64, strict=False)
        number = not (
            numbers.null_count() or not numbers.is_finite().all() or cells.str.contains(_LONG).any()
        )
        with_point = numbers.cast(pl.String)
        rest = cells.filter(with_point.str.strip_suffix(".0") != cells) if number else cells[:0]
        return cls(
            False,
            bool(cells.is_in(["true", "false"]).all()),
            bool(cells.str.contains(_WHOLE).all()),
            number,
            number and bool((with_point == cells).all()),
            number and all(repr(float(t)) == t and not t.endswith(".0") for t in rest),
            bool(cells.str.contains(_DATE).all()),
            tuple(bool(cells.str.contains(form).all()) for form in _TIMES),
        )

    def merge(self, other: CellType) -> CellType:
        """What is true of the texts of both."""
        return CellType(
            self.empty and other.empty,
            self.boolean and other.boolean,
            self.whole and other.whole,
            self.number and other.number,
            self.pointed and other.pointed,
            self.shortest and other.shortest,
            self.date and other.date,
            tuple(a and b for a, b in zip(self.times, other.times, strict=True)),
        )

    def dtype(self, attribute: Attribute) -> pl.DataType:
        """The type that the texts have in common, as far as they and the plan tell."""
        kind = declared_kind(attribute)
        if self.empty:
            return _of_kind(kind)
        if self.boolean:
            return pl.Boolean()
        if kind in _CODES:
            return pl.String()
        if self.whole:
            return pl.Int64()
        # Every text is the shortest of its number: all as `57.0`, or all as `57`.
        if kind is Kind.NUMERIC or (self.number and (self.pointed or self.shortest)):
            return pl.Float64()
        if self.date:
            return pl.Date()
        found = (t for t, fits in zip(_TIMES.values(), self.times, strict=True) if fits)
        return next(found, pl.String())


def _of_kind(kind: Kind | None) -> pl.DataType:
    types: Mapping[Kind | None, pl.DataType] = {Kind.NUMERIC: pl.Float64(), Kind.DATE: pl.Date()}
    return types.get(kind, pl.String())


def parse(texts: pl.Series, dtype: pl.DataType) -> pl.Series:
    """What texts say in a type; null where they do not say it."""
    if dtype == pl.Boolean:
        return texts.replace_strict({"true": True, "false": False}, default=None)
    if dtype == pl.Date:
        return texts.str.to_date("%Y-%m-%d", strict=False)
    if isinstance(dtype, pl.Datetime):
        zone = "%:z" if dtype.time_zone else ""
        form = f"%Y-%m-%d %H:%M:%S%.f{zone}"
        moments = texts.str.to_datetime(form, time_unit=dtype.time_unit, strict=False)
        return moments.dt.convert_time_zone(dtype.time_zone) if dtype.time_zone else moments
    return texts.cast(dtype, strict=False)


def as_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """The table in pandas; whole numbers and booleans with missing cells have a type for that.

    >>> as_pandas(pl.DataFrame({"visits": [3, None], "age": ["[20, 29]", "*"]})).dtypes.to_list()
    [Int64Dtype(), dtype('O')]
    """
    try:
        from pandas.arrays import BooleanArray, IntegerArray
    except ModuleNotFoundError:
        hint = "Install it: pip install 'pandas>=2.3'."
        raise ShoalError("A table in pandas needs the package pandas.", hint) from None
    frame = table.to_pandas()
    for column in table:
        if column.null_count() and (column.dtype.is_integer() or column.dtype == pl.Boolean):
            array = BooleanArray if column.dtype == pl.Boolean else IntegerArray
            blank = column.is_null().to_numpy()
            values = column.fill_null(False if column.dtype == pl.Boolean else 0).to_numpy()
            frame[column.name] = array(values.copy(), blank.copy())
    return frame
