"""CSV cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import re

import polars as pl

# With quotes before it, too: what looks escaped gets one more, so that reading undoes one each.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def escape(text: str) -> str:
    """Put a quote before text that a spreadsheet could run, unless it is a number.

    >>> escape("=1+1"), escape("-5"), escape("-x"), escape("'=1")
    ("'=1+1", '-5', "'-x", "''=1")
    """
    if _FORMULA.match(text) and not _NUMBER.fullmatch(text):
        return "'" + text
    return text


def escape_table(table: pl.DataFrame) -> pl.DataFrame:
    """The same table with every text cell and every header escaped."""
    columns = [
        escape_column(table[name]) if _is_text(dtype) else table[name]
        for name, dtype in table.schema.items()
    ]
    return pl.DataFrame([column.rename(escape(column.name)) for column in columns])


def escape_column(column: pl.Series) -> pl.Series:
    """Escape dictionary text through its dictionary, other text cell by cell."""
    if isinstance(column.dtype, pl.Categorical):
        shown = column.unique().drop_nulls().cast(pl.String)
        if all(escape(text) == text for text in shown):
            return column
        column = column.cast(pl.String)
    if isinstance(column.dtype, pl.Enum):
        categories = column.dtype.categories.to_list()
        escaped = [escape(text) for text in categories]
        if escaped == categories:
            return column
        if len(set(escaped)) == len(escaped):
            return column.to_physical().cat.to(pl.Enum(escaped)).rename(column.name)
        column = column.cast(pl.String)
    cell = pl.col("cell")
    risky = cell.str.contains(rf"^{_FORMULA.pattern}")
    number = cell.str.contains(rf"^({_NUMBER.pattern})$")
    written = pl.when(risky & ~number).then(pl.concat_str(pl.lit("'"), cell)).otherwise(cell)
    return (
        column.rename("cell").to_frame().select(written.alias("cell"))["cell"].rename(column.name)
    )


def _is_text(dtype: pl.DataType) -> bool:
    return dtype == pl.String or isinstance(dtype, pl.Enum | pl.Categorical)
