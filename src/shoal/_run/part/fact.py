"""All that a shard needs to know of the rest of the table, and the coding of rows by it."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import Tables, compile_requirements, refuse_clashes
from shoal._run.part.profile import CODED, CellProfile, flag_columns, level_columns
from shoal._run.read import form_schema, idle_entries
from shoal.errors import DataError, InfeasibleError, PlanError, Problem
from shoal.method.lgb.bucket import Rule, rules_of
from shoal.method.lgb.excess import impossible_buckets
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import hash_cells, sum_digest
from shoal.schema import Attribute, Role, Schema
from shoal.table import Column, Domain, Table, read_secrets, read_sensitivity
from shoal.table.column import encode_column
from shoal.table.flag import read_levels
from shoal.table.form import matched_entries, settle_form
from shoal.table.rule import flags_of, unfit_conditions

INPUT, SHARD = "input", "shard"
N = TypeVar("N")
_ROWS = re.compile(r"(\d+) rows? \([^)]*\)")


def fold_notes(notes: Sequence[bytes], merge: Callable[[N, N], N]) -> N:
    """The notes that a run's own workers left on batches or shards, as one."""
    found: list[N] = [pickle.loads(note) for note in notes]  # noqa: S301 (its own notes)
    return reduce(merge, found)


def find_places(known: pl.Series, cells: pl.Series) -> pl.Series:
    """The place of every cell among those that are known, in as narrow a type as holds it."""
    width = pl.Series(np.empty(0, np.min_scalar_type(max(len(known), 1)))).dtype
    places = pl.DataFrame({"cell": known, "place": pl.int_range(len(known), eager=True)})
    found = (
        cells.alias("cell")
        .to_frame()
        .join(places, on="cell", how="left", nulls_equal=True, maintain_order="left")
    )
    return found["place"].cast(width)


def column_of(schema: Schema, name: str) -> str:
    """The column of an attribute in coded rows: the place of its cell, or the cell itself."""
    return f"c{[a.name for a in schema.attributes].index(name)}"


def digest_column(name: str, rows: pl.DataFrame) -> tuple[int, int, int]:
    """What rows add to the digest of all, by the hashes in a column."""
    return sum_digest(rows[name].to_numpy())


@dataclass(frozen=True)
class DistinctCells:
    """The different cells of a column.

    They are `read` so, and `given` in the usual form; each adds one of `hashes` to that of its row.
    """

    read: pl.Series
    given: pl.Series
    hashes: NDArray[np.uint64]

    def places(self, cells: pl.Series) -> pl.Series:
        """The place of every cell among those that were profiled."""
        return find_places(self.read, cells)


@dataclass(frozen=True)
class Coding(DistinctCells):
    """How the cells of a column are coded: `codes` has the code of each in the domain.

    `counts` is how often each code occurs, `n` how often each cell does.
    """

    domain: Domain
    codes: NDArray[Any]
    counts: NDArray[np.int64]
    n: pl.Series


@dataclass(frozen=True)
class FlagCells(DistinctCells):
    """The cells of a column that says which cells of others are secret."""

    def secret(self, places: pl.Series, attribute: str) -> NDArray[np.uint8]:
        """Which cells of an attribute are secret, by the places of their flags."""
        return np.asarray(read_secrets(self.given, attribute)[places.to_numpy()])


