"""Is the published table what it claims to be: its columns, its rows, its cells, its people?

Every function returns problems; none of them raises on what it finds, so that all can be listed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.encoding import (
    Flags,
    Integers,
    has_text_form,
    is_text,
)
from shoal.schema import Role
from shoal.schema.wording import counted
from shoal.verify.text.published import Published

EXAMPLES = 5
# Words as they are said of several things and of one; of things only the first is counted.
_THINGS = {
    "rows": "row", "cells": "cell", "labels": "label", "values": "value", "people": "person",
    "classes": "class", "buckets": "bucket", "signatures": "signature",
}  # fmt: skip
_SAID = {
    "are not numbers": "is not a number", "are not labels": "is not a label",
    "are not flags": "is not a flag", "are not those": "is not one", "whose cells": "whose cell",
    "do not have": "does not have", "their": "its", "have": "has", "are": "is", "do": "does",
    "differ": "differs", "show": "shows", "spell": "spells", "say": "says", "share": "shares",
    "repeat": "repeats",
}  # fmt: skip
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""


def name_rows(rows: Iterable[int] | NDArray[Any], what: str = "published row") -> str:
    """At most five row numbers, counted from 1.

    >>> name_rows([0, 4])
    'published rows 1, 5'
    """
    listed = list(rows)
    shown = ", ".join(str(int(row) + 1) for row in listed[:EXAMPLES])
    more = ", …" if len(listed) > EXAMPLES else ""
    return f"{what}{'s' if len(listed) > 1 else ''} {shown}{more}"


def report_rows(count_text: str, flags: Flags, what: str = "published row") -> Iterator[Problem]:
    """One problem if any flag is set; `{n}` in the text becomes their number."""
    rows = np.flatnonzero(flags)
    if len(rows):
        yield Problem(
            f"{of_number(count_text, len(rows))} ({name_rows(rows[: EXAMPLES + 1], what)})."
        )


def of_number(text: str, n: int) -> str:
    """A text about several things with their number for `{n}`; of one, the words after it follow.

    Names in quotes stay, and so do further things.

    >>> of_number("{n} classes have rows of 'have'", 1)
    "1 class has rows of 'have'"
    """
    before, _, after = text.partition("{n}")
    if n == 1:
        first = rf"^((?:{_QUOTED}|[^'\"])*?)\b({'|'.join(_THINGS)})\b"
        after = re.sub(first, lambda found: found[1] + _THINGS[found[2]], after)
        words = rf"{_QUOTED}|\b(?:{'|'.join(_SAID)})\b"
        after = re.sub(words, lambda found: _SAID.get(found[0], found[0]), after)
    return f"{before}{n}{after}"


def check_columns(published: Published) -> Iterator[Problem]:
    """The published columns are exactly those that the schema publishes, in its order."""
    required, present = published.columns(), published.data.columns
    for name in sorted(name for name, n in Counter(required).items() if n > 1):
        yield Problem(f"Two attributes have the same published column {name!r}.")
    roles = {attribute.name: attribute.role for attribute in published.schema.attributes}
    wanted, found = set(required), set(present)
    for name in present:
        if name not in wanted:
            role = roles.get(name)
            why = f"its role is {role.value}" if role else "it is not in the schema"
            yield Problem(f"Column {name!r} must not be published: {why}.")
    for name in required:
        if name not in found:
            yield Problem(f"Column {name!r} is not published.")
    if sorted(required) == sorted(present) and required != present:
        yield Problem("The published columns are not in the order of the schema.")
    originals = set(published.original.columns)
    for attribute in published.schema.published:
        if attribute.name not in originals:
            yield Problem(f"Column {attribute.name!r} is not in the original table.")
    yield from _check_types(published)


def refuse_secrets(published: Published) -> Iterator[Problem]:
    """A cell can only be kept secret where the release has buckets."""
    for attribute in published.schema.of(Role.SEMI_SENSITIVE):
        yield Problem(
            f"There is no independent check of column {attribute.name!r}, of role semi-sensitive."
        )


def _check_types(published: Published) -> Iterator[Problem]:
    for attribute in published.schema.published:
        if not published.has(attribute):
            continue
        for name in published.cells(attribute):
            numbers = published.is_split(attribute)
            if numbers and not published.data[name].dtype.is_numeric():
                yield Problem(f"Column {name!r} must be published as numbers.")
            if not numbers and not is_text(published.data[name]):
                yield Problem(f"Column {name!r} must be published as text.")


def check_integers(**arrays: Integers) -> list[Problem]:
    """The maps between rows and classes are one-dimensional arrays of signed integers."""
    return [
        Problem(f"The array {name!r} must be one-dimensional and hold signed integers.")
        for name, array in arrays.items()
        if not (
            isinstance(array, np.ndarray)
            and array.ndim == 1
            and np.issubdtype(array.dtype, np.signedinteger)
        )
    ]


def check_map_shape(published: Published) -> Iterator[Problem]:
    """The row map can be followed at all: without it nothing else can be checked."""
    if len(published.origin) != published.data.height:
        yield Problem(
            f"The row map must have {counted(published.data.height, 'row')}, as the published "
            f"table, but it has {len(published.origin):,}."
        )
    if len(published.classes) != published.original.height:
        yield Problem(
            f"There must be {published.original.height} class numbers, one for each original row, "
            f"but there are {len(published.classes)}."
        )
    outside = (published.origin < 0) | (published.origin >= published.original.height)
    yield from report_rows("{n} published rows do not come from an original row", outside)
    for column in (*published.data, *published.original):
        if not has_text_form(column):
            yield Problem(f"Column {column.name!r} has cells that have no text form.")
    names = {published.schema.individual.column} if published.schema.individual else set()
    for name in sorted(names - set(published.original.columns)):
        yield Problem(f"The individual column {name!r} is not in the original table.")


def check_rows(published: Published) -> Iterator[Problem]:
    """Exactly the rows that have a class are published, each of them once.

    Of equal rows of a person, exactly one is.
    """
    times = np.bincount(published.origin, minlength=published.original.height)
    kept = published.classes >= 1
    odd = (published.classes < 1) & (published.classes != -1)
    yield from report_rows("{n} rows have a class number below 1 that is not -1", odd, "row")
    yield from report_rows("{n} rows are published more than once", times > 1, "original row")
    shown = times > 0
    if published.records is not None:
        codes, n_records = published.records
        rows = np.flatnonzero(shown)
        first = np.full(n_records, -1, dtype=np.int64)
        # Backwards, so that the first row of a record is the one that may be published.
        first[codes[rows[::-1]]] = rows[::-1]
        again = shown & (first[codes] != np.arange(len(codes)))
        text = "{n} rows are published in addition to an equal row of the same person"
        yield from report_rows(text, again, "original row")
        shown = first[codes] >= 0
    yield from report_rows(
        "{n} rows have a class but are not published", kept & ~shown, "original row"
    )
    yield from report_rows("{n} suppressed rows are published", ~kept & (times > 0), "original row")


def check_suppression(published: Published) -> Iterator[Problem]:
    """No more rows are suppressed than may be."""
    n_rows, limit = published.original.height, published.suppression_limit
    n_suppressed = int(np.count_nonzero(published.classes < 1))
    # `not <=` and not `>`: nothing keeps to a limit that is NaN.
    if n_rows and not n_suppressed / n_rows <= limit:
        yield Problem(
            f"{n_suppressed} of {n_rows} rows are suppressed, a share of "
            f"{n_suppressed / n_rows:.4g}; the limit is {limit:g}."
        )


def check_tables(published: Published) -> Iterator[Problem]:
    """Only tables that can be checked are published."""
    if "data" not in published.tables:
        yield Problem("There is no published table 'data'.")
    for name in sorted(set(published.tables) - {"data"}):
        yield Problem(f"There is no independent check of the table {name!r}.")
