"""What somebody should look at before a plan is made or run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from shoal._command.init.column import ColumnProfile
from shoal._command.init.profile import Profile
from shoal.errors import DataError
from shoal.schema.wording import counted

_FREQUENT = 0.01
_YEAR = re.compile(r"(1[89]|20)\d\d")


def check_header(profile: Profile) -> None:
    """Refuse a table in which most names are numbers, or values of their own column."""
    odd = sum(_is_number(c.name) or _is_own_value(c) for c in profile.columns)
    n_columns = len(profile.columns)
    if 2 * odd > n_columns:
        raise DataError(
            "The first line must be a header, but it looks like a row: "
            f"{odd} of {n_columns} names are numbers, or values of their own column.",
            "Add a line with the names of the columns.",
        )


def oddities(profile: Profile) -> list[str]:
    """Notes on what the plan leaves open."""
    groups: dict[tuple[tuple[str, ...], bool], list[ColumnProfile]] = {}
    for column in profile.columns:
        if column.n_markers:
            groups.setdefault((column.markers, column.numbers_but_markers), []).append(column)
    notes = [_marked(columns) for columns in groups.values()]
    coded = [c for c in profile.columns if c.n_negative_codes > _FREQUENT * c.n_rows]
    return [*notes, *([_negative(coded)] if coded else [])]


def _marked(columns: Sequence[ColumnProfile]) -> str:
    """Shows the words for missing, but never another text of a cell."""
    first = columns[0]
    rest = " and numbers elsewhere" if first.numbers_but_markers else ""
    cells = counted(sum(c.n_markers for c in columns), "cell")
    return (
        f"{_names(columns)} a text that often means missing ({' '.join(first.markers)}) in {cells}"
        f"{rest}; if it means that here, list it under 'missing'"
    )


def _negative(columns: Sequence[ColumnProfile]) -> str:
    cells = counted(sum(c.n_negative_codes for c in columns), "cell")
    return (
        f"{_names(columns)} a negative code such as surveys use for missing answers in {cells}, "
        "and no other negative numbers; if they mean that here, list them under 'missing'"
    )


def _names(columns: Sequence[ColumnProfile]) -> str:
    listed = ", ".join(repr(column.name) for column in columns)
    return f"{listed} {'has' if len(columns) == 1 else 'have'}"


def _is_own_value(column: ColumnProfile) -> bool:
    name = column.name.strip()
    return bool((column.texts.str.strip_chars() == name).any())


def _is_number(name: str) -> bool:
    """Whether a name is a number; a year does not count, since it may well be a name."""
    if _YEAR.fullmatch(name):
        return False
    try:
        float(name)
    except ValueError:
        return False
    return True