@dataclass(frozen=True)
class Facts:
    """What is known of the whole table once its cells are profiled; the same for every shard.

    Coded rows have the column `c<i>` for the i-th attribute of the schema: the place of its cell in
    the coding, or the cell itself if the attribute is published but not coded; and the hash of the
    whole input row.
    """

    plan: Plan
    schema: Schema
    n_rows: int
    codings: Mapping[str, Coding]
    forms: Mapping[str, str]
    idle: tuple[str, ...]
    types: Mapping[str, pl.DataType]
    flags: Mapping[str, FlagCells] = field(default_factory=dict)

    @classmethod
    def of(cls, plan: Plan, profile: CellProfile, *, typed: bool) -> Facts:
        """Settle what the profile says; raises where the cells do not fit the plan."""
        # Profiles of batches may be merged in any order, on which nothing may depend.
        profile = profile.in_order()
        codings, forms = _encode(plan, form_schema(plan), profile)
        # With the kinds that were found by the hierarchies, as in memory.
        if plan.method.sheds_hierarchies:
            found = (codings[a.name].domain.attribute if a.name in codings else a
                     for a in plan.schema.attributes)  # fmt: skip
            shed = replace(plan.schema, attributes=tuple(found)).without_hierarchies()
            codings, _ = _encode(plan, shed, profile)
        check_levels(plan.schema, profile, codings)
        attributes = (
            codings[a.name].domain.attribute if a.name in codings else a
            for a in plan.schema.attributes
        )
        matched = {
            name: matched_entries(own["value"], plan.schema[name])
            for name, own in profile.cells.items()
            if plan.schema[name].missing
        }
        given = {name: coding.given.dtype for name, coding in codings.items()}
        return cls(
            plan,
            replace(plan.schema, attributes=tuple(attributes)),
            profile.n_rows,
            codings,
            forms,
            idle_entries(plan, {**profile.matched, **matched}),
            {**profile.types, **given} if typed else {},
            read_flags(plan.schema, profile),
        )

    def column(self, name: str) -> str:
        """The name of an attribute's column in coded rows."""
        return column_of(self.schema, name)

    @property
    def carried(self) -> list[Attribute]:
        """The attributes that are kept but not coded: published as they are, or about people."""
        flags = (self.schema[name] for name in level_columns(self.schema))
        kept = (*self.schema.published, *self.schema.of(Role.SENSITIVITY), *flags)
        return [a for a in kept if a.name not in self.codings]

    def code(self, batch: pl.DataFrame) -> pl.DataFrame:
        """The coded rows of a batch as it was read."""
        columns = []
        sums = np.zeros(batch.height, dtype=np.uint64)
        for name in batch.columns:
            coding = self.codings.get(name) or self.flags.get(name)
            if coding is None:
                sums += hash_cells(batch[name], name)
                continue
            places = coding.places(batch[name])
            sums += coding.hashes[places.to_numpy()]
            columns.append(places.alias(self.column(name)))
        columns += [batch[a.name].alias(self.column(a.name)) for a in self.carried]
        return pl.DataFrame([*columns, pl.Series(INPUT, sums)])

    def codes(self, rows: pl.DataFrame, name: str) -> NDArray[Any]:
        """The codes of an attribute in coded rows."""
        return np.asarray(self.codings[name].codes[rows[self.column(name)].to_numpy()])

    def table(self, rows: pl.DataFrame) -> Table:
        """Coded rows as a table that knows the counts of the whole."""
        columns = {
            a.name: Column(self.codings[a.name].domain, self.codes(rows, a.name))
            for a in self.schema.of(*CODED)
        }
        flags = {a.name: self.secret(rows, a.name) for a in self.schema.of(Role.SEMI_SENSITIVE)}
        return Table(
            self.schema,
            columns,
            rows.height,
            counts_all=self.counts,
            sensitivity=self.sensitivity(rows) if self.schema.of(Role.SENSITIVITY) else None,
            flags={**flags, **self.levels(rows)},
        )

    def sensitivity(self, rows: pl.DataFrame) -> NDArray[np.float64]:
        """The sensitivity of every coded row."""
        (a,) = self.schema.of(Role.SENSITIVITY)
        return read_sensitivity(rows[self.column(a.name)].alias(a.name), a)

    def secret(self, rows: pl.DataFrame, name: str) -> NDArray[np.uint8]:
        """Which cells of a semi-sensitive attribute are secret in coded rows."""
        flag = self.schema[name].flag
        assert flag is not None
        return self.flags[flag].secret(rows[self.column(flag)], name)

    def levels(self, rows: pl.DataFrame) -> dict[str, NDArray[np.uint8]]:
        """How high the cells of every flagged sensitive attribute are flagged in coded rows."""
        names = level_columns(self.schema)
        frame = pl.DataFrame([rows[self.column(name)].alias(name) for name in names])
        found = {
            a.name: flags_of(self.codings[a.name].domain, self.codes(rows, a.name), frame)
            for a in self.schema.sensitive
        }
        return {name: own for name, own in found.items() if own is not None}

    @property
    def counts(self) -> dict[str, NDArray[np.int64]]:
        """How often each sensitive code occurs in the whole table."""
        return {a.name: self.codings[a.name].counts for a in self.schema.sensitive}

    @property
    def whole(self) -> dict[str, pl.DataFrame]:
        """The different cells of every sensitive column, and how often each occurs."""
        own = ((a.name, self.codings[a.name]) for a in self.schema.sensitive)
        return {name: pl.DataFrame({"value": c.given, "n": c.n}) for name, c in own}

    def original(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Coded rows as they were given: what is published, and what is said of people."""
        columns = []
        flags = (self.schema[name] for name in (*self.flags, *level_columns(self.schema)))
        own = (*flags, *self.schema.of(Role.SENSITIVITY))
        for attribute in (*self.schema.published, *own):
            cells = rows[self.column(attribute.name)]
            name = attribute.name
            coding = self.codings.get(name) or self.flags.get(name)
            cells = cells if coding is None else coding.given.gather(cells)
            columns.append(cells.alias(attribute.name))
        return pl.DataFrame(columns)

    @property
    def sketch(self) -> Table:
        """A table with the domains and counts of the whole, but no codes of its own."""
        columns = {
            name: Column(coding.domain, np.empty(0, coding.codes.dtype))
            for name, coding in self.codings.items()
        }
        counts = {name: coding.counts for name, coding in self.codings.items()}
        return Table(self.schema, columns, self.n_rows, counts_all=counts)

    def requirements(self) -> Requirements:
        """What the plan requires of classes; raises where the table cannot meet it."""
        table = self.sketch
        found = compile_requirements(
            self.plan.models,
            self.plan.method,
            Tables(table, table, None),
            self.plan.suppression_limit,
        )
        refuse_clashes(self.plan, self.schema)
        return found

    def bucket_rules(self) -> dict[str, Rule]:
        """What the buckets of every attribute must hold, where the method makes some.

        Raises InfeasibleError where the table has too few values for them.
        """
        if not self.plan.method.layout.keeps_secrets:
            return {}
        rules = rules_of(self.plan.models, self.schema)
        if problems := impossible_buckets(self.sketch, rules):
            raise InfeasibleError(problems)
        return rules


def _encode(
    plan: Plan, schema: Schema, profile: CellProfile
) -> tuple[dict[str, Coding], dict[str, str]]:
    codings: dict[str, Coding] = {}
    forms: dict[str, str] = {}
    problems: list[Problem] = []
    for attribute in schema.of(*CODED):
        own = profile.cells[attribute.name]
        given, words = settle_form(own["value"], attribute, plan.decimal)
        if words:
            forms[attribute.name] = words
        n_rows = profile.settled.get(attribute.name, own["n"].to_numpy())
        # A value that no row keeps once conflicts are settled is in no domain.
        left = np.flatnonzero(n_rows)
        try:
            column = encode_column(given.alias(attribute.name).gather(left), attribute)
        except DataError as error:
            problems += _without_rows(error)
            continue
        texts = pl.Series(column.domain.texts, dtype=pl.String)
        codes = np.zeros(len(own), dtype=column.codes.dtype)
        codes[left] = column.codes
        # Of the value, not of the cell as it is written: 8 and 8.0 count as the same, as in memory.
        hashes = hash_cells(texts, attribute.name)[codes]
        counts = np.bincount(column.codes, n_rows[left], len(column.domain))
        codings[attribute.name] = Coding(
            own["value"], given, hashes, column.domain, codes, counts.astype(np.int64), own["n"],
        )  # fmt: skip
    if problems:
        raise DataError(problems)
    return codings, forms


def read_flags(schema: Schema, profile: CellProfile) -> dict[str, FlagCells]:
    """The columns of flags; raises DataError where they do not say yes or no."""
    problems: list[Problem] = []
    for attribute in schema.of(Role.SEMI_SENSITIVE):
        if attribute.flag is not None:
            try:
                cells = profile.cells[attribute.flag]["value"].alias(attribute.flag)
                read_secrets(cells, attribute.name)
            except DataError as error:
                problems += _without_rows(error)
    if problems:
        raise DataError(problems)
    columns = ((name, profile.cells[name]["value"]) for name in flag_columns(schema))
    return {name: FlagCells(own, own, hash_cells(own, name)) for name, own in columns}


def check_levels(schema: Schema, profile: CellProfile, codings: Mapping[str, Coding]) -> None:
    """Raise where flags are no flags, or rules leave a value of the table without one."""
    unfit = [p for coding in codings.values() for p in unfit_conditions(coding.domain.attribute)]
    if unfit:
        raise PlanError(unfit)
    problems: list[Problem] = []
    for a in schema.of(Role.SENSITIVE):
        coding = codings[a.name]
        try:
            if a.flag is not None:
                read_levels(profile.cells[a.flag]["value"].alias(a.flag), a.name)
            elif a.flags is not None:
                flags_of(coding.domain, np.flatnonzero(coding.counts), pl.DataFrame())
        except DataError as error:
            problems += _without_rows(error)
    if problems:
        raise DataError(problems)


def _without_rows(error: DataError) -> Iterator[Problem]:
    """The problems of distinct cells, which stand for more rows than are known here."""
    for p in error.problems:
        yield replace(p, text=_ROWS.sub(r"cells of \1 different values", p.text))
