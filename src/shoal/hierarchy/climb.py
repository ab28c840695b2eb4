"""From values to the labels that they may be published as; the missing value is placed here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.errors import DataError, Problem
from shoal.hierarchy.interval import climb_intervals, climb_widths
from shoal.hierarchy.level import Bools, Floats, Ints, Level, Levels, Values, read_numbers
from shoal.hierarchy.row import climb_rows
from shoal.hierarchy.text import climb_dates, climb_flat, climb_mask
from shoal.schema import HierarchySpec, Kind

BUILDERS: dict[str, Callable[[HierarchySpec, Values], Levels]] = {
    "file": climb_rows,
    "tree": climb_rows,
    "intervals": climb_intervals,
    "width": climb_widths,
    "mask": climb_mask,
    "dates": climb_dates,
    "flat": climb_flat,
}


@dataclass(frozen=True, slots=True)
class RankedLevels:
    """The levels above the values, and the place of each value in the natural order."""

    upper: tuple[Level, ...]
    rank: Ints


def climb(
    spec: HierarchySpec,
    values: Sequence[str | None],
    kind: Kind,
    numbers: Floats | None = None,
    where: str = "",
) -> RankedLevels:
    """Every level of every value; None is missing.

    A missing value takes the row of the empty leaf where a file or tree has one. Otherwise it is
    a node of its own, published as empty at every level, except that it joins a root.
    """
    missing = np.array([value is None for value in values], dtype=np.bool_)
    texts = ["" if value is None else value for value in values]
    numbers = _check_numbers(texts, missing, kind, numbers, where)
    covered = ~missing | any(row[0] == "" for row in spec.rows)
    places = np.flatnonzero(covered)
    present = Values(
        [texts[place] for place in places.tolist()],
        kind,
        None if numbers is None else numbers[places],
        where,
    )
    levels = BUILDERS[spec.form](spec, present)
    rank = _rank(texts, missing, _natural_key(kind, numbers, levels.position, covered))
    return RankedLevels(_place_missing(levels, covered), rank)


def _check_numbers(
    texts: Sequence[str], missing: Bools, kind: Kind, numbers: Floats | None, where: str
) -> Floats | None:
    if kind is not Kind.NUMERIC:
        return None
    numbers = read_numbers(texts) if numbers is None else np.asarray(numbers, dtype=np.float64)
    if n_bad := int((np.isnan(numbers) & ~missing).sum()):
        raise DataError(
            Problem(
                f"{n_bad} of {len(texts)} values are not numbers.",
                where,
                "List them under 'missing', or declare another kind.",
            )
        )
    return numbers


def _natural_key(
    kind: Kind, numbers: Floats | None, position: Ints | None, covered: Bools
) -> Floats:
    """Numbers by size, ordinals as given, dates by text, others by file or else by text."""
    if numbers is not None:
        return numbers
    key = np.zeros(len(covered), dtype=np.float64)
    if kind is Kind.ORDINAL:
        key[:] = np.arange(len(key))
    elif kind is Kind.CATEGORICAL and position is not None:
        key[covered] = position
    return key


def _rank(texts: Sequence[str], missing: Bools, key: Floats) -> Ints:
    """The place of each value by key, then text; the missing value is last."""
    rank = np.empty(len(texts), dtype=np.int64)
    by_text = pl.Series(texts, dtype=pl.String).arg_sort().to_numpy()
    text_rank = np.empty(len(texts), dtype=np.int64)
    text_rank[by_text] = np.arange(len(texts))
    # Text breaks ties, so that codes do not depend on the order of rows.
    rank[np.lexsort((text_rank, key, missing))] = np.arange(len(texts))
    return rank


def _place_missing(levels: Levels, covered: Bools) -> tuple[Level, ...]:
    if covered.all():
        return levels.upper
    upper = [_with_own_node(level, covered) for level in levels.upper]
    if levels.root is not None:
        top = np.zeros(len(covered), dtype=np.int64)
        upper[-1] = Level(top, (levels.root,))
    return tuple(upper)


def _with_own_node(level: Level, covered: Bools) -> Level:
    codes = np.full(len(covered), len(level.labels), dtype=np.int64)
    codes[covered] = level.codes
    return Level(codes, (*level.labels, None))
