"""The columns of a published table against those of the manifest and of the original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from shoal.errors import DataError, Problem
from shoal.schema import Schema


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
