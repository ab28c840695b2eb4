"""Is the published table what it claims to be: its columns, its rows, its cells, its people?

Every function returns problems; none of them raises on what it finds, so that all can be listed.
"""

from __future__ import annotations

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
from shoal.verify.text.published import Published

EXAMPLES = 5


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
        text = count_text.replace("{n}", str(len(rows)))
        yield Problem(f"{text} ({name_rows(rows[: EXAMPLES + 1], what)}).")


def check_columns(release: Published) -> Iterator[Problem]:
    """The published columns are exactly those that the schema publishes, in its order."""
    wanted, there = release.columns(), release.data.columns
    for name in sorted({name for name in wanted if wanted.count(name) > 1}):
        yield Problem(f"Two attributes would be published as one column {name!r}.")
    roles = {attribute.name: attribute.role for attribute in release.schema.attributes}
    for name in there:
        if name not in wanted:
            role = roles.get(name)
            what = f"of role {role.value}" if role else "that the schema does not have"
            yield Problem(f"Column {name!r}, {what}, is published.")
    for name in wanted:
        if name not in there:
            yield Problem(f"Column {name!r} is not published.")
    if sorted(wanted) == sorted(there) and wanted != there:
        yield Problem("The published columns are not in the order of the schema.")
    for attribute in release.schema.published:
        if attribute.name not in release.original.columns:
            yield Problem(f"Column {attribute.name!r} is not in the original table.")
    yield from _check_types(release)


def refuse_secrets(release: Published) -> Iterator[Problem]:
    """Where nothing is in buckets, nobody can hold a cell secret."""
    for attribute in release.schema.of(Role.SEMI_SENSITIVE):
        yield Problem(
            f"There is no independent check of column {attribute.name!r}, of role semi-sensitive."
        )


def _check_types(release: Published) -> Iterator[Problem]:
    for attribute in release.schema.published:
        if not release.has(attribute):
            continue
        for name in release.cells(attribute):
            numbers = release.is_split(attribute)
            if numbers and not release.data[name].dtype.is_numeric():
                yield Problem(f"Column {name!r} is not published as numbers.")
            if not numbers and not is_text(release.data[name]):
                yield Problem(f"Column {name!r} is published as something else than text.")


def check_integers(**arrays: Integers) -> list[Problem]:
    """The maps between rows and classes are rows of whole numbers."""
    return [
        Problem(f"The array {name!r} is not a row of whole numbers.")
        for name, array in arrays.items()
        if not (
            isinstance(array, np.ndarray)
            and array.ndim == 1
            and np.issubdtype(array.dtype, np.signedinteger)
        )
    ]


def check_map_shape(release: Published) -> Iterator[Problem]:
    """The row map can be followed at all: without this nothing else can be looked at."""
    if len(release.origin) != release.data.height:
        yield Problem(
            f"The row map has {len(release.origin)} rows, the published table "
            f"{release.data.height}."
        )
    if len(release.classes) != release.original.height:
        yield Problem(
            f"There are class numbers for {len(release.classes)} rows, and "
            f"{release.original.height} original rows."
        )
    outside = (release.origin < 0) | (release.origin >= release.original.height)
    yield from report_rows("{n} published rows come from no original row", outside)
    for column in (*release.data, *release.original):
        if not has_text_form(column):
            yield Problem(f"Column {column.name!r} has cells that have no text form.")
    names = {release.schema.individual.column} if release.schema.individual else set()
    for name in sorted(names - set(release.original.columns)):
        yield Problem(f"Column {name!r}, of the individual, is not in the original table.")


def check_rows(release: Published) -> Iterator[Problem]:
    """Exactly the rows that have a class are published, each of them once.

    Of equal rows of a person, exactly one is.
    """
    times = np.bincount(release.origin, minlength=release.original.height)
    kept = release.classes >= 1
    odd = (release.classes < 1) & (release.classes != -1)
    yield from report_rows("{n} rows have a class number below 1 that is not -1", odd, "row")
    yield from report_rows("{n} rows are published more than once", times > 1, "original row")
    shown = times > 0
    if release.records is not None:
        codes, n_records = release.records
        published = np.flatnonzero(shown)
        first = np.full(n_records, -1, dtype=np.int64)
        first[codes[published[::-1]]] = published[::-1]
        again = shown & (first[codes] != np.arange(len(codes)))
        text = "{n} rows are published beside an equal row of the same person"
        yield from report_rows(text, again, "original row")
        shown = first[codes] >= 0
    yield from report_rows(
        "{n} rows have a class and are not published", kept & ~shown, "original row"
    )
    yield from report_rows("{n} suppressed rows are published", ~kept & (times > 0), "original row")


def check_suppression(release: Published) -> Iterator[Problem]:
    """No more rows are suppressed than may be."""
    n_rows, limit = release.original.height, release.suppression_limit
    n_suppressed = int(np.count_nonzero(release.classes < 1))
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
