"""From a shard of people to what is published of it, with all that numbers them later."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.headcount import Sizes
from shoal._run.part.fact import INPUT, SHARD
from shoal._run.part.people import ONCE, RECORD, PeopleFacts
from shoal._run.part.person import PERSON, find_digests, people_of
from shoal._run.part.person_number import with_first_keys
from shoal._run.part.settle import DESCRIBES
from shoal._run.part.solve import (
    SUMMED,
    Note,
    Solver,
    column_texts,
    sums_of,
    symbols_of_plan,
    without_classes,
)
from shoal._run.part.symbol import Shown, show_shard, with_highest_flags
from shoal._run.part.told import PeopleNote
from shoal._run.publish import refuse_failing
from shoal._run.solve import solve_shard
from shoal.folder.counted import Counted
from shoal.folder.public import PERSON as NUMBER
from shoal.measure import View
from shoal.method.repair import Repair
from shoal.recode import KEYS, Lots, Publication, generalise, published_keys, sort_keys
from shoal.release.value import count_short
from shoal.schema import Verdict
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition
from shoal.verify import Published, RowDigest, verify_release


@dataclass(frozen=True)
class PeopleSolver(Solver):
    """The same for a shard of people, nobody of whom has a row elsewhere.

    What is published has the number of the person in this shard in place of `Id_num`, which
    follows from the order of the whole table.
    """

    def __call__(self, shard: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        facts, plan = self._facts, self.facts.plan
        number = int(shard[SHARD][0])
        rows, stands_for = self._in_order(shard)
        table = replace(facts.table(rows), people=people_of(rows))
        table = with_highest_flags(table, stands_for)
        once = stands_for == np.arange(rows.height)
        merged = table.take(np.flatnonzero(once))
        repaired = self._solved(rows, table, merged, number)
        partition = repaired.partition
        labels = generalise(table, partition, plan.ranges)
        lots = Lots(rows[INPUT].to_numpy(), self.digest, self.seed)
        classes, given = table.by_row(partition.unit_class), facts.original(rows)
        showing, shown = show_shard(table, partition, plan.method.display, once)
        kept, keys = published_keys(
            table, given, labels, classes, lots, stands_for, shown=showing.cells
        )
        order = sort_keys(*(keys[key].to_numpy() for key in KEYS))
        kept, keys = kept[order], keys[order]
        made = Publication(table, given, labels, classes[kept], classes[kept] + 1, kept,
                           plan.ranges, shown=showing.cells)  # fmt: skip
        tables = made.tables()
        verdicts = self._verdicts(tables, rows, given, kept, classes, shown)
        symbols = {n: cells.take(np.flatnonzero(once)) for n, cells in showing.cells.items()}
        data, view = tables["data"], View(merged, partition, labels, symbols=symbols)
        note = Note(
            merged.n_rows,
            data.height,
            partition.n_classes,
            without_classes(repaired),
            verdicts,
            *sums_of(view, SUMMED),
            Counted.of(data, facts.schema, symbols_of_plan(plan)),
            RowDigest.of(data.drop(NUMBER)),
            people=_people_note(table, merged, partition),
            shown=shown,
            short=count_short(plan.models, merged, partition, None),
        )
        assert table.people is not None
        # Unique over all shards: the shard in the high half, the person within it in the low one.
        who = (np.uint64(number) << np.uint64(32)) + table.people.person[kept].astype(np.uint64)
        keys = with_first_keys(keys, table.people.person[kept])
        published = column_texts(data.with_columns(pl.Series(NUMBER, who)))
        return pl.concat([keys, published], how="horizontal"), pickle.dumps(note)

    @property
    def _facts(self) -> PeopleFacts:
        assert isinstance(self.facts, PeopleFacts)
        return self.facts

    def _in_order(self, shard: pl.DataFrame) -> tuple[pl.DataFrame, NDArray[np.int64]]:
        """The rows that are published in the order in which methods see them, then their repeats.

        Also the row that is published for each. It counts with all that it stands for.
        """
        found = shard.select(*PERSON, RECORD, ONCE).with_row_index("row")
        itself = pl.col("row").filter(ONCE).first().over(*PERSON, RECORD)
        stands_for = found.select(itself).to_series().to_numpy().astype(np.int64)
        sums = np.zeros(shard.height, dtype=np.uint64)
        np.add.at(sums, stands_for, shard[INPUT].to_numpy())
        records = np.flatnonzero(shard[ONCE].to_numpy())
        own = shard[records].with_columns(pl.Series(INPUT, sums[records]))
        repeats = np.flatnonzero(~shard[ONCE].to_numpy())
        order = np.concatenate([records[self._order(own)], repeats])
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return shard[order], place[stands_for[order]]

    def _solved(self, rows: pl.DataFrame, table: Table, merged: Table, number: int) -> Repair:
        """The classes of the people; those whom the plan names begin."""
        assert table.people is not None
        work = self._work(merged, number)
        first = find_digests(rows, table.people, self._facts.first)
        return solve_shard(replace(work, task=replace(work.task, first=first)))

    def _verdicts(
        self,
        tables: Mapping[str, pl.DataFrame],
        rows: pl.DataFrame,
        given: pl.DataFrame,
        origin: NDArray[np.int64],
        classes: NDArray[np.int32],
        shown: Shown,
    ) -> tuple[Verdict, ...]:
        """The verdicts on a shard as a release of its own; raises where a requirement fails."""
        plan = self.facts.plan
        numbers = np.where(classes == SUPPRESSED, SUPPRESSED, classes + 1).astype(np.int64)
        described = None
        if DESCRIBES in rows.columns:
            described = np.flatnonzero(rows[DESCRIBES].to_numpy())
        published = Published(
            tables,
            given,
            origin,
            numbers,
            self.facts.schema,
            plan.requirements,
            ranges=plan.ranges,
            described_by=described,
            symbols=shown.how,
        )
        verdicts = verify_release(published)
        refuse_failing(plan, verdicts)
        return verdicts


def _people_note(table: Table, merged: Table, partition: Partition) -> PeopleNote:
    assert table.people is not None
    assert merged.people is not None
    classes = partition.unit_class
    published = classes != SUPPRESSED
    n_rows = np.bincount(merged.people.person, minlength=len(classes)).astype(np.int64)
    pairs = classes[published].astype(np.int64) * (int(n_rows.max(initial=0)) + 1)
    n_same = np.unique(pairs + n_rows[published], return_counts=True)[1]
    return PeopleNote(
        table.n_rows,
        int(np.count_nonzero(~published[table.people.person])),
        len(classes),
        int(np.count_nonzero(n_same == 1)),
        Sizes.of(n_rows[published]),
    )
