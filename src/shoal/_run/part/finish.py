"""Published rows as they are written: under their names, with types where they have some."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import polars as pl

from shoal._run.part.person_number import Numbers
from shoal.release.type import CellType, parse

Finish = Callable[[pl.DataFrame], pl.DataFrame]


def named(names: tuple[str, ...], rows: pl.DataFrame) -> pl.DataFrame:
    """The published columns of rows under their names."""
    return pl.DataFrame([rows[f"p{i}"].alias(name) for i, name in enumerate(names)])


def finished(
    names: tuple[str, ...], types: Mapping[str, pl.DataType], rows: pl.DataFrame
) -> pl.DataFrame:
    """The rows as they are written."""
    data = named(names, rows)
    return data.with_columns(
        parse(data[name].cast(pl.String), dtype).alias(name)
        for name, dtype in types.items()
        if dtype != pl.String
    )


def finished_people(numbers: Numbers, finish: Finish, rows: pl.DataFrame) -> pl.DataFrame:
    """The same where people are numbered as they appear in the whole table."""
    return finish(numbers(rows))


def cell_types(columns: tuple[str, ...], rows: pl.DataFrame) -> dict[str, CellType]:
    """What the cells of a batch tell of the types of columns."""
    return {c: CellType.of(rows[c].unique().drop_nulls().cast(pl.String)) for c in columns}


def both_types(one: dict[str, CellType], other: dict[str, CellType]) -> dict[str, CellType]:
    """What two batches tell together."""
    return {name: own.merge(other[name]) for name, own in one.items()}
