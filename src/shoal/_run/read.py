"""The input of a run, read and with the conflicts within people settled."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine import Engine, LocalEngine
from shoal._run.population import read_population
from shoal.errors import PlanError
from shoal.plan import Plan
from shoal.recode import Lots
from shoal.release.fact import listed
from shoal.schema import Kind, Role, Schema
from shoal.schema.advice import Advice, advise
from shoal.source import has_types
from shoal.table import find_people, settle_conflicts
from shoal.table.form import matched_entries, settle_forms
from shoal.verify import Population


@dataclass(frozen=True)
class Input:
    """The table as it was given, and with one description for each person.

    `replaced` counts, for each attribute, the cells in which the two differ. `forms` are
    the forms of numbers and dates that were recognised, in words; `idle` are the entries under
    `missing` that no cell matches. `first` is the row that describes each person, where the plan
    takes the first and does not mean the first as given. `types` are those of the columns, where
    the source has types. `population` is the one that the plan names, if it does. The last
    `n_counterfeits` rows belong to nobody.
    """

    given: pl.DataFrame
    frame: pl.DataFrame
    replaced: Mapping[str, int]
    forms: Mapping[str, str]
    idle: tuple[str, ...] = ()
    first: NDArray[np.int64] | None = None
    types: Mapping[str, pl.DataType] = field(default_factory=dict)
    population: Population | None = None
    n_counterfeits: int = 0


class PlacedSource(NamedTuple):
    """A table or where to read it, and the folder at which relative paths start."""

    source: Any
    base: Path


def read_input(
    plan: Plan, data: Any = None, engine: Engine | None = None, seed: int | str = 0
) -> Input:
    """Read the plan's source, or the data given in its place; on this machine by default.

    The seed decides which row of a person is the first by content.
    """
    given = source_of(plan, data)
    return read_source(plan, given.source, given.base, engine or LocalEngine(), seed)


def source_of(plan: Plan, data: Any) -> PlacedSource:
    """The plan's source, or the data given in its place, and where relative paths start."""
    if data is None and plan.data is None:
        raise PlanError(
            "The plan names no source, and no data was given.",
            hint="Add 'source: FILE' to the plan, or give the data.",
        )
    if data is None:
        return PlacedSource(plan.data, plan.base)
    if isinstance(data, (tuple, list)):
        return PlacedSource(tuple(data), plan.base)
    return PlacedSource(data, Path.cwd())


def read_source(plan: Plan, source: Any, base: Path, engine: Engine, seed: int | str = 0) -> Input:
    """Read a source whose columns must all be declared; relative paths start at `base`."""
    given = read_declared(plan, source, base, engine)
    return settle(plan, given, seed, typed=has_types(source, base))


def read_declared(plan: Plan, source: Any, base: Path, engine: Engine) -> pl.DataFrame:
    """The columns that the plan declares and keeps, as they are read."""
    given = engine.read(source, base, plan.encoding)
    kept = set(kept_columns(plan, given.columns))
    return given.drop([name for name in given.columns if name not in kept])


def kept_columns(plan: Plan, columns: Sequence[str]) -> list[str]:
    """Of the columns of a source those that the plan keeps; raises where they do not fit it."""
    problems = plan.check_columns(columns)
    if problems:
        raise PlanError(problems)
    kept = {a.name for a in plan.schema.attributes if a.role is not Role.DROP}
    return [name for name in columns if name in kept]


def settle(plan: Plan, given: pl.DataFrame, seed: int | str = 0, *, typed: bool) -> Input:
    """The forms of numbers and dates recognised, and one description for each person.

    `typed` says whether the source has types of its own, which what it publishes then keeps.
    """
    # Before forms are settled: that replaces the very cells that entries of `missing` match.
    idle = idle_entries(
        plan,
        {
            a.name: matched_entries(given[a.name], a)
            for a in plan.schema.attributes
            if a.missing and a.name in given.columns
        },
    )
    schema = form_schema(plan)
    given, forms = settle_forms(given, schema, plan.decimal)
    first = _first_by_content(plan, given, seed)
    frame, replaced = settle_conflicts(given, plan.schema, first)
    types = dict(given.schema) if typed else {}
    population = read_population(plan, schema)
    return Input(given, frame, replaced, forms, idle, first, types, population)


def form_schema(plan: Plan) -> Schema:
    """The schema that decides on forms: without a hierarchy, a moment is published as its day."""
    if not plan.method.sheds_hierarchies:
        return plan.schema
    schema = plan.schema
    dates = [a for a in schema.quasi if a.hierarchy is not None and a.hierarchy.form == "dates"]
    attributes = (
        replace(a, kind=Kind.DATE, hierarchy=None) if a in dates else a for a in schema.attributes
    )
    return replace(schema, attributes=tuple(attributes))


def _first_by_content(plan: Plan, given: pl.DataFrame, seed: int | str) -> NDArray[np.int64] | None:
    """The row that describes each person, where the plan takes the first and order is content."""
    individual = plan.schema.individual
    if individual is None or individual.conflict != "first" or plan.order == "input":
        return None
    people = find_people(given[individual.column], plan.schema[individual.column].missing)
    return people.first_by(Lots.of_frame(given, seed).draw("conflict"))


def idle_entries(plan: Plan, matched: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The entries under `missing` that match no cell, by their place in the plan.

    `matched` are those that cells match, by column.
    """
    shared = set(range(len(plan.missing)))
    idle = []
    for attribute in (a for a in plan.schema.attributes if a.name in matched):
        own = [entry for entry in attribute.missing if entry not in plan.missing]
        found = matched[attribute.name]
        shared -= {place for place, entry in enumerate(plan.missing) if entry in found}
        for place, entry in enumerate(own, 1):
            if entry not in found:
                idle.append(f"entry {place} of '{attribute.name}'")
    return (*idle, *(f"entry {place + 1} of the plan" for place in sorted(shared)))


def warn_of_missing(idle: Sequence[str]) -> Iterator[Advice]:
    """Say which entries under `missing` do nothing."""
    if idle:
        yield advise(
            "idle-missing",
            f"No cell matches these entries of 'missing': {listed(idle)}. What they should match "
            "counts as a value.",
        )
