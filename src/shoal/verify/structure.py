"""Is the published table what it claims to be: its columns, its rows, its cells, its people?

Every function returns problems; none of them raises on what it finds, so that all can be listed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.verify.encoding import (
    Coded,
    Codes,
    Flags,
    Integers,
    dense_codes,
    encode_text,
    has_text_form,
    is_text,
)

ID_COLUMN = "Id_num"
EXAMPLES = 5


@dataclass(frozen=True)
class Release:
    """A published table beside the table it was made from.

    `origin` is the input row of every published row, `classes` the class number of every input
    row (-1: suppressed).
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

    def is_split(self, attribute: Attribute) -> bool:
        """Whether an attribute is published as two columns of bounds."""
        return (
            self.ranges == "columns"
            and attribute.role == Role.QUASI
            and attribute.kind == Kind.NUMERIC
            and attribute.hierarchy is None
        )

    def columns(self) -> list[str]:
        """The names of the columns that must be published, in order."""
        names = [ID_COLUMN] if self.schema.individual else []
        for attribute in self.schema.published:
            name = attribute.name
            names += [f"{name}_low", f"{name}_high"] if self.is_split(attribute) else [name]
        return names

    def has(self, attribute: Attribute) -> bool:
        """Whether an attribute can be looked at on both sides."""
        name = attribute.name
        names = [f"{name}_low", f"{name}_high"] if self.is_split(attribute) else [name]
        return name in self.original.columns and set(names) <= set(self.data.columns)


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
        if attribute.role == Role.SEMI_SENSITIVE:
            yield Problem(
                f"There is no independent check of column {attribute.name!r}, "
                "of role semi-sensitive."
            )
    yield from _check_types(release)


def _check_types(release: Release) -> Iterator[Problem]:
    for attribute in release.schema.published:
        if not release.has(attribute):
            continue
        if not release.is_split(attribute):
            if not is_text(release.data[attribute.name]):
                yield Problem(
                    f"Column {attribute.name!r} is published as something else than text."
                )
            continue
        for end in ("low", "high"):
            if not release.data[f"{attribute.name}_{end}"].dtype.is_numeric():
                yield Problem(f"Column '{attribute.name}_{end}' is not published as numbers.")


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
    """Exactly the rows that have a class are published, each of them once."""
    times = np.bincount(release.origin, minlength=release.original.height)
    kept = release.classes >= 1
    odd = (release.classes < 1) & (release.classes != -1)
    yield from report_rows("{n} rows have a class number below 1 that is not -1", odd, "row")
    yield from report_rows("{n} rows are published more than once", times > 1, "original row")
    yield from report_rows(
        "{n} rows have a class and are not published", kept & (times == 0), "original row"
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
