"""What a person should look at before a plan is made or run."""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from shoal._command.init.column import ColumnProfile
from shoal._command.init.profile import Profile
from shoal.errors import DataError

_FREQUENT = 0.01
_YEAR = re.compile(r"(1[89]|20)\d\d")


def check_header(profile: Profile) -> None:
    """Refuse a table most of whose names are numbers, or values of their own column."""
    odd = sum(_is_number(c.name) or _is_own_value(c) for c in profile.columns)
    n_columns = len(profile.columns)
    if 2 * odd > n_columns:
        raise DataError(
            "The first line looks like a row, not like a header: "
            f"{odd} of {n_columns} names of columns are numbers or values of their own column.",
            "Add a header that names the columns.",
        )


def oddities(profile: Profile) -> list[str]:
    """What the plan does not settle, as notes."""
    groups: dict[tuple[tuple[str, ...], bool], list[ColumnProfile]] = {}
    for column in profile.columns:
        if column.n_markers:
            groups.setdefault((column.markers, column.numbers_but_markers), []).append(column)
    notes = [_marked(columns) for columns in groups.values()]
    coded = [c for c in profile.columns if c.n_negative_codes > _FREQUENT * c.n_rows]
    return [*notes, *([_negative(coded)] if coded else [])]


def _marked(columns: Sequence[ColumnProfile]) -> str:
    """Only words for missing are shown, never another text of a cell."""
    first = columns[0]
    words = " ".join(first.markers)
    rest = ", and all others numbers" if first.numbers_but_markers else ""
    cells = _cells(sum(c.n_markers for c in columns))
    return (
        f"{_names(columns)} in {cells} a text that often means missing ({words}){rest}; "
        "if it does, list it under 'missing'"
    )


def _negative(columns: Sequence[ColumnProfile]) -> str:
    cells = _cells(sum(c.n_negative_codes for c in columns))
    return (
        f"{_names(columns)} in {cells} a negative whole number, as surveys code an answer that "
        "is not there, and no other negative one; these often mean missing; if they do, list them "
        "under 'missing'"
    )


def _names(columns: Sequence[ColumnProfile]) -> str:
    listed = ", ".join(repr(column.name) for column in columns)
    return f"{listed} {'has' if len(columns) == 1 else 'have'}"


def _cells(count: int) -> str:
    return f"{count:,} cell{'' if count == 1 else 's'}"


def _is_own_value(column: ColumnProfile) -> bool:
    name = column.name.strip()
    return bool((column.values.cast(pl.String).str.strip_chars() == name).any())


def _is_number(name: str) -> bool:
    """Whether a name is a number other than a year, which may well be a name."""
    if _YEAR.fullmatch(name):
        return False
    try:
        float(name)
    except ValueError:
        return False
    return True
