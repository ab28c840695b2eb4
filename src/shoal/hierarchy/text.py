"""Levels that follow from the text of a value: masks, dates, and the flat hierarchy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem
from shoal.hierarchy.level import ROOT, Ints, Level, Levels, Values
from shoal.schema import HierarchySpec

Moments: TypeAlias = NDArray[np.datetime64]

DATE_UNITS = ("minute", "hour", "day", "month", "quarter", "year", "decade")


def finest(spec: HierarchySpec) -> str:
    """The unit that a value itself is written in."""
    return "minute" if spec.has_clock else "day"


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
    """One level for each unit coarser than the values, then the root."""
    moments = _read_moments(values, clock=spec.has_clock)
    upper = [_LEVELS[unit](moments) for unit in spec.units if unit != finest(spec)]
    return Levels((*upper, Level.root(len(moments))), ROOT)


def _read_moments(values: Values, clock: bool) -> Moments:
    """Days, or moments to the minute; an error if a text is none of the calendar."""
    column = pl.Series(values.texts, dtype=pl.String)
    form, pattern, words = _FORMS[clock]
    moments = column.str.to_datetime(form, time_unit="us", strict=False)
    # polars also reads 2020-1-5 and 20-01-05, which are not of the form.
    bad = moments.is_null() | ~column.str.contains(pattern)
    if n_bad := int(bad.sum()):
        raise DataError(
            Problem(
                f"{n_bad} of {len(column)} values are not {words}.",
                values.where,
                "Write them in this form, or list the values under 'missing'.",
            )
        )
    return moments.to_numpy()


_FORMS = {
    False: ("%Y-%m-%d", r"^\d{4}-\d{2}-\d{2}$", "dates of the form YYYY-MM-DD"),
    True: (
        "%Y-%m-%d %H:%M",
        r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$",
        "moments of the form YYYY-MM-DD HH:MM",
    ),
}


def _since(moments: Moments, unit: Literal["h", "D", "M", "Y"]) -> Ints:
    """Whole units since 1970."""
    return moments.astype(f"datetime64[{unit}]").astype(np.int64)


_LEVELS: dict[str, Callable[[Moments], Level]] = {
    "hour": lambda moments: Level.of_keys(
        _since(moments, "h"), lambda key: f"{np.datetime64(key // 24, 'D')} {key % 24:02d}h"
    ),
    "day": lambda moments: Level.of_keys(
        _since(moments, "D"), lambda key: str(np.datetime64(key, "D"))
    ),
    "month": lambda moments: Level.of_keys(
        _since(moments, "M"), lambda key: f"{1970 + key // 12:04d}-{key % 12 + 1:02d}"
    ),
    "quarter": lambda moments: Level.of_keys(
        _since(moments, "M") // 3, lambda key: f"{1970 + key // 4:04d}-Q{key % 4 + 1}"
    ),
    "year": lambda moments: Level.of_keys(_since(moments, "Y"), lambda key: f"{1970 + key:04d}"),
    "decade": lambda moments: Level.of_keys(
        _since(moments, "Y") // 10, lambda key: f"{1970 + key * 10:04d}-{1979 + key * 10:04d}"
    ),
}
