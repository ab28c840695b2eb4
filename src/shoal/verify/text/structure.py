"""Is the published table what it claims to be: its columns, its rows, its cells, its people?

Every function returns problems; none of them raises on what it finds, so that all can be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.encoding import (
    Coded,
    Codes,
    Flags,
    Integers,
    combine_codes,
    dense_codes,
    encode_text,
    has_text_form,
    is_text,
)
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.text.classes import as_they_are

ID_COLUMN = "Id_num"
EXAMPLES = 5


@dataclass(frozen=True)
class Release:
    """A published table beside the table it was made from.

    `origin` is the input row of every published row, `classes` the class number of every input
    row (-1: suppressed). Where rows belong to people, equal rows of a person are one record, which
    is published once: `origin` then has any one of them.
    """

    data: pl.DataFrame
    original: pl.DataFrame
    origin: Integers
    classes: Integers
    schema: Schema
    ranges: str

    @cached_property
    def dense_classes(self) -> tuple[Codes, Integers]:
        """The class of every published row as a dense code, and the class numbers."""
        return dense_codes(self.classes[self.origin])

    @cached_property
    def samples(self) -> Integers:
        """One published row of every dense class."""
        codes, numbers = self.dense_classes
        rows = np.empty(len(numbers), dtype=np.int64)
        rows[codes] = np.arange(len(codes))
        return rows

    @cached_property
    def people(self) -> Coded | None:
        """The person of every input row; rows without a name are one person."""
        if self.schema.individual is None:
            return None
        return encode_text(self.original[self.schema.individual.column])

    @cached_property
    def records(self) -> tuple[Codes, int] | None:
        """The record of every input row, and how many there are; None: every row is its own.

        Rows of a person are equal where their published columns are: missing is one value,
        sensitive numbers compare as numbers, all else as text. A person has one description, so
        that quasi-identifiers need no look.
        """
        if self.people is None:
            return None
        unchanged = [a for a in self.schema.published if a.role != Role.QUASI]
        columns = [
            as_they_are(self.original, a if a.role == Role.SENSITIVE else replace(a, kind=None))
            for a in unchanged
            if a.name in self.original.columns
        ]
        people = (self.people.codes, self.people.n_codes)
        return combine_codes([people, *columns], self.original.height)

    @cached_property
    def stands_for(self) -> tuple[Integers, Integers] | None:
        """Published rows and the input rows they stand for, a record's unpublished rows too.

        The published rows themselves come first. None where each stands for its own row only.
        """
        if self.records is None:
            return None
        codes, n_records = self.records
        shown_as = np.full(n_records, -1, dtype=np.int64)
        shown_as[codes[self.origin]] = np.arange(len(self.origin))
        others = (self.classes >= 1) & (shown_as[codes] >= 0)
        others[self.origin] = False
        more = np.flatnonzero(others)
        if not len(more):
            return None
        shown = np.append(np.arange(len(self.origin)), shown_as[codes[more]])
        return shown, np.append(self.origin, more)

    @cached_property
    def counted(self) -> Integers | None:
        """One row of every record, suppressed ones too; None where every row is its own."""
        if self.records is None:
            return None
        codes, n_records = self.records
        first = np.empty(n_records, dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        return first

    def is_split(self, attribute: Attribute) -> bool:
        """Whether an attribute is published as two columns of bounds."""
        return (
            self.ranges == "columns"
            and attribute.role in (Role.QUASI, Role.SEMI_SENSITIVE)
            and attribute.kind == Kind.NUMERIC
            and attribute.hierarchy is None
        )

    def cells(self, attribute: Attribute) -> list[str]:
        """The columns in which an attribute's values are published."""
        name = attribute.name
        return [f"{name}_low", f"{name}_high"] if self.is_split(attribute) else [name]

    def columns(self) -> list[str]:
        """The names of the columns that must be published, in order."""
        names = [ID_COLUMN] if self.schema.individual else []
        for attribute in self.schema.published:
            names += self.cells(attribute)
        return names

    def has(self, attribute: Attribute) -> bool:
        """Whether an attribute can be looked at on both sides."""
        there = set(self.data.columns)
        return attribute.name in self.original.columns and set(self.cells(attribute)) <= there


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


def check_columns(release: Release) -> Iterator[Problem]:
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


def refuse_secrets(release: Release) -> Iterator[Problem]:
    """Where nothing is in buckets, nobody can hold a cell secret."""
    for attribute in release.schema.of(Role.SEMI_SENSITIVE):
        yield Problem(
            f"There is no independent check of column {attribute.name!r}, of role semi-sensitive."
        )


def _check_types(release: Release) -> Iterator[Problem]:
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


def check_map_shape(release: Release) -> Iterator[Problem]:
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


def check_rows(release: Release) -> Iterator[Problem]:
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


def check_suppression(release: Release, limit: float) -> Iterator[Problem]:
    """No more rows are suppressed than may be."""
    n_rows = release.original.height
    n_suppressed = int(np.count_nonzero(release.classes < 1))
    if n_rows and not n_suppressed / n_rows <= limit:
        yield Problem(
            f"{n_suppressed} of {n_rows} rows are suppressed, a share of "
            f"{n_suppressed / n_rows:.4g}; the limit is {limit:g}."
        )


def check_tables(tables: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    """Only tables that can be checked are published."""
    if "data" not in tables:
        yield Problem("There is no published table 'data'.")
    for name in sorted(set(tables) - {"data"}):
        yield Problem(f"There is no independent check of the table {name!r}.")
