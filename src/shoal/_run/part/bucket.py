"""A release with buckets that is never held: its tables, numbered, sorted and written."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine import Engine, Rows
from shoal._run.part.fact import Facts
from shoal._run.part.finish import Sheet, write_sheets
from shoal._run.part.number import (
    FinalNote,
    batch_of,
    lookup,
    number_digest,
    record_starts,
)
from shoal._run.part.secret import ORDER, shown_names
from shoal.folder.batch import Written
from shoal.recode import KEYS
from shoal.recode.bucket import bucket_values, text_rank
from shoal.release.type import CellType, parse
from shoal.schema import Attribute, Layout
from shoal.verify import RowDigest, VerifiedTable

RECORD, CLASS = "record", "GID"
_KEY, _RANK, _BID = "key", "rank", "bid"


@dataclass(frozen=True)
class Sheets:
    """The tables of a release with buckets: their columns, and what each cell of them is.

    `with_buckets` has the attributes that have buckets anywhere in the release.
    """

    facts: Facts
    with_buckets: tuple[str, ...]

    @property
    def layout(self) -> Layout:
        return self.facts.plan.method.layout

    @property
    def secret(self) -> list[Attribute]:
        """The attributes that can be secret, in the order of their columns `b<i>` and `v<i>`."""
        return list(self.facts.schema.secret)

    @property
    def in_tables(self) -> list[tuple[int, str]]:
        """The place and name of attributes whose buckets have tables of their own."""
        if self.layout is not Layout.SPLIT:
            return []
        return [(i, a.name) for i, a in enumerate(self.secret) if a.name in self.with_buckets]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table of people, in order."""
        shown = shown_names(self.facts.schema, self.layout)
        names = [RECORD, CLASS]
        for a in self.facts.schema.published:
            names += [a.name] if a.name in shown else []
            names += [f"{a.name}_BID"] if a.name in self.with_buckets else []
        return tuple(names)

    @cached_property
    def counters(self) -> frozenset[str]:
        """The columns of numbers."""
        return frozenset({CLASS, *(f"{name}_BID" for name in self.with_buckets)})

    def values(self, name: str) -> pl.Series:
        """What buckets show of every different cell of an attribute."""
        coding = self.facts.codings[name]
        return bucket_values(coding.domain, coding.codes)

    def finish_shard(self, rows: pl.DataFrame, numbers: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        """The rows of a shard with their final numbers, and a note of digests.

        Columns are named `p<i>` by their place in the table; `b<i>` are numbers of buckets.
        """
        tables = [lookup(numbers, kind) for kind in range(1 + len(self.secret))]
        final = {CLASS: tables[0][rows["g"].to_numpy()]}
        for i, a in enumerate(self.secret):
            final[f"{a.name}_BID"] = tables[i + 1][rows[f"b{i}"].to_numpy()]
        shown = iter(f"p{i}" for i in range(rows.width))
        columns = []
        for i, name in enumerate(self.columns[1:], 1):
            own = final.get(name)
            cells = rows[next(shown)] if own is None else _or_null(own)
            columns.append(cells.alias(f"p{i}"))
        kept = [pl.Series(f"b{i}", final[f"{name}_BID"]) for i, name in self.in_tables]
        data = pl.DataFrame([c.alias(self.columns[int(c.name[1:])]) for c in columns])
        note = FinalNote(
            RowDigest.of(data, self.counters),
            tuple(
                self._digest(name, final[f"{name}_BID"], rows[f"v{i}"])
                for i, name in self.in_tables
            ),
            tuple(number_digest(table[1:]) for table in tables),
        )
        values = [rows[f"v{i}"] for i, _ in self.in_tables]
        made = pl.DataFrame([*(rows[key] for key in ORDER), *columns, *kept, *values])
        return made, pickle.dumps(note)

    def _digest(self, name: str, bids: NDArray[np.uint32], places: pl.Series) -> RowDigest:
        inside = np.flatnonzero(bids)
        values = self.values(name).gather(places.gather(inside))
        return RowDigest.of(pl.DataFrame({"BID": bids[inside], "value": values}), ("BID",))

    def bucket_rows(self, i: int, name: str, n_buckets: int, rows: pl.DataFrame) -> pl.DataFrame:
        """The cells of an attribute that are in buckets, with keys to sort them by."""
        bids = rows[f"b{i}"].to_numpy()
        inside = np.flatnonzero(bids)
        places = rows[f"v{i}"].gather(inside)
        coding = self.facts.codings[name]
        rank = text_rank(coding.domain)[coding.codes[places.to_numpy()]]
        # A batch of sorted rows is a range of the highest bits: numbers are spread over all. Where
        # there is one bucket its key is 0, and 2**64 would be no UInt64.
        step = np.uint64(2**64 // max(n_buckets, 2))
        key = (bids[inside].astype(np.uint64) - np.uint64(1)) * step
        return pl.DataFrame(
            {_KEY: key, _RANK: rank.astype(np.uint32), _BID: bids[inside], "place": places}
        )


def _or_null(numbers: NDArray[np.uint32]) -> pl.Series:
    found = pl.Series("", numbers)
    return found if numbers.all() else found.replace({0: None})


@dataclass(frozen=True)
class DataFinish:
    """Rows as they are written: numbered records, and the types of what is shown as it was."""

    sheets: Sheets
    types: Mapping[str, pl.DataType]
    starts: NDArray[np.int64]
    bits: int

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        before = int(self.starts[int(batch_of(rows[:1], self.bits)[0])]) if rows.height else 0
        record = pl.Series(RECORD, np.arange(before + 1, before + rows.height + 1))
        columns = [record.cast(pl.String)]
        for i, name in enumerate(self.sheets.columns[1:], 1):
            cells = rows[f"p{i}"].alias(name)
            if name in self.sheets.counters:
                cells = cells.cast(pl.String)
            elif self.types.get(name, pl.String()) != pl.String:
                cells = parse(cells.cast(pl.String), self.types[name]).alias(name)
            columns.append(cells)
        return pl.DataFrame(columns)


@dataclass(frozen=True)
class BucketFinish:
    """The cells of buckets as they are written."""

    values: pl.Series

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        bids = rows[_BID].cast(pl.String).alias("BID")
        return pl.DataFrame([bids, self.values.gather(rows["place"]).alias("value")])


def written_values(
    sheets: Sheets, declared: Attribute, given: pl.DataType | None, cells: pl.Series
) -> pl.Series:
    """What buckets show of every different cell, in the type in which parquet has it.

    `given` is the type to keep, if any; else it is the one that the published `cells` have in
    common, as far as they and the plan tell.
    """
    texts = sheets.values(declared.name).cast(pl.String)
    dtype = given if given is not None else CellType.of(cells).dtype(declared)
    if dtype == pl.String or parse(cells, dtype).null_count():
        return texts
    return parse(texts, dtype)


@dataclass(frozen=True)
class Ending:
    """The last steps of a run with buckets: what is sorted, written and read again."""

    engine: Engine
    sheets: Sheets
    n_rows: int
    final: Rows
    note: FinalNote
    n_buckets: Mapping[str, int]

    def write(
        self,
        written: Written,
        types: Mapping[str, pl.DataType],
        values: Mapping[str, pl.Series],
        folder: Path,
        *,
        force: bool,
        format: str,
    ) -> None:
        """Write all tables; `types` are those of columns, `values` what buckets show."""
        sheets = {"data": self._data(types)}
        for (i, name), digest in zip(self.sheets.in_tables, self.note.buckets, strict=True):
            sheets[f"buckets-{name}"] = self._buckets(i, name, digest, values[name])
        write_sheets(self.engine, written, sheets, folder, force=force, format=format)

    def _data(self, types: Mapping[str, pl.DataType]) -> Sheet:
        starts, bits = record_starts(self.final, self.note.data.n_rows, self.n_rows)
        sheets = self.sheets
        table = VerifiedTable(
            sheets.columns, self.note.data, record=RECORD, numbers=sheets.counters
        )
        finish = DataFinish(sheets, types, starts, bits)
        return Sheet(table, self.final.sort(ORDER, self.n_rows), KEYS[0], self.n_rows, finish)

    def _buckets(self, i: int, name: str, digest: RowDigest, values: pl.Series) -> Sheet:
        cells = self.final.map(partial(self.sheets.bucket_rows, i, name, self.n_buckets[name]))
        table = VerifiedTable(("BID", "value"), digest, rising="BID", numbers=frozenset({"BID"}))
        ordered = cells.sort((_KEY, _RANK), self.n_rows)
        return Sheet(table, ordered, _KEY, self.n_rows, BucketFinish(values))
