"""The population that models name: who is in it, and whom the people of the data stand for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError, Problem
from shoal.model import PopulationModel
from shoal.model.population import Register
from shoal.plan import Plan
from shoal.schema import Schema
from shoal.source import read
from shoal.table import Table, comparable
from shoal.table.cell import rows_text
from shoal.table.form import settle_forms
from shoal.verify import Population


def read_population(plan: Plan, schema: Schema) -> Population | None:
    """The population of the plan: every combination of quasi-identifiers and how many have it.

    `schema` decides on the forms of numbers and dates, as in the data.
    """
    registers = {m.population for m in plan.models if isinstance(m, PopulationModel)}
    if not registers:
        return None
    if len(registers) > 1:
        raise PlanError(
            f"A plan may name one population, got {len(registers)} instead.",
            hint="Give every model of the plan the same population.",
        )
    [register] = registers
    given = read((register.source,), base=plan.base, encoding=plan.encoding)
    names = [a.name for a in plan.schema.quasi]
    absent = [name for name in names if name not in given.columns]
    if absent:
        raise DataError(
            f"The population must have every quasi-identifier, but it lacks "
            f"{', '.join(map(repr, absent))}.",
            "Add the columns: without them it is not known how many people fit a class.",
        )
    counts = _counts(given, register)
    people, _ = settle_forms(given.select(names), schema, plan.decimal)
    kept = np.flatnonzero(counts)
    found = (
        people.with_columns(pl.Series(_free(names), counts))[kept]
        .group_by(names, maintain_order=True)
        .agg(pl.col(_free(names)).sum())
    )
    return Population(found.select(names), found[_free(names)].to_numpy())


def _counts(given: pl.DataFrame, register: Register) -> NDArray[np.int64]:
    """How many people each row stands for."""
    if register.count is None:
        return np.ones(given.height, dtype=np.int64)
    if register.count not in given.columns:
        raise DataError(
            f"The population has no column {register.count!r}, which 'count' names.",
            "Name the column with the number of people, or leave 'count' out.",
        )
    text = given[register.count].cast(pl.String).str.strip_chars()
    numbers = text.cast(pl.Int64, strict=False)
    wrong = np.flatnonzero(~(numbers >= 0).fill_null(False).to_numpy())
    if len(wrong):
        raise DataError(
            f"Column {register.count!r} of the population must have a whole number of at least 0 "
            f"in every row, but does not in {rows_text(wrong)}.",
            "Write how many people have the quasi-identifiers of the row.",
        )
    return numbers.to_numpy().astype(np.int64)


def _free(names: list[str]) -> str:
    """A name that no column has."""
    return "n" + "_" * max(map(len, names), default=0)


def count_crowd(population: Population, frame: pl.DataFrame, table: Table) -> NDArray[np.int64]:
    """How many of the population the unit of each row stands for; raises where it lacks people.

    Those who have the same quasi-identifiers are divided among the units of the table who have
    them; what is left over is not counted, so that the order of rows does not matter.
    """
    problems = list(_unlike(population, table))
    if problems:
        raise DataError(problems)
    first = np.arange(table.n_rows) if table.people is None else table.people.first_row
    units = _keys(frame, table)[first].with_row_index("unit")
    names = [name for name in units.columns if name != "unit"]
    people = _keys(population.people, table).with_columns(pl.Series("n", population.counts))
    there = people.group_by(names).agg(pl.col("n").sum())
    found = (
        units.join(there, on=names, how="left", nulls_equal=True)
        .with_columns(pl.col("n").fill_null(0), pl.len().over(names).alias("own"))
        .sort("unit")
    )
    n, own = (found[name].to_numpy().astype(np.int64) for name in ("n", "own"))
    lacking = np.flatnonzero(n < own)
    if len(lacking):
        raise DataError(
            "The population must include everybody who is in the data, but with the "
            f"quasi-identifiers of {rows_text(first[lacking])} of the data it has fewer people.",
            "Give a population that includes the data, with quasi-identifiers in the same form.",
        )
    return np.asarray((n // own)[table.unit_of_row()])


def _keys(frame: pl.DataFrame, table: Table) -> pl.DataFrame:
    """The quasi-identifiers as they compare: numbers as numbers, missing as null."""
    columns = {
        f"q{i}": comparable(frame[a.name], a).cast(pl.String)
        for i, a in enumerate(table.schema.quasi)
    }
    return pl.DataFrame(columns)


def _unlike(population: Population, table: Table) -> Iterator[Problem]:
    """Columns that are numbers in the data, but not in the population."""
    for a in table.schema.quasi:
        column = population.people[a.name]
        if table.columns[a.name].domain.numbers is not None and a.kind == "numeric":
            numbers = comparable(column, a)
            if not numbers.dtype.is_float():
                yield Problem(
                    f"Column {a.name!r} is numeric in the data, but not in the population.",
                    hint="Write numbers in the same form in both.",
                )
