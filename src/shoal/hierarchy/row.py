"""Hierarchies that are written out row by row: leaf, parent, …, top."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePath

import numpy as np

from shoal.errors import DataError, Problem
from shoal.hierarchy.level import ROOT, Ints, Level, Levels, Values, read_numbers
from shoal.schema import HierarchySpec, Kind

Row = tuple[str, ...]

_LISTED = 10
_EXACT = 2.0**53  # beyond, different whole numbers may be one float


def pad(rows: Iterable[Row]) -> list[Row]:
    """All rows of one length, each padded with its own top.

    >>> pad([("a", "A", "*"), ("b", "*")])
    [('a', 'A', '*'), ('b', '*', '*')]
    """
    rows = list(rows)
    length = max(map(len, rows), default=0)
    return [row + row[-1:] * (length - len(row)) for row in rows]


def conflicts(
    rows: Sequence[Row], lines: Sequence[int], where: str, unit: str = "line"
) -> list[Problem]:
    """What keeps padded rows from being a hierarchy: a label with two parents.

    `lines[i]` is where row i was found. Leaves are values of people, and a label may repeat its
    leaf, so messages contain neither. Equal rows do not conflict.
    """
    columns = list(zip(*rows, strict=True))
    problems = []
    for level, (below, above) in enumerate(pairwise(columns)):
        if len(set(zip(below, above, strict=True))) > len(set(below)):
            pairs = _clashes(below, above, lines)
            problems.append(_two_parents(level, pairs, where, unit))
    return problems


def _clashes(
    below: Sequence[str], above: Sequence[str], lines: Sequence[int]
) -> list[tuple[int, int]]:
    """For each label with two parents, the lines of the first and of the second."""
    first: dict[str, tuple[str, int]] = {}
    pairs: dict[str, tuple[int, int]] = {}
    for label, parent, line in zip(below, above, lines, strict=True):
        known, at = first.setdefault(label, (parent, line))
        if known != parent:
            pairs.setdefault(label, (at, line))
    return list(pairs.values())


def _two_parents(level: int, pairs: list[tuple[int, int]], where: str, unit: str) -> Problem:
    what = "leaves" if level == 0 else f"labels of column {level + 1}"
    listed = "; ".join(f"{unit}s {a} and {b}" for a, b in pairs[:_LISTED])
    more = f"; and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
    return Problem(
        f"Each label must have one parent, but {len(pairs)} {what} have two in column {level + 2} "
        f"({listed}{more}).",
        where,
        "Rename labels that mean different things.",
        pairs[0][0] if unit == "line" else None,
    )


def climb_rows(spec: HierarchySpec, values: Values) -> Levels:
    """Look each value up among the leaves: by text, and for numbers also by number."""
    name = PurePath(spec.path).name or spec.form
    found = _find(spec.rows, values, name)
    if n_outside := int((found < 0).sum()):
        raise DataError(
            Problem(
                f"{n_outside} of {len(found)} values have no leaf in the hierarchy '{name}'.",
                values.where,
                f"Add {'rows to the file' if spec.path else 'leaves'} for them, or list them "
                "under 'missing'.",
            )
        )
    columns = list(zip(*spec.rows, strict=True))
    upper = [Level.of_labels(column) for column in columns[1:]]
    root = ROOT if len(columns) > 1 and set(columns[-1]) == {ROOT} else None
    return Levels(
        tuple(Level(level.codes[found], level.labels) for level in upper), root, position=found
    )


def _find(rows: Sequence[Row], values: Values, name: str) -> Ints:
    """The row of each value, -1 where there is none."""
    by_text = {row[0]: place for place, row in enumerate(rows)}
    found = np.array([by_text.get(text, -1) for text in values.texts], dtype=np.int64)
    if values.kind is not Kind.NUMERIC or values.numbers is None:
        return found
    by_number = _rows_by_number(rows, name)
    for place in np.flatnonzero(found < 0).tolist():
        found[place] = by_number.get(float(values.numbers[place]), -1)
    return found


def _rows_by_number(rows: Sequence[Row], name: str) -> dict[float, int]:
    """The first row of each number; an error where two spellings of it have different parents."""
    by_number: dict[float, int] = {}
    clashes: list[tuple[int, int]] = []
    for place, number in enumerate(read_numbers([row[0] for row in rows]).tolist()):
        if number != number:
            continue
        first = by_number.setdefault(number, place)
        if rows[first][1:] != rows[place][1:] and abs(number) < _EXACT:
            clashes.append((first + 1, place + 1))
    if clashes:
        raise DataError(_two_parents(0, clashes, name, "row"))
    return by_number
