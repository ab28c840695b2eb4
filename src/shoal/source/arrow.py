"""Arrow's types: what polars cannot hold is refused, or converted, before it gets there.

polars panics on some of them, and a panic is written to the terminal even if it is caught.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import polars as pl

from shoal.errors import DataError, Problem

if TYPE_CHECKING:
    import pyarrow as pa


def check_types(schema: pa.Schema, label: str) -> None:
    """Raise unless polars can hold every column, or `frame_of` can convert it."""
    strange, elsewhere = [], []
    for field in schema:
        parts = [] if _is_wide(field.type) else list(_parts(field.type))
        if any(_is_strange(part) for part in parts):
            strange.append(f"'{field.name}' ({field.type})")
        if any(_has_unknown_zone(part) for part in parts):
            elsewhere.append(repr(field.name))
    problems = []
    if strange:
        problems.append(
            Problem(
                f"{label} has columns of types that cannot be read: {', '.join(strange)}.",
                hint="Convert them to numbers, text or dates first, or leave them out.",
            )
        )
    if elsewhere:
        problems.append(
            Problem(
                f"{label} has columns in a time zone that is not in the time zone database: "
                f"{', '.join(elsewhere)}.",
                hint="Convert them to UTC or to a zone such as Europe/Berlin first.",
            )
        )
    if problems:
        raise DataError(problems)


def needs_conversion(schema: pa.Schema) -> bool:
    """Whether only `frame_of` can make a frame of such a table."""
    return any(_is_wide(field.type) for field in schema)


def frame_of(table: pa.Table) -> pl.DataFrame:
    """The table in polars; decimals that it cannot hold as text, as all others become."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if _is_wide(field.type):
            cells = table.column(place).to_pylist()
            texts = [None if cell is None else format(cell, "f") for cell in cells]
            table = table.set_column(place, field.name, pa.array(texts, pa.large_string()))
    return pl.DataFrame(pl.from_arrow(table))


def _parts(dtype: pa.DataType) -> Iterator[pa.DataType]:
    """The type, and all types inside it."""
    import pyarrow as pa

    yield dtype
    if pa.types.is_dictionary(dtype):
        yield from _parts(dtype.value_type)
    for place in range(dtype.num_fields):
        yield from _parts(dtype.field(place).type)


def _is_wide(dtype: pa.DataType) -> bool:
    """Whether it is a decimal of more than 38 digits, or one without its last digits."""
    import pyarrow as pa

    return bool(pa.types.is_decimal(dtype) and (pa.types.is_decimal256(dtype) or dtype.scale < 0))


def _is_strange(dtype: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_interval(dtype)
        or pa.types.is_run_end_encoded(dtype)
        or pa.types.is_union(dtype)
        or pa.types.is_list_view(dtype)
        or pa.types.is_large_list_view(dtype)
        or _is_wide(dtype)
    )


def _has_unknown_zone(dtype: pa.DataType) -> bool:
    import pyarrow as pa

    if not pa.types.is_timestamp(dtype) or dtype.tz is None:
        return False
    try:
        pl.Series(dtype=pl.Datetime("us", dtype.tz)).cast(pl.Datetime("us", dtype.tz))
    except pl.exceptions.PolarsError:
        return True
    return False
