"""Levels that follow from the text of a value: masks, dates, and the flat hierarchy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem
from shoal.hierarchy.level import ROOT, Ints, Level, Levels, Values
from shoal.schema import HierarchySpec

DATE_UNITS = ("day", "month", "quarter", "year", "decade")


def climb_flat(spec: HierarchySpec, values: Values) -> Levels:
    """The value, then the root."""
    return Levels((Level.root(len(values.texts)),), ROOT)


def climb_mask(spec: HierarchySpec, values: Values) -> Levels:
    """Level j hides the last j characters; the parent of a mask is a function of the mask."""
    below = Level.of_labels(values.texts)
    upper: list[Level] = []
    for n_hidden in range(1, spec.mask + 1):
        masked = Level.of_labels(_mask(pl.Series(below.labels, dtype=pl.String), n_hidden))
        below = Level(masked.codes[below.codes], masked.labels)
        upper.append(below)
    # Several stars reveal how many characters there were: only a single one is the root.
    return Levels(tuple(upper), ROOT if tuple(below.labels) == (ROOT,) else None)


def _mask(texts: pl.Series, n_hidden: int) -> list[str]:
    """Each text with its last characters hidden, all of them if it is shorter than that."""
    stars = pl.Series([ROOT * n_hidden]).new_from_index(0, len(texts))
    return (texts.str.head(-n_hidden) + stars.str.head(texts.str.len_chars())).to_list()


def climb_dates(spec: HierarchySpec, values: Values) -> Levels:
    """One level for each unit coarser than a day, then the root."""
    years, months = _read_dates(values)
    upper = [_LEVELS[unit](years, months) for unit in spec.units if unit != "day"]
    return Levels((*upper, Level.root(len(years))), ROOT)


def _read_dates(values: Values) -> tuple[Ints, Ints]:
    """Years and months (from 0); an error if a text is not a date of the calendar."""
    column = pl.Series(values.texts, dtype=pl.String)
    dates = column.str.to_date("%Y-%m-%d", strict=False)
    bad = dates.is_null() | ~column.str.contains(r"^\d{4}-\d{2}-\d{2}$")
    if n_bad := int(bad.sum()):
        raise DataError(
            Problem(
                f"{n_bad} of {len(column)} values are not dates of the form YYYY-MM-DD.",
                values.where,
                "Write dates in this form, or list the values under 'missing'.",
            )
        )
    years = dates.dt.year().to_numpy().astype(np.int64)
    return years, dates.dt.month().to_numpy().astype(np.int64) - 1


_LEVELS: dict[str, Callable[[Ints, Ints], Level]] = {
    "month": lambda years, months: Level.of_keys(
        years * 12 + months, lambda key: f"{key // 12:04d}-{key % 12 + 1:02d}"
    ),
    "quarter": lambda years, months: Level.of_keys(
        years * 4 + months // 3, lambda key: f"{key // 4:04d}-Q{key % 4 + 1}"
    ),
    "year": lambda years, months: Level.of_keys(years, lambda key: f"{key:04d}"),
    "decade": lambda years, months: Level.of_keys(
        years // 10, lambda key: f"{key * 10:04d}-{key * 10 + 9:04d}"
    ),
}
