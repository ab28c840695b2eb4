"""The names of columns: unique, non-empty text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shoal.errors import DataError, Problem


def check_names(names: Iterable[Any], label: str) -> tuple[str, ...]:
    """The names, or an error that lists everything that is wrong with them.

    >>> check_names(["age", "town", "age", ""], "'people.csv'")
    Traceback (most recent call last):
        ...
    shoal.errors.DataError: 'people.csv' has columns of the same name: 'age' (columns 1, 3).\
 Rename them so that every name is unique.
    'people.csv' has no name for column 4. Name every column in the header, or remove it.
    """
    names = list(names)
    if problems := list(_problems(names, label)):
        raise DataError(problems)
    return tuple(names)


def _problems(names: Sequence[Any], label: str) -> Iterator[Problem]:
    if not names:
        yield Problem(f"{label} has no columns.")
    if any(odd := [not isinstance(name, str) for name in names]):
        yield Problem(
            f"{label} has names that are not text: {_columns(odd)}.",
            hint="Make every name a single text; join the levels of a name that has several.",
        )
    texts = Counter(name for name in names if isinstance(name, str) and name)
    if doubled := [name for name, times in texts.items() if times > 1]:
        listed = [f"'{name}' ({_columns(other == name for other in names)})" for name in doubled]
        yield Problem(
            f"{label} has columns of the same name: {', '.join(listed)}.",
            hint="Rename them so that every name is unique.",
        )
    if "" in names:
        yield Problem(
            f"{label} has no name for {_columns(name == '' for name in names)}.",
            hint="Name every column in the header, or remove it.",
        )
    if any(map(_is_pattern, names)):
        yield Problem(
            f"{label} has names that would select several columns, '*' or '^…$': "
            f"{_columns(map(_is_pattern, names))}.",
            hint="Rename them.",
        )


def _is_pattern(name: Any) -> bool:
    """Whether polars would take the name for a pattern, and so for other columns."""
    return isinstance(name, str) and (name == "*" or (name.startswith("^") and name.endswith("$")))


def _columns(found: Iterable[bool]) -> str:
    numbers = [str(number) for number, is_found in enumerate(found, 1) if is_found]
    return f"column{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"
