"""A published table against the original, without a map from rows to rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem
from shoal.reading.encoding import Integers
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.text.structure import report_rows


def demand_columns(original: pl.DataFrame, schema: Schema) -> None:
    """Raise DataError where the original lacks a column that is published."""
    problems = [
        Problem(
            f"The original has no column {a.name!r}, but the release does.",
            hint="Is it the table that the release was made from?",
        )
        for a in schema.published
        if a.name not in original.columns
    ]
    if problems:
        raise DataError(problems)


def compare_columns(required: Sequence[str], present: Sequence[str]) -> Iterator[Problem]:
    """The columns of the manifest that a table lacks, and those that it has besides."""
    for name in required:
        if name not in present:
            yield Problem(f"Column {name!r} is in the manifest but not in the table.")
    for name in present:
        if name not in required:
            yield Problem(f"Column {name!r} is in the table but not in the manifest.")


def match_rows(
    data: pl.DataFrame,
    original: pl.DataFrame,
    schema: Schema,
    roles: tuple[Role, ...] = (Role.SENSITIVE, Role.INSENSITIVE),
    symbols: Collection[str] = (),
) -> tuple[Integers | None, int | None, list[Problem]]:
    """For every published row a row of the original with the same unchanged cells, no row twice.

    Returns these rows, how many different rows of the original at least no published row is like,
    and what does not fit; the first two are None where something does not. Columns with missing
    published cells are left out: which texts of the original were taken as missing is not known.
    So are those of `symbols`, which do not show values.
    """
    unchanged = [a for a in schema.of(*roles) if a.name not in symbols]
    compared = [a for a in unchanged if not data[a.name].null_count()]
    sides = []
    types = [data.schema, original.schema]
    for table, name in ((data, "place"), (original, "row")):
        cells = [
            comparable(table[a.name], a, *(t[a.name] for t in types)).alias(f"cell{i}")
            for i, a in enumerate(compared)
        ]
        side = pl.DataFrame([pl.int_range(table.height, eager=True).alias(name), *cells])
        keys = [f"cell{i}" for i in range(len(compared))]
        nth = pl.int_range(pl.len()).over(keys) if keys else pl.col(name)
        sides.append(side.with_columns(nth.alias("nth")))
    matched = sides[0].join(sides[1], on=[*keys, "nth"], how="left", maintain_order="left")
    if matched["row"].null_count():
        return None, None, list(_report_lost(matched, sides[1], keys))
    return matched["row"].to_numpy().astype(np.int64), _count_unseen(sides[0], sides[1], keys), []


def _count_unseen(data: pl.DataFrame, original: pl.DataFrame, keys: list[str]) -> int:
    """How many different rows of the original are like no published row.

    Values that are published nowhere count as one, since several may be read as missing.
    """
    if not keys:
        return 0
    unseen = original.join(data, on=keys, how="anti").select(keys)
    known = [
        pl.when(pl.col(key).is_in(data[key].unique().implode())).then(pl.col(key)) for key in keys
    ]
    return unseen.select(known).unique().height


def _report_lost(
    matched: pl.DataFrame, original: pl.DataFrame, keys: list[str]
) -> Iterator[Problem]:
    """Rows whose cells the original does not have, by number, and how many more are too many.

    Where the original has fewer such rows, any of the published ones may be at fault.
    """
    n_lost = matched["row"].null_count()
    if not keys:
        yield Problem(f"{n_lost} more rows are published than the original has.")
        return
    known = original.select(keys).unique().with_columns(known=True)
    joined = matched.join(known, on=keys, how="left", maintain_order="left")
    strange = joined["known"].is_null().to_numpy().astype(np.bool_)
    text = "{n} rows have sensitive or other unchanged values that no row of the original has"
    yield from report_rows(text, strange)
    n_over = n_lost - int(strange.sum())
    if n_over:
        yield Problem(
            "Some sensitive or other unchanged values are in more rows than in the original, by "
            f"{n_over} in all; which of these rows are at fault is not known."
        )


def comparable(cells: pl.Series, attribute: Attribute, *types: pl.DataType) -> pl.Series:
    """Cells as text; numbers alike however they are written, if any of the types is of numbers."""
    text = cells.cast(pl.String)
    if attribute.kind is not Kind.NUMERIC and not any(t.is_numeric() for t in types):
        return text
    number = text.str.strip_chars().cast(pl.Float64, strict=False)
    # -0.0 and 0.0 are one number with two texts.
    unsigned = number.zip_with(number.fill_null(1.0) != 0, pl.Series([0.0]))
    return unsigned.cast(pl.String).fill_null(text)
