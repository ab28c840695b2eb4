"""Numbers that follow the published order: those of records, classes and buckets.

The first row of every class and bucket is known within its shard. These first rows are sorted by
the engine; how many there are in every batch tells where the numbers of the next begin; and the
numbers go back to the shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine import Rows
from shoal._run.engine.base import sort_bits
from shoal._run.part.fact import SHARD, fold_notes
from shoal._run.part.secret import ORDER
from shoal.errors import VerificationError
from shoal.recode import KEYS
from shoal.verify import RowDigest

# Digests of numbers are added up in pieces, so that all of them are never in memory.
_CHUNK = 1_000_000
_OWN, _NUMBER, _KIND = "own", "number", "kind"


def number_rows(rows: Rows, columns: Sequence[str], n_groups: Sequence[int], n_rows: int) -> Rows:
    """The number of every group of the rows of shards: SHARD, `kind`, its `own` number, `number`.

    `columns` have the numbers of classes or buckets within a shard, from 1 in the order of its
    rows, 0 for none; a group is one of these, its kind the place of its column. There are
    `n_groups` of each kind. Batches have about `n_rows`.
    """
    first = rows.map(partial(first_rows, tuple(columns)))
    bits = sort_bits(sum(n_groups), n_rows)
    counts = first.fold(partial(_count_kinds, len(columns), bits), np.add)
    ordered = first.sort(ORDER, n_rows)
    numbered = ordered.map(Numberer(_starts(counts), bits))
    first.close()
    return numbered


def first_rows(columns: tuple[str, ...], rows: pl.DataFrame) -> pl.DataFrame:
    """The first row of every group in a shard, whose rows are in order."""
    found = []
    for kind, name in enumerate(columns):
        own = rows[name].to_numpy().astype(np.int64)
        # Numbers follow the rows, so a group begins where one is larger than all before.
        before = np.maximum.accumulate(np.append(0, own))[:-1]
        new = np.flatnonzero(own > before)
        keys = rows.select(*ORDER, SHARD)[new]
        found.append(
            keys.with_columns(
                pl.Series(_KIND, np.full(len(new), kind, dtype=np.uint8)),
                pl.Series(_OWN, own[new].astype(np.uint32)),
            )
        )
    return pl.concat(found).sort(ORDER, maintain_order=True)


def batch_of(rows: pl.DataFrame, bits: int, key: str = KEYS[0]) -> NDArray[np.int64]:
    """The batch of every row, by the highest bits of its first key."""
    if not bits:
        return np.zeros(rows.height, dtype=np.int64)
    return (rows[key].to_numpy() >> np.uint64(64 - bits)).astype(np.int64)


def count_batches(bits: int, rows: pl.DataFrame) -> NDArray[np.int64]:
    """How many rows are in every batch."""
    return np.bincount(batch_of(rows, bits), minlength=1 << bits)


def _count_kinds(n_kinds: int, bits: int, rows: pl.DataFrame) -> NDArray[np.int64]:
    place = batch_of(rows, bits) + (rows[_KIND].to_numpy().astype(np.int64) << bits)
    return np.bincount(place, minlength=n_kinds << bits).reshape(n_kinds, -1)


def _starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many there are in all batches before each."""
    return np.asarray(np.cumsum(counts, axis=-1) - counts)


@dataclass(frozen=True)
class Numberer:
    """The numbers of the groups whose first rows are a sorted batch."""

    starts: NDArray[np.int64]
    bits: int

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        kind = rows[_KIND].to_numpy()
        number = np.zeros(rows.height, dtype=np.uint32)
        if rows.height:
            begin = self.starts[:, int(batch_of(rows[:1], self.bits)[0])]
            for one in np.unique(kind):
                own = np.flatnonzero(kind == one)
                number[own] = begin[one] + np.arange(1, len(own) + 1)
        return rows.select(SHARD, _KIND, _OWN).with_columns(pl.Series(_NUMBER, number)).sort(SHARD)


def record_starts(rows: Rows, n: int, n_rows: int) -> tuple[NDArray[np.int64], int]:
    """How many of n published rows come before each batch of the sorted rows, and its bits."""
    bits = sort_bits(n, n_rows)
    return _starts(rows.fold(partial(count_batches, bits), np.add)), bits


@dataclass(frozen=True)
class FinalNote:
    """What a shard reports with its final numbers: digests that add up.

    `data` is that of its rows, `buckets` those of its buckets, `numbers` those of the numbers
    of each kind that its classes and buckets have.
    """

    data: RowDigest
    buckets: tuple[RowDigest, ...]
    numbers: tuple[RowDigest, ...]

    def __add__(self, other: FinalNote) -> FinalNote:
        return FinalNote(
            self.data + other.data,
            tuple(a + b for a, b in zip(self.buckets, other.buckets, strict=True)),
            tuple(a + b for a, b in zip(self.numbers, other.numbers, strict=True)),
        )


def merge_final(notes: Sequence[bytes]) -> FinalNote:
    """The notes of all shards as one."""
    return fold_notes(notes, FinalNote.__add__)


def lookup(numbers: pl.DataFrame, kind: int) -> NDArray[np.uint32]:
    """The final number by the shard's own, 0 for none.

    Raises VerificationError unless every group of the shard has a number, and they follow the order
    of the shard: then it is the same shard that was verified, under other numbers.
    """
    own = numbers.filter(pl.col(_KIND) == kind).sort(_OWN)
    final = own[_NUMBER].to_numpy()
    counts_on = np.array_equal(own[_OWN].to_numpy(), np.arange(1, own.height + 1))
    if not counts_on or not (np.diff(final.astype(np.int64)) > 0).all():
        raise VerificationError("The numbers of a shard are not those that were verified.")
    return np.append(np.uint32(0), final)


def demand_numbers(found: Sequence[RowDigest], n_groups: Sequence[int]) -> None:
    """Raise VerificationError unless the numbers of each kind are 1, 2, … and none is twice."""
    for digest, n in zip(found, n_groups, strict=True):
        expected = RowDigest()
        for start in range(1, n + 1, _CHUNK):
            expected += number_digest(np.arange(start, min(start + _CHUNK, n + 1)))
        if digest != expected:
            raise VerificationError("Two classes or buckets would be published under one number.")


def number_digest(numbers: NDArray[np.integer]) -> RowDigest:
    """The digest of some numbers."""
    return RowDigest.of(pl.DataFrame({_NUMBER: pl.Series(numbers.astype(np.uint32))}))
