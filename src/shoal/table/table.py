"""The coded table that methods, models and measures work on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem, ShoalError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table.column import Column, encode_column
from shoal.table.domain import Domain
from shoal.table.flag import read_secrets, take_rows
from shoal.table.people import People, dictionary_codes, find_people
from shoal.table.rule import flags_of

_CODED = (Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE)


@dataclass(frozen=True)
class Table:
    """Coded quasi-identifiers and sensitive attributes of some rows.

    What a class is made of are *units*: people where an `individual` is declared, else rows.
    `counts_all` are the counts of each sensitive attribute over the whole input, also where this
    table is only a shard of it; `sensitivity` is the f of every row, where there is one.
    `flags` has, by attribute, what people say of its cells (semi-sensitive: 1 for a secret;
    sensitive: 0 low, 1 middle, 2 high), and `unpublished` the columns of role flag as given.
    """

    schema: Schema
    columns: Mapping[str, Column]
    n_rows: int
    people: People | None = None
    counts_all: Mapping[str, NDArray[np.int64]] | None = None
    sensitivity: NDArray[np.float64] | None = None
    flags: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    unpublished: Mapping[str, pl.Series] = field(default_factory=dict)

    @property
    def n_units(self) -> int:
        return self.n_rows if self.people is None else len(self.people)

    @property
    def unit_word(self) -> str:
        return "rows" if self.people is None else "people"

    @cached_property
    def quasi(self) -> tuple[Domain, ...]:
        """The domains of the quasi-identifiers, in schema order."""
        return tuple(self.columns[a.name].domain for a in self.schema.quasi)

    @cached_property
    def sensitive(self) -> tuple[Column, ...]:
        return tuple(self.columns[a.name] for a in self.schema.sensitive)

    def unit_codes(self, name: str) -> NDArray[Any]:
        """The codes of a quasi-identifier, one for each unit."""
        codes = self.columns[name].codes
        return codes if self.people is None else codes[self.people.first_row]

    def unit_of_row(self) -> NDArray[np.int32]:
        if self.people is None:
            return np.arange(self.n_rows, dtype=np.int32)
        return self.people.person

    def unit_sensitivity(self) -> NDArray[np.float64]:
        """The f of every unit; of several rows of a person, the highest."""
        assert self.sensitivity is not None
        if self.people is None:
            return self.sensitivity
        highest = np.zeros(len(self.people))
        np.maximum.at(highest, self.people.person, self.sensitivity)
        return highest

    def counts(self, name: str) -> NDArray[np.int64]:
        """How often each code of a column occurs in the whole input."""
        if self.counts_all is not None and name in self.counts_all:
            return self.counts_all[name]
        column = self.columns[name]
        return np.bincount(column.codes, minlength=len(column.domain))

    def present_numbers(self, name: str) -> NDArray[np.float64]:
        """The different numbers of a column, missing left out."""
        domain = self.columns[name].domain
        if domain.numbers is None:
            return np.empty(0)
        numbers = domain.numbers[self.counts(name) > 0]
        return numbers[np.isfinite(numbers)]

    def take(self, rows: NDArray[np.int64]) -> Table:
        """These rows as a table of their own, which still knows the counts of the whole."""
        columns = {
            name: Column(column.domain, column.codes[rows]) for name, column in self.columns.items()
        }
        people = None
        if self.people is not None:
            _, first, person = np.unique(
                self.people.person[rows], return_index=True, return_inverse=True
            )
            rank = np.argsort(np.argsort(first))
            people = People(rank[person].astype(np.int32), np.sort(first))
        counts = {a.name: self.counts(a.name) for a in self.schema.sensitive}
        f = None if self.sensitivity is None else self.sensitivity[rows]
        given = {name: series.gather(rows) for name, series in self.unpublished.items()}
        flags = take_rows(self.flags, rows)
        return Table(self.schema, columns, len(rows), people, counts, f, flags, given)

    def as_whole(self) -> Table:
        """The same as a table of its own, of which nothing else is known."""
        return replace(self, counts_all=None)


def encode(frame: pl.DataFrame, schema: Schema) -> Table:
    """Code a frame by its schema; kinds that were left out are guessed and filled in.

    Raises DataError with every problem of every column at once.
    """
    problems: list[Problem] = []
    columns: dict[str, Column] = {}
    for attribute in schema.of(*_CODED):
        try:
            columns[attribute.name] = encode_column(frame[attribute.name], attribute)
        except ShoalError as error:
            problems += error.problems
    sensitivity = None
    for attribute in schema.of(Role.SENSITIVITY):
        try:
            sensitivity = _sensitivity(frame[attribute.name], attribute)
        except ShoalError as error:
            problems += error.problems
    flags: dict[str, NDArray[np.uint8]] = {}
    for attribute in schema.of(Role.SEMI_SENSITIVE):
        try:
            if attribute.flag is not None:
                flags[attribute.name] = read_secrets(frame[attribute.flag], attribute.name)
        except ShoalError as error:
            problems += error.problems
    for attribute in schema.of(Role.SENSITIVE):
        column = columns.get(attribute.name)
        try:
            own = None if column is None else flags_of(column.domain, column.codes, frame)
        except ShoalError as error:
            problems += error.problems
            continue
        if own is not None:
            flags[attribute.name] = own
    if problems:
        raise DataError(problems)
    attributes = tuple(_settled(a, columns) for a in schema.attributes)
    people = None
    if schema.individual is not None:
        name = schema.individual.column
        people = find_people(frame[name], schema[name].missing)
    settled = replace(schema, attributes=attributes)
    given = {a.name: frame[a.name] for a in schema.of(Role.FLAG)}
    return Table(
        settled, columns, frame.height, people, None, sensitivity, flags=flags, unpublished=given
    )


def _sensitivity(series: pl.Series, attribute: Attribute) -> NDArray[np.float64]:
    """The personal sensitivities, each a number in [0, 1]."""
    column = encode_column(series, replace(attribute, kind=Kind.NUMERIC))
    numbers = column.domain.numbers
    assert numbers is not None
    f = np.asarray(numbers[column.codes])
    faults = (("is missing", np.isnan(f)), ("is not between 0 and 1", (f < 0) | (f > 1)))
    problems = [
        Problem(
            f"column {series.name!r} is the sensitivity, and {what} in {np.count_nonzero(wrong)} "
            f"rows (first: row {np.argmax(wrong) + 1}).",
            hint="Every row needs a number between 0 and 1.",
        )
        for what, wrong in faults
        if wrong.any()
    ]
    if problems:
        raise DataError(problems)
    return f


def _settled(attribute: Attribute, columns: Mapping[str, Column]) -> Attribute:
    column = columns.get(attribute.name)
    return attribute if column is None else column.attribute


def published_contents(frame: pl.DataFrame, table: Table) -> list[NDArray[Any]]:
    """Codes of every published column beside the quasi-identifiers; equal codes, equal cells."""
    return [
        table.columns[a.name].codes
        if a.name in table.columns
        else dictionary_codes(without_missing(frame[a.name].cast(pl.String), a.missing))
        for a in table.schema.published
        if a not in table.schema.quasi
    ]


def without_missing(cells: pl.Series, missing: tuple[str, ...]) -> pl.Series:
    """The cells with null for whatever means missing."""
    lost = cells.is_in(["", *missing])
    return cells.zip_with(~lost.fill_null(True), pl.Series([None], dtype=pl.String))
