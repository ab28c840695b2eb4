"""The coded input of a run, and what the plan requires of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.population import count_crowd
from shoal._run.read import Input, form_schema
from shoal.errors import DataError, InfeasibleError, PlanError, Problem
from shoal.method import Method
from shoal.method.lgb.bucket import rules_of
from shoal.model import LDiversity, Model, SensitiveModel
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import Lots
from shoal.recode.label import compile_labels
from shoal.release.fact import listed
from shoal.schema import Kind, Layout, Schema
from shoal.table import (
    Table,
    encode,
    find_people,
    people_named,
    published_contents,
    repeated_rows,
)
from shoal.table.cell import rows_text
from shoal.verify import Population

N = TypeVar("N", np.uint8, np.float64)

_NOT_IN_FILES = set('/\\:*?"<>|')
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Tables:
    """The coded input, and the same with the repeated rows of a person merged.

    `stands_for[row]` is the row that is published for a row, None where nothing is merged. People
    have the same numbers in both.
    """

    table: Table
    merged: Table
    stands_for: NDArray[np.int64] | None

    @property
    def n_repeated(self) -> int:
        return self.table.n_rows - self.merged.n_rows

    @property
    def published_once(self) -> NDArray[np.bool_]:
        """Which rows are published themselves, not through an equal row of the same person."""
        if self.stands_for is None:
            return np.ones(self.table.n_rows, dtype=np.bool_)
        return np.asarray(self.stands_for == np.arange(self.table.n_rows))


@dataclass(frozen=True)
class CodedInput(Tables):
    """The coded tables with their input, and all that the plan requires of them.

    `first` are the people whom the plan names to its method, `lots` decides what is drawn. `order`
    are the rows of the merged table in the order in which methods see them; None: as given.
    """

    source: Input
    requirements: Requirements
    first: NDArray[np.int64]
    lots: Lots
    order: NDArray[np.int64] | None


def code(plan: Plan, source: Input, seed: int | str, *, complete: bool = True) -> CodedInput:
    """Code the input; raises where it cannot meet what the plan requires.

    Where it is not complete, since counterfeits may be added, what it lacks may come with them.
    """
    found = code_table(plan, source.frame, source.population)
    requirements = compile_requirements(
        plan.models, plan.method, found, plan.suppression_limit, complete=complete
    )
    refuse_clashes(plan, found.table.schema)
    compile_labels(found.table)
    lots = Lots.of(found.table, source.frame, seed)
    return CodedInput(
        found.table,
        found.merged,
        found.stands_for,
        source,
        requirements,
        find_first(plan, source.frame, found.table),
        lots,
        _order(found, lots) if plan.order == "content" else None,
    )


def _order(found: Tables, lots: Lots) -> NDArray[np.int64]:
    """The rows of the merged table by a keyed hash of their whole content."""
    drawn = lots.merged(found.stands_for).draw("table order")
    return np.argsort(drawn[found.published_once], kind="stable")


def code_table(plan: Plan, frame: pl.DataFrame, population: Population | None = None) -> Tables:
    """Code the input by the plan, and merge the repeated rows of each person."""
    schema = form_schema(plan)
    if plan.method.layout.keeps_secrets:
        schema = _one_row_each(plan, schema, frame)
    table = encode(frame, schema)
    # With the kinds that were found by the hierarchies, which are dropped only now.
    if plan.method.sheds_hierarchies:
        table = encode(frame, table.schema.without_hierarchies())
    if population is not None:
        table = replace(table, crowd=count_crowd(population, frame, table))
    if table.people is None:
        return Tables(table, table, None)
    first = repeated_rows(table.people, published_contents(frame, table))
    if first is None:
        return Tables(table, table, None)
    table = replace(
        table,
        flags={n: highest(flags, first) for n, flags in table.flags.items()},
        sensitivity=None if table.sensitivity is None else highest(table.sensitivity, first),
    )
    rows = np.flatnonzero(first == np.arange(len(first)))
    return Tables(table, table.take(rows).as_whole(), first)


def _one_row_each(plan: Plan, schema: Schema, frame: pl.DataFrame) -> Schema:
    """The schema without people, each of whom has one row; raises DataError where one has more.

    Who is who matters to later versions alone: nothing of it is published.
    """
    if schema.individual is None:
        return schema
    column = schema.individual.column
    people = find_people(frame[column], schema[column].missing)
    rows = np.flatnonzero(people.first_row[people.person] != np.arange(frame.height))
    if len(rows):
        raise DataError(
            f"{plan.method.name} needs one row for each person, but {column!r} names people again "
            f"in {rows_text(rows)}.",
            "Give it one row for each person, or choose another method.",
        )
    return replace(schema, individual=None)


def highest(asked: NDArray[N], stands_for: NDArray[np.int64]) -> NDArray[N]:
    """What rows ask for, each the highest among the rows that are published as one."""
    highest = asked.copy()
    np.maximum.at(highest, stands_for, asked)
    return np.asarray(highest[stands_for])


def compile_requirements(
    models: Sequence[Model],
    method: Method,
    coded: Tables,
    suppression_limit: float = 1.0,
    *,
    complete: bool = True,
) -> Requirements:
    """Compile the requirements on classes; raises where they cannot be met.

    Problems with rows are reported on the input, whose row numbers the user knows.
    """
    table = coded.merged
    problems = [p for m in models for p in m.problems(table.schema)]
    problems += [*method.problems(table.schema), *method.unsuited(models)]
    problems += _needing_buckets(models, method)
    if problems:
        raise PlanError(problems)
    if method.layout.keeps_secrets:
        rules_of(models, table.schema)
        models = [m for m in models if not isinstance(m, SensitiveModel)]
    unfit = [p for m in models for p in m.unfit(coded.table)]
    if unfit:
        raise DataError(unfit)
    # Where a person has several rows, it depends on who is left out how many rows go.
    # The tolerance is for rounding: 0.29 * 100 falls a hair short of 29.
    spare = int(suppression_limit * table.n_rows + 1e-9) if table.people is None else None
    impossible = [p for m in models for p in m.infeasible(table, spare)] if complete else []
    if impossible:
        raise InfeasibleError(impossible)
    return Requirements.of(method.enforced(models), table, models)


def _needing_buckets(models: Sequence[Model], method: Method) -> list[Problem]:
    if method.layout.keeps_secrets:
        return []
    return [
        Problem(
            f"'personal' of l-diversity needs buckets, but {method.name} makes none.",
            hint="Leave 'personal' out, or choose lgb-mdp or lgb-ncp.",
        )
        for m in models
        if isinstance(m, LDiversity) and m.personal is not None
    ]


def refuse_clashes(plan: Plan, schema: Schema) -> None:
    """Raise PlanError where names of published columns or files would clash."""
    layout = plan.method.layout
    names = ["Id_num"] if schema.individual is not None else []
    names += ["record"] if layout.keeps_secrets else []
    names += ["GID"] if layout.keeps_secrets or layout is Layout.LINKED else []
    # The verifier takes these names as reserved, even where the attribute is split in two columns.
    names += [a.name for a in schema.published if a.name in names]
    for a in schema.published:
        split = a in schema.quasi and a.kind is Kind.NUMERIC and a.hierarchy is None
        ends = ("_low", "_high") if plan.ranges == "columns" and split else ("",)
        names += [a.name + end for end in ends]
    problems = [
        Problem(f"The release would have two columns named {name!r}.", hint="Rename the attribute.")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    problems += [
        Problem(
            f"The name {a.name!r} is reserved for the numbers of buckets.",
            hint="Choose a name that does not end in '_BID'.",
        )
        for a in schema.published
        if a.name.endswith("_BID")
    ]
    if plan.method.layout.keeps_secrets:
        problems += _unfit_for_files(schema)
    if problems:
        raise PlanError(problems)


def _unfit_for_files(schema: Schema) -> list[Problem]:
    """Attributes whose names no file can have, or whose bucket files would be the same."""
    names = [a.name for a in schema.secret]
    problems = [
        Problem(
            f"The buckets of {name[:40]!r} need a file of that name, but no file can have it.",
            hint="Rename the attribute.",
        )
        for name in names
        if set(name) & _NOT_IN_FILES or not name.isprintable() or len(name.encode()) > _LONGEST_NAME
    ]
    alike = [n for n in names if sum(n.casefold() == other.casefold() for other in names) > 1]
    if alike:
        text = (
            "Each attribute needs a bucket file of its own, but these names differ only in case: "
        )
        listed = ", ".join(map(repr, alike))
        problems.append(Problem(f"{text}{listed}.", hint="Rename the attributes."))
    return problems


def find_first(plan: Plan, frame: pl.DataFrame, table: Table) -> NDArray[np.int64]:
    """The people whom the plan names to its method."""
    if table.people is None or table.schema.individual is None:
        return np.empty(0, dtype=np.int64)
    column = table.schema.individual.column
    return people_named(plan.method.names, frame, column, table.people)


def list_guesses(plan: Plan, table: Table, forms: Mapping[str, str]) -> tuple[str, ...]:
    """The kinds that were not in the plan, and the forms that were recognised: a line for each."""
    found: dict[str, list[str]] = {}
    for declared, a in zip(plan.schema.attributes, table.schema.attributes, strict=True):
        if a.name in forms or (declared.kind is None and a.kind is not None):
            found.setdefault(forms.get(a.name, str(a.kind)), []).append(a.name)
    return tuple(
        f"{listed(names)} {'is' if len(names) == 1 else 'are'} taken as {words}"
        for words, names in found.items()
    )
