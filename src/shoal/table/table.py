"""The coded table that methods, models and measures work on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, Problem, ShoalError
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table.cell import dictionary_codes, rows_text, without_missing
from shoal.table.column import Column, encode_column
from shoal.table.domain import Domain
from shoal.table.flag import read_secrets
from shoal.table.people import People, find_people
from shoal.table.rule import flags_of, unfit_conditions

T = TypeVar("T")
Scalar = TypeVar("Scalar", bound=np.generic)

_CODED = (Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE)


@dataclass(frozen=True)
class Table:
    """Coded quasi-identifiers and sensitive attributes of some rows.

    A class consists of *units*: people if an `individual` is declared, else rows. `counts_all`
    are the counts of each sensitive attribute over the whole input, even if this table is only a
    shard of it; `sensitivity` is the f of every row, if there is one. `flags` are, by attribute,
    what people say of its cells (semi-sensitive: 1 for a secret; sensitive: 0 low, 1 middle,
    2 high), and `unpublished` the columns of role flag as given. `crowd` is how many of the
    population the unit of every row stands for, where the plan names a population. `weight`: each
    row stands for this many equal ones, as where a large table was only counted; None: for itself.
    """

    schema: Schema
    columns: Mapping[str, Column]
    n_rows: int
    people: People | None = None
    counts_all: Mapping[str, NDArray[np.int64]] | None = None
    sensitivity: NDArray[np.float64] | None = None
    flags: Mapping[str, NDArray[np.uint8]] = field(default_factory=dict)
    unpublished: Mapping[str, pl.Series] = field(default_factory=dict)
    crowd: NDArray[np.int64] | None = None
    weight: NDArray[np.int64] | None = None

    @property
    def n_units(self) -> int:
        return self.n_rows if self.people is None else len(self.people)

    @property
    def unit_word(self) -> str:
        return "rows" if self.people is None else "people"

    @property
    def units_counted(self) -> str:
        """How many units there are, in words."""
        one = "row" if self.people is None else "person"
        return f"1 {one}" if self.n_units == 1 else f"{self.n_units} {self.unit_word}"

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

    def unit_rows(self) -> NDArray[np.int64]:
        """How many rows each unit has."""
        return np.bincount(self.unit_of_row(), minlength=self.n_units)

    def by_row(self, of_unit: NDArray[Scalar]) -> NDArray[Scalar]:
        """What is known of every unit, for every row."""
        return of_unit if self.people is None else of_unit[self.people.person]

    def weights(self, units: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """How many rows or people each of these units stands for."""
        if self.weight is None:
            return np.ones(len(units), dtype=np.int64)
        return np.asarray(self.weight[units])

    def unit_sensitivity(self) -> NDArray[np.float64]:
        """The f of every unit; the highest of the rows of a person."""
        assert self.sensitivity is not None
        if self.people is None:
            return self.sensitivity
        highest = np.zeros(len(self.people))
        np.maximum.at(highest, self.people.person, self.sensitivity)
        return highest

    def unit_crowd(self) -> NDArray[np.int64]:
        """How many of the population every unit stands for."""
        assert self.crowd is not None
        return self.crowd if self.people is None else self.crowd[self.people.first_row]

    def counts(self, name: str) -> NDArray[np.int64]:
        """How often each code of a column occurs in the whole input."""
        if self.counts_all is not None and name in self.counts_all:
            return self.counts_all[name]
        column = self.columns[name]
        return np.bincount(column.codes, minlength=len(column.domain))

    def present_numbers(self, name: str) -> NDArray[np.float64]:
        """The distinct numbers of a column, without missing."""
        domain = self.columns[name].domain
        if domain.numbers is None:
            return np.empty(0)
        numbers = domain.numbers[self.counts(name) > 0]
        return numbers[np.isfinite(numbers)]

    def take(self, rows: NDArray[np.int64]) -> Table:
        """These rows as a table of their own that keeps the counts of the whole."""
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
        # Models such as t-closeness compare with the whole input: these rows may be a shard of it.
        counts = {a.name: self.counts(a.name) for a in self.schema.sensitive}
        f = None if self.sensitivity is None else self.sensitivity[rows]
        given = {name: series.gather(rows) for name, series in self.unpublished.items()}
        flags = {name: own[rows] for name, own in self.flags.items()}
        crowd = None if self.crowd is None else self.crowd[rows]
        return Table(self.schema, columns, len(rows), people, counts, f, flags, given, crowd)

    def counted(self) -> Table:
        """The same with the counts of the whole at hand, for many parts to be taken from it."""
        return replace(
            self, counts_all={a.name: self.counts(a.name) for a in self.schema.sensitive}
        )

    def units_in(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The units of these rows, in the order in which `take` numbers them."""
        if self.people is None:
            return rows
        person = self.people.person[rows]
        _, first = np.unique(person, return_index=True)
        return person[np.sort(first)].astype(np.int64)

    def as_whole(self) -> Table:
        """The same as a table of its own, without the counts of a larger one."""
        return replace(self, counts_all=None)


