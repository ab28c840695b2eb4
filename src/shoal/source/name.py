"""The names of columns: unique, non-empty text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from shoal.errors import DataError, Problem


def checked(names: Iterable[Any], label: str) -> tuple[str, ...]:
    """The names, or an error that lists all that is wrong with them.

    >>> checked(["age", "town", "age", ""], "'people.csv'")
    Traceback (most recent call last):
        ...
    shoal.errors.DataError: 'people.csv' has columns of the same name: 'age' (columns 1, 3).\
 Rename them so that every name is unique.
    'people.csv' has a column without a name (column 4). Name it in the header, or remove it.
    """
    names = list(names)
    problems = [*_not_text(names, label), *_doubled(names, label), *_nameless(names, label)]
    problems += _patterns(names, label)
    if not names:
        problems.append(Problem(f"{label} has no columns."))
    if problems:
        raise DataError(problems)
    return tuple(names)


def _not_text(names: Sequence[Any], label: str) -> Iterable[Problem]:
    odd = [number for number, name in enumerate(names, 1) if not isinstance(name, str)]
    if odd:
        yield Problem(
            f"{label} has column names that are not text ({_columns(odd)}).",
            hint="Make every name one text; a name of several levels must be joined first.",
        )


def _doubled(names: Sequence[Any], label: str) -> Iterable[Problem]:
    texts = [name for name in names if isinstance(name, str) and name]
    places = {
        name: [number for number, other in enumerate(names, 1) if other == name]
        for name, times in Counter(texts).items()
        if times > 1
    }
    if places:
        listed = ", ".join(f"'{name}' ({_columns(numbers)})" for name, numbers in places.items())
        yield Problem(
            f"{label} has columns of the same name: {listed}.",
            hint="Rename them so that every name is unique.",
        )


def _nameless(names: Sequence[Any], label: str) -> Iterable[Problem]:
    nameless = [number for number, name in enumerate(names, 1) if name == ""]
    if len(nameless) == 1:
        yield Problem(
            f"{label} has a column without a name ({_columns(nameless)}).",
            hint="Name it in the header, or remove it.",
        )
    elif nameless:
        yield Problem(
            f"{label} has columns without a name ({_columns(nameless)}).",
            hint="Name them in the header, or remove them.",
        )


def _patterns(names: Sequence[Any], label: str) -> Iterable[Problem]:
    """Names that polars takes for a pattern, and so for other columns."""
    found = [
        number
        for number, name in enumerate(names, 1)
        if name == "*" or (isinstance(name, str) and name.startswith("^") and name.endswith("$"))
    ]
    if found:
        yield Problem(
            f"{label} has names that stand for several columns, '*' or '^…$' ({_columns(found)}).",
            hint="Rename them.",
        )


def _columns(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"column {listed}" if len(numbers) == 1 else f"columns {listed}"
