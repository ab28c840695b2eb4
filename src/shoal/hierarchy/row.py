"""Hierarchies that are written out row by row: leaf, parent, …, top."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import PurePath

import numpy as np

from shoal.errors import DataError, PlanError, Problem
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
    """What keeps padded rows from being a hierarchy that a reader understands.

    That is a label with two parents, or one that reads as a leaf but covers another. `lines[i]` is
    where row i was found. Leaves are values of people, and a label may repeat its leaf, so messages
    contain neither. Equal rows do not conflict.
    """
    columns = list(zip(*rows, strict=True))
    problems = []
    for level, (below, above) in enumerate(pairwise(columns)):
        if len(set(zip(below, above, strict=True))) > len(set(below)):
            pairs = _clashes(below, above, lines)
            problems.append(_two_parents(level, pairs, where, unit))
    return [*problems, *namesakes(rows, lines, where, unit)]


def namesakes(
    rows: Sequence[Row],
    lines: Sequence[int],
    where: str,
    unit: str = "line",
    name_of: Callable[[str], object] = str,
) -> list[Problem]:
    """Labels above the leaves that are named like a leaf, but cover another.

    Whoever is published under such a label would be taken for the leaf, or for missing where it is
    empty. A mask covers what it reads as, and `*` covers everything.
    """
    leaves = {name_of(row[0]) for row in rows} | {name_of("")}
    problems = []
    for level in range(1, len(rows[0]) if rows else 0):
        found: dict[str, int] = {}
        for row, line in zip(rows, lines, strict=True):
            leaf, label = row[0], row[level]
            if label in (leaf, ROOT) or name_of(label) not in leaves:
                continue
            if name_of(label) != name_of(leaf) and not _is_mask(label, leaf):
                found.setdefault(label, line)
        if found:
            problems.append(_misleading(level, list(found.values()), where, unit))
    return problems


def _is_mask(label: str, leaf: str) -> bool:
    """Whether a label is a leaf with some characters hidden."""
    return len(label) == len(leaf) and all(
        shown in (ROOT, sign) for shown, sign in zip(label, leaf, strict=True)
    )


def _misleading(level: int, lines: list[int], where: str, unit: str) -> Problem:
    listed = ", ".join(f"{unit} {line}" for line in lines[:_LISTED])
    more = f", and {len(lines) - _LISTED} more" if len(lines) > _LISTED else ""
    return Problem(
        f"A label must not be the name of a leaf unless it covers that leaf alone, but "
        f"{len(lines)} labels of column {level + 1} are ({listed}{more}): a reader would take them "
        "for the leaf.",
        where,
        "Give these labels names of their own.",
        lines[0] if unit == "line" else None,
    )


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
    if problems := namesakes(rows, range(1, len(rows) + 1), values.where or name, "row", _numeral):
        raise PlanError(problems)
    for place in np.flatnonzero(found < 0).tolist():
        found[place] = by_number.get(float(values.numbers[place]), -1)
    return found


def _numeral(label: str) -> object:
    """What a label reads as where values are numbers."""
    try:
        # Python takes 1_0 for 10, but nobody who reads a table does.
        return label if "_" in label else float(label)
    except ValueError:
        return label


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
