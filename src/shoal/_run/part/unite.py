"""From a shard of people to what is published of it, with all that numbers them later."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.headcount import Sizes
from shoal._run.part.fact import INPUT, SHARD
from shoal._run.part.people import ONCE, RECORD, PeopleFacts
from shoal._run.part.person import PERSON, find_digests, people_of
from shoal._run.part.person_number import with_first_keys
from shoal._run.part.settle import DESCRIBES
from shoal._run.part.solve import PeopleNote, Solved, Solver, column_texts
from shoal._run.part.symbol import with_highest_flags
from shoal._run.solve import solve_shard
from shoal.folder.counted import PERSON as NUMBER
from shoal.method.repair import Repair
from shoal.recode import Lots, generalise
from shoal.release.value import count_telling
from shoal.table import Table
from shoal.table.partition import SUPPRESSED
from shoal.verify import RowDigest


@dataclass(frozen=True)
class PeopleSolver(Solver):
    """The same for a shard of people, nobody of whom has a row elsewhere.

    What is published has the number of the person in this shard in place of `Id_num`, which
    follows from the order of the whole table.
    """

    def solved(self, shard: pl.DataFrame) -> Solved:
        facts, number = self._facts, int(shard[SHARD][0])
        rows, stands_for = self._in_order(shard)
        table = replace(facts.table(rows), people=people_of(rows))
        table = with_highest_flags(table, stands_for)
        merged = table.take(np.flatnonzero(stands_for == np.arange(rows.height)))
        repaired = self._classes_of_people(rows, table, merged, number)
        return Solved(
            table,
            merged,
            stands_for,
            number,
            rows,
            repaired,
            generalise(table, repaired.partition, facts.plan.ranges),
            Lots(rows[INPUT].to_numpy(), self.digest, self.seed),
            facts.original(rows),
        )

    def digest_of(self, data: pl.DataFrame) -> RowDigest:
        return RowDigest.of(data.drop(NUMBER))

    def people_note(self, own: Solved) -> PeopleNote:
        assert own.table.people is not None
        assert own.merged.people is not None
        classes = own.partition.unit_class
        published = classes != SUPPRESSED
        n_rows = np.bincount(own.merged.people.person, minlength=len(classes)).astype(np.int64)
        return PeopleNote(
            own.table.n_rows,
            int(np.count_nonzero(~published[own.table.people.person])),
            len(classes),
            count_telling(classes, n_rows),
            Sizes.of(n_rows[published]),
        )

    def numbered(
        self, own: Solved, keys: pl.DataFrame, kept: NDArray[np.int64], data: pl.DataFrame
    ) -> pl.DataFrame:
        assert own.table.people is not None
        person = own.table.people.person[kept]
        # Unique over all shards: the shard in the high half, the person within it in the low one.
        who = (np.uint64(own.number) << np.uint64(32)) + person.astype(np.uint64)
        published = column_texts(data.with_columns(pl.Series(NUMBER, who)))
        return pl.concat([with_first_keys(keys, person), published], how="horizontal")

    def known(self, own: Solved) -> dict[str, Any]:
        if DESCRIBES not in own.rows.columns:
            return {}
        return {"described_by": np.flatnonzero(own.rows[DESCRIBES].to_numpy())}

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

    def _classes_of_people(
        self, rows: pl.DataFrame, table: Table, merged: Table, number: int
    ) -> Repair:
        """The classes of the people; those whom the plan names begin."""
        assert table.people is not None
        work = self._work(merged, number)
        first = find_digests(rows, table.people, self._facts.first)
        return solve_shard(replace(work, task=replace(work.task, first=first)))
