"""From a shard to what is published of it: a pure function, and notes that merge."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import Tables
from shoal._run.headcount import Sizes
from shoal._run.part.fact import INPUT, SHARD, Facts, fold_notes
from shoal._run.part.level import Crowds, crowds_of, settle_crowds
from shoal._run.part.symbol import Shown, show_shard
from shoal._run.publish import refuse_failing
from shoal._run.shard import shard_seed
from shoal._run.solve import Work, solve_shard
from shoal.folder.counted import Counted
from shoal.folder.public import symbols_by_plan
from shoal.measure import MEASURES, View
from shoal.method import Task
from shoal.method.repair import Repair, repair_counts
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import Generalised, Lots, Publication, generalise, published_order
from shoal.release.value import Short, count_short
from shoal.schema import Verdict
from shoal.schema.advice import Advice
from shoal.schema.wording import AT_MOST, threshold_of
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition
from shoal.verify import Published, RowDigest, verify_release

# Those whose sums over shards add up to the sums over the table.
SUMMED = ("glm", "ncp", "prec", "suppression", "infoloss", "infoloss-quasi", "infoloss-sensitive")


@dataclass(frozen=True)
class PeopleNote:
    """What is reported of the people of a shard: counts that add up, but no person.

    `n_rows` were read, `n_lost` of them are left out. `n_telling` published people have a number of
    rows that nobody else in their class has; `sizes` are the numbers of rows of the published.
    """

    n_rows: int
    n_lost: int
    n_people: int
    n_telling: int
    sizes: Sizes

    def merge(self, other: PeopleNote) -> PeopleNote:
        return PeopleNote(
            self.n_rows + other.n_rows,
            self.n_lost + other.n_lost,
            self.n_people + other.n_people,
            self.n_telling + other.n_telling,
            self.sizes + other.sizes,
        )

    @property
    def telling(self) -> float:
        """The share of published people whose number of rows tells them apart."""
        if len(self.sizes.rows) < 2:
            return 0.0
        return self.n_telling / self.sizes.n_people


@dataclass(frozen=True)
class Note:
    """What is reported of a shard: verdicts, counts and sums, but no row.

    `repaired` has no classes. `digest` is of the rows as they were verified, without the numbers of
    people, who are in `people`; `crowds` are what judges requirements on rows of all shards
    together. `advice` is the method's on the shard.
    """

    n_rows: int
    n_published: int
    n_classes: int
    repaired: Repair
    verdicts: tuple[Verdict, ...]
    sums: Mapping[str, NDArray[np.float64]]
    lost: Mapping[str, float]
    counted: Counted
    digest: RowDigest
    crowds: tuple[Crowds, ...] = ()
    people: PeopleNote | None = None
    shown: Shown = field(default_factory=Shown)
    short: Short = field(default_factory=dict)
    advice: tuple[Advice, ...] = ()

    def merge(self, other: Note) -> Note:
        """The note of both, this one first."""
        verdicts = self.verdicts if self.n_classes else other.verdicts
        if self.n_classes and other.n_classes:
            verdicts = tuple(map(worse, self.verdicts, other.verdicts))
        return Note(
            self.n_rows + other.n_rows,
            self.n_published + other.n_published,
            self.n_classes + other.n_classes,
            _both(self.repaired, other.repaired),
            verdicts,
            {name: own + other.sums[name] for name, own in self.sums.items()},
            {name: own + other.lost[name] for name, own in self.lost.items()},
            self.counted.merge(other.counted),
            self.digest + other.digest,
            tuple(map(Crowds.merge, self.crowds, other.crowds)),
            _both_people(self.people, other.people),
            self.shown.merge(other.shown),
            {name: own + other.short[name] for name, own in self.short.items()},
            _both_advice(self.advice, other.advice),
        )


def merge_notes(notes: Sequence[bytes]) -> Note:
    """The notes of all shards as one."""

    def merge(one: Note, other: Note) -> Note:
        return one.merge(other)

    whole = fold_notes(notes, merge)
    return replace(whole, verdicts=settle_crowds(whole.verdicts, whole.crowds))


@dataclass(frozen=True)
class Solved(Tables):
    """A shard with its classes and their labels.

    `rows` are as they were coded, `table` the same as the method saw them, `given` as they were
    read.
    """

    number: int
    rows: pl.DataFrame
    repaired: Repair
    labels: Sequence[Generalised]
    lots: Lots
    given: pl.DataFrame

    @property
    def partition(self) -> Partition:
        """The classes."""
        return self.repaired.partition


def sums_of(
    view: View, names: Sequence[str]
) -> tuple[dict[str, NDArray[np.float64]], dict[str, float]]:
    """What a shard adds to measures, and to the loss of every attribute."""
    lost = MEASURES["glm"]().by_attribute(view)  # type: ignore[attr-defined]
    n_rows = view.table.n_rows
    return (
        {name: MEASURES[name]().summarise(view) for name in names},
        {name: share * n_rows for name, share in lost.items()},
    )


@dataclass(frozen=True)
class Solver:
    """The method, the repair, the labels and the verification of one shard.

    `digest` is that of the whole input, `whole`: the table is one shard, in the order of its lots.
    """

    facts: Facts
    requirements: Requirements
    seed: int | str
    digest: str
    n_shards: int
    threads: int
    whole: bool

    def __call__(self, shard: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        """What is published of a shard, with the hashes that order it, and the note on it."""
        facts, plan, own = self.facts, self.facts.plan, self.solved(shard)
        table, partition, labels, given = own.table, own.partition, own.labels, own.given
        once = own.published_once
        showing, shown = show_shard(table, partition, plan.method.display, once)
        classes = table.by_row(partition.unit_class)
        kept, keys = published_order(
            table, given, labels, classes, own.lots, own.stands_for, shown=showing.cells
        )
        made = Publication(table, given, labels, classes[kept], classes[kept] + 1, kept,
                           plan.ranges, shown=showing.cells)  # fmt: skip
        tables = made.tables()
        verdicts = self._verify(own, tables, kept, shown)
        symbols = {n: cells.take(np.flatnonzero(once)) for n, cells in showing.cells.items()}
        data, view = tables["data"], View(own.merged, partition, labels, symbols=symbols)
        note = Note(
            own.merged.n_rows,
            data.height,
            partition.n_classes,
            without_classes(own.repaired),
            verdicts,
            *sums_of(view, SUMMED),
            Counted.of(data, facts.schema, symbols_of_plan(plan)),
            self.digest_of(data),
            crowds_of(data, facts.schema, plan.requirements, given[kept]),
            self.people_note(own),
            shown,
            count_short(plan.models, own.merged, partition, None),
            # Every shard has a lattice of its own, and the sketch of the whole table has no codes.
            tuple(plan.method.advice(own.merged)),
        )
        return self.numbered(own, keys(), kept, data), pickle.dumps(note)

    def digest_of(self, data: pl.DataFrame) -> RowDigest:
        """The digest of published rows, without the numbers of people."""
        return RowDigest.of(data)

    def people_note(self, own: Solved) -> PeopleNote | None:
        """What is told of the people of a shard, where rows belong to people."""
        return None

    def numbered(
        self, own: Solved, keys: pl.DataFrame, kept: NDArray[np.int64], data: pl.DataFrame
    ) -> pl.DataFrame:
        """The published rows with all that orders and numbers them; `kept` are theirs of `own`."""
        return pl.concat([keys, column_texts(data)], how="horizontal")

    def solved(self, shard: pl.DataFrame) -> Solved:
        """The classes of a shard and their labels, its rows in the order of the method."""
        number = int(shard[SHARD][0])
        rows = shard[self._order(shard)]
        table = self.facts.table(rows)
        repaired = self.classes(rows, table, number)
        return Solved(
            table,
            table,
            None,
            number,
            rows,
            repaired,
            generalise(table, repaired.partition, self.facts.plan.ranges),
            Lots(rows[INPUT].to_numpy(), self.digest, self.seed),
            self.facts.original(rows),
        )

    def classes(self, shard: pl.DataFrame, table: Table, number: int) -> Repair:
        """The classes of a shard."""
        return solve_shard(self._work(table, number))

    def _order(self, shard: pl.DataFrame) -> NDArray[np.int64]:
        """Rows by all coded columns, ties by lot."""
        lots = Lots(shard[INPUT].to_numpy(), self.digest, self.seed).draw("table order")
        if self.whole:
            return np.argsort(lots, kind="stable")
        coded = [a.name for a in self.facts.schema.attributes if a.name in self.facts.codings]
        keys = [self.facts.codes(shard, name) for name in reversed(coded)]
        return np.lexsort([lots, *keys])

    def _work(self, table: Table, number: int) -> Work:
        plan = self.facts.plan
        task = Task(
            table,
            self.requirements.on(table),
            shard_seed(self.seed, number),
            plan.objective,
            threads=self.threads,
        )
        polish = None if plan.polish is None else plan.polish.share(self.n_shards)
        return Work(plan.method, task, plan.suppression_limit, polish)

    def _verify(
        self,
        own: Solved,
        tables: Mapping[str, pl.DataFrame],
        origin: NDArray[np.int64],
        shown: Shown,
    ) -> tuple[Verdict, ...]:
        """The verdicts on a shard as a release of its own; raises where a requirement fails."""
        plan, classes = self.facts.plan, own.table.by_row(own.partition.unit_class)
        published = Published(
            tables,
            own.given,
            origin,
            np.where(classes == SUPPRESSED, SUPPRESSED, classes + 1).astype(np.int64),
            self.facts.schema,
            plan.requirements,
            ranges=plan.ranges,
            symbols=shown.how,
            **self.known(own),
        )
        verdicts = verify_release(published)
        # No class proves nothing, but others may have some: that all have none is found later.
        if own.partition.n_classes:
            refuse_failing(plan, verdicts)
        return verdicts

    def known(self, own: Solved) -> dict[str, Any]:
        """What else the verifier is told of a shard."""
        k = own.partition.k
        released = None if k is None else k.astype(np.int64)
        return {"released_k": released, "whole": self.facts.whole}


def symbols_of_plan(plan: Plan) -> frozenset[str]:
    """The sensitive attributes that do not show values, as far as the plan tells."""
    method, declared = plan.method, plan.declared_schema
    return frozenset(symbols_by_plan(declared, plan.requirements, method.display, method.layout))


def worse(one: Verdict, other: Verdict) -> Verdict:
    """The verdict on two tables, each with the classes of one of them: the worse of the two."""
    both = (one.holds, other.holds)
    holds = False if False in both else None if None in both else True
    reached = _worse(one.reached, other.reached, threshold_of(one.requirement))
    worst = one if reached == one.reached else other
    return replace(
        worst,
        holds=holds,
        reached=reached,
        worst_class=None,
        offending=(*one.offending, *other.offending),
    )


def _worse(one: Any, other: Any, threshold: str) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: _worse(one[name], other[name], name) for name in one}
    if one is None or other is None:
        return None
    return max(one, other) if threshold in AT_MOST else min(one, other)


def _both_advice(one: tuple[Advice, ...], other: tuple[Advice, ...]) -> tuple[Advice, ...]:
    """The advice on both; of the same code, that on the first."""
    known = {a.code for a in one}
    return (*one, *(a for a in other if a.code not in known))


def _both_people(one: PeopleNote | None, other: PeopleNote | None) -> PeopleNote | None:
    return one if one is None or other is None else one.merge(other)


def _both(one: Repair, other: Repair) -> Repair:
    return Repair(one.partition, **repair_counts([one, other]))


def without_classes(repaired: Repair) -> Repair:
    """What a note keeps of a repair."""
    return replace(repaired, partition=Partition(np.empty(0, dtype=np.int32), 0))


def column_texts(data: pl.DataFrame) -> pl.DataFrame:
    """The published columns as `p<i>`, text in dictionaries that frames can share."""
    return pl.DataFrame(
        [
            (c.cast(pl.Categorical) if isinstance(c.dtype, pl.Enum) else c).alias(f"p{i}")
            for i, c in enumerate(data)
        ]
    )