def encode(frame: pl.DataFrame, schema: Schema) -> Table:
    """Code a frame by its schema; kinds that were left out are guessed and filled in.

    Raises one DataError that lists every problem of every column; a PlanError where the rules of
    flags do not fit a kind that was guessed.
    """
    problems: list[Problem] = []
    columns = _each(schema.of(*_CODED), lambda a: encode_column(frame[a.name], a), problems)
    sensitivity = _each(
        schema.of(Role.SENSITIVITY), lambda a: read_sensitivity(frame[a.name], a), problems
    )
    secrets = _each(
        [a for a in schema.of(Role.SEMI_SENSITIVE) if a.flag is not None],
        lambda a: read_secrets(frame[a.flag or ""], a.name),
        problems,
    )
    # Rules are applied only to kinds that they fit.
    unfit = [p for column in columns.values() for p in unfit_conditions(column.attribute)]
    if unfit:
        raise PlanError([*unfit, *problems])
    levels = _each(
        [a for a in schema.of(Role.SENSITIVE) if a.name in columns],
        lambda a: flags_of(columns[a.name].domain, columns[a.name].codes, frame),
        problems,
    )
    if problems:
        raise DataError(problems)
    people = None
    if schema.individual is not None:
        name = schema.individual.column
        people = find_people(frame[name], schema[name].missing)
    attributes = (columns[a.name].attribute if a.name in columns else a for a in schema.attributes)
    flags = secrets | {name: own for name, own in levels.items() if own is not None}
    return Table(
        replace(schema, attributes=tuple(attributes)),
        columns,
        frame.height,
        people,
        sensitivity=next(iter(sensitivity.values()), None),
        flags=flags,
        unpublished={a.name: frame[a.name] for a in schema.of(Role.FLAG)},
    )


def _each(
    attributes: Iterable[Attribute], work: Callable[[Attribute], T], problems: list[Problem]
) -> dict[str, T]:
    """The result for each attribute by name; what fails is left out and its problems are noted."""
    results = {}
    for attribute in attributes:
        try:
            results[attribute.name] = work(attribute)
        except ShoalError as error:
            problems += error.problems
    return results


def read_sensitivity(series: pl.Series, attribute: Attribute) -> NDArray[np.float64]:
    """The personal sensitivities, each a number in [0, 1]."""
    column = encode_column(series, replace(attribute, kind=Kind.NUMERIC))
    numbers = column.domain.numbers
    assert numbers is not None
    f = np.asarray(numbers[column.codes])
    wrong = np.flatnonzero(~((f >= 0) & (f <= 1)))
    if len(wrong):
        raise DataError(
            f"Column {series.name!r} must contain a sensitivity between 0 and 1 in every row, but "
            f"does not in {rows_text(wrong)}.",
            "Write a number between 0 and 1 in every row.",
        )
    return f


def published_contents(frame: pl.DataFrame, table: Table) -> list[NDArray[Any]]:
    """The codes of every published column but the quasi-identifiers; equal cells, equal codes."""
    return [
        table.columns[a.name].codes
        if a.name in table.columns
        else dictionary_codes(without_missing(frame[a.name].cast(pl.String), a.missing))
        for a in table.schema.published
        if a not in table.schema.quasi
    ]
