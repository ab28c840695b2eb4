"""People with several rows: brought together, given one description each, and counted.

The rows of a person may be anywhere in the input. The engine brings them together by a digest of
the person's name, and from then on no batch and no shard divides them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from operator import add
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import Tables, compile_requirements, refuse_clashes
from shoal._run.cut import CutTree, SlotCounts
from shoal._run.engine import Rows, Source
from shoal._run.headcount import Heads, PeopleQuestion, Sizes, plan_people, tally_all
from shoal._run.part.fact import INPUT, SHARD, Facts, digest_column, fold_notes
from shoal._run.part.person import PERSON, PersonKey, people_of
from shoal._run.part.profile import CellProfile
from shoal._run.part.settle import (
    GIVEN,
    REST,
    Gatherer,
    Settled,
    Settler,
    original_of,
    sights_of,
)
from shoal.errors import DataError, InfeasibleError, Problem
from shoal.model import EIRl
from shoal.model.identity import IdentityModel
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import add_digests, digest_text
from shoal.schema import Role
from shoal.schema.wording import counted
from shoal.table import People, Table, without_missing
from shoal.table.people import refuse_unknown
from shoal.table.space import stack_columns

# The row that is published for a row, by its number in the batch in which its person was settled;
# and whether it is that row itself.
RECORD, ONCE = "record", "once"

MapBatch = Callable[[pl.DataFrame], pl.DataFrame]


@dataclass(frozen=True)
class Census:
    """What is known of all people: how many rows each has, and the values of those rows.

    Rows that repeat another of their person do not count. `found` are the places of those who are
    there among the people whom the plan names to its method.
    """

    sizes: Sizes
    counts: Mapping[str, NDArray[np.int64]]
    found: frozenset[int] = frozenset()

    def merge(self, other: Census) -> Census:
        counts = {name: own + other.counts[name] for name, own in self.counts.items()}
        return Census(self.sizes + other.sizes, counts, self.found | other.found)


@dataclass(frozen=True)
class PeopleFacts(Facts):
    """The same where rows belong to people.

    `first` are the digests of those whom the plan names to its method; `replaced` counts the cells
    that were replaced, by attribute.
    """

    census: Census = field(default_factory=lambda: Census(Sizes.of(np.empty(0, np.int64)), {}))
    first: tuple[tuple[int, int], ...] = ()
    replaced: Mapping[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, NDArray[np.int64]]:
        return dict(self.census.counts)

    @property
    def n_records(self) -> int:
        """How many rows there are without the repeats of a person's rows."""
        return self.census.sizes.n_rows

    def original(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Coded rows as they were given, with a text for everybody in place of the name."""
        assert self.schema.individual is not None
        changed = []
        for a in self.schema.quasi:
            column = original_of(self.plan, a.name)
            if column in rows.columns:
                changed.append(rows[column].alias(self.column(a.name)))
        names = rows.select(pl.format("{}-{}", *PERSON)).to_series()
        return (
            super()
            .original(rows.with_columns(changed))
            .with_columns(names.alias(self.schema.individual.column))
        )

    @property
    def sketch(self) -> Table:
        found = super().sketch
        nobody = np.empty(0, dtype=np.int32)
        people = People(nobody, np.zeros(self.census.sizes.n_people, dtype=np.int64))
        counts = {**(found.counts_all or {}), **self.census.counts}
        return replace(found, n_rows=self.n_records, people=people, counts_all=counts)

    def requirements(self) -> Requirements:
        """What the plan requires of classes; raises where the table cannot meet it.

        Whether everybody's values allow an l of eir-l is left to `cut_people`.
        """
        table, plan = self.sketch, self.plan
        found = compile_requirements(
            plan.models,
            plan.method,
            Tables(table, table, None),
            plan.suppression_limit,
            complete=False,
        )
        unfit = [p for m in plan.models for p in self._missing(m)]
        if unfit:
            raise DataError(unfit)
        impossible = [
            p for m in plan.models if not isinstance(m, EIRl) for p in m.infeasible(table, None)
        ]
        if impossible:
            raise InfeasibleError(impossible)
        refuse_clashes(plan, self.schema)
        return found

    def _missing(self, model: Any) -> list[Problem]:
        if not isinstance(model, IdentityModel):
            return []
        problems = []
        for name in model.targets(self.schema):
            coding = self.codings[name]
            place = coding.domain.missing
            if place >= 0 and coding.counts[place]:
                text = f"{model.name} needs a sensitive value in every row, but {name!r} is missing"
                hint = "Leave these rows out, or fill in a value that means 'unknown'."
                problems.append(
                    Problem(f"{text} in {counted(coding.counts[place], 'row')}.", hint=hint)
                )
        return problems


@dataclass(frozen=True)
class Recorder:
    """Code the settled rows of people, and find those that repeat another of their person.

    `first` are the digests of those whom the plan names to its method.
    """

    facts: Facts
    first: tuple[tuple[int, int], ...]

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        facts = self.facts
        sums = rows[REST].to_numpy().copy()
        for name, coding in facts.codings.items():
            sums += coding.hashes[rows[facts.column(name)].to_numpy()]
        # By content, since rows come in any order.
        rows = rows.drop(REST).with_columns(pl.Series(INPUT, sums)).sort(*PERSON, INPUT)
        first = self._records(rows)
        once = first == np.arange(rows.height)
        rows = rows.with_columns(pl.Series(RECORD, first.astype(np.uint32)), pl.Series(ONCE, once))
        counted = rows.filter(ONCE)
        people = people_of(counted)
        n_rows = np.bincount(people.person, minlength=len(people)).astype(np.int64)
        counts = {
            a.name: np.bincount(
                facts.codes(counted, a.name), minlength=len(facts.codings[a.name].domain)
            )
            for a in facts.schema.sensitive
        }
        known = set(counted.select(PERSON)[people.first_row].iter_rows()) if self.first else set()
        found = frozenset(i for i, own in enumerate(self.first) if own in known)
        return rows, pickle.dumps(Census(Sizes.of(n_rows), counts, found))

    def _records(self, rows: pl.DataFrame) -> NDArray[np.int64]:
        """For every row, the first row of the same person that publishes the same."""
        facts = self.facts
        contents = [
            pl.Series(facts.codes(rows, a.name))
            if a.name in facts.codings
            else without_missing(rows[facts.column(a.name)].cast(pl.String), a.missing)
            for a in facts.schema.published
            if a.role is not Role.QUASI
        ]
        keys = [*PERSON, *(f"{i}" for i in range(len(contents)))]
        columns = [*rows.select(PERSON), *(c.alias(f"{i}") for i, c in enumerate(contents))]
        found = pl.DataFrame(columns).with_row_index("row")
        first = found.select(pl.col("row").min().over(keys)).to_series()
        return first.to_numpy().astype(np.int64)


def gather_people(
    plan: Plan,
    profile: CellProfile,
    source: Source,
    keep: MapBatch,
    seed: int | str,
    n_rows: int,
    *,
    typed: bool,
) -> tuple[PeopleFacts, Rows]:
    """What is known of the table, and its coded rows in batches that divide nobody's rows.

    Raises DataError where a row names nobody, or people differ and the plan does not settle that.
    """
    assert plan.schema.individual is not None
    profile, key = profile.in_order(), PersonKey.fresh()
    sights = sights_of(plan, profile)
    n_batches = max(-(-profile.n_rows // n_rows), 1)
    placed = source.map(partial(_gathered, keep, Gatherer(plan, sights, key, n_batches)))
    together = placed.shard(SHARD)
    digest = ""
    if plan.schema.individual.conflict == "first":
        digest = digest_text(*together.fold(partial(digest_column, GIVEN), add_digests))
    settled, notes = together.solve(Settler(plan, sights, digest, seed))
    placed.close()
    together.close()
    note = fold_notes(notes, Settled.merge)
    note.refuse(plan)
    facts = Facts.of(plan, note.profile(profile), typed=typed)
    first = _named(plan, key)
    coded, notes = settled.solve(Recorder(facts, first))
    settled.close()
    census = fold_notes(notes, Census.merge)
    _refuse_unknown(plan, first, census)
    given = {f.name: getattr(facts, f.name) for f in fields(Facts)}
    return PeopleFacts(**given, census=census, first=first, replaced=note.in_words), coded


def _gathered(keep: MapBatch, gather: Gatherer, batch: pl.DataFrame) -> pl.DataFrame:
    return gather(keep(batch))


def _named(plan: Plan, key: PersonKey) -> tuple[tuple[int, int], ...]:
    """The digests of the people whom the plan names to its method."""
    names = pl.Series(list(plan.method.names), dtype=pl.String)
    return tuple(zip(*(half.to_list() for half in key.digests(names)), strict=True))


def _refuse_unknown(plan: Plan, first: Sequence[tuple[int, int]], census: Census) -> None:
    """Raise PlanError where the plan names people who are not there."""
    assert plan.schema.individual is not None
    unknown = [i + 1 for i in range(len(first)) if i not in census.found]
    refuse_unknown(unknown, len(first), plan.schema.individual.column)


def heads_of(facts: PeopleFacts, rows: pl.DataFrame) -> Heads:
    """The people of a batch that divides nobody's rows."""
    counted = rows.filter(ONCE)
    people = people_of(counted)
    first = counted[people.first_row]
    quasi = [facts.codes(first, a.name) for a in facts.schema.quasi]
    values = tuple(facts.codes(counted, a.name) for a in facts.schema.sensitive)
    return Heads(stack_columns(quasi), people.person, values)


def cut_people(
    facts: PeopleFacts, requirements: Requirements, coded: Rows, n_rows: int
) -> CutTree | None:
    """The shard plan; None where counts do not show that all people can be in one release."""
    sizes = facts.census.sizes

    def count(question: PeopleQuestion) -> SlotCounts:
        return coded.fold(partial(_count, facts, question), add)

    if requirements.beyond_size and not tally_all(requirements, sizes, count).holds(requirements):
        return None
    if sizes.n_rows <= n_rows:
        return CutTree.none()
    return plan_people(requirements, sizes, n_rows, count)


def _count(facts: PeopleFacts, question: PeopleQuestion, rows: pl.DataFrame) -> SlotCounts:
    return question.count(heads_of(facts, rows))
