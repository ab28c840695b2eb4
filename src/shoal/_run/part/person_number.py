"""The numbers of people: as they appear in the published table, counted where the rows are.

Every published row has the hashes of the first row of its person. Sorted by these, all rows of a
person are in one batch, and people follow each other in the order of their numbers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine import Rows
from shoal._run.engine.base import sort_bits
from shoal._run.part.number import batch_of
from shoal.errors import VerificationError
from shoal.folder.counted import PERSON as NUMBER
from shoal.recode import KEYS
from shoal.verify import RowDigest, check_numbers

# The hashes of the first row of a person, and the person's place among those of a batch.
FIRST = ("first-content", "first-input")
_OWN, _WHO = "own", "p0"


def with_first_keys(keys: pl.DataFrame, person: NDArray[np.integer]) -> pl.DataFrame:
    """The hashes of sorted rows, with those of the first row of the person of each."""
    _, first, place = np.unique(person, return_index=True, return_inverse=True)
    own: pl.DataFrame = keys[first[place]]
    return pl.concat([keys, own.rename(dict(zip(KEYS, FIRST, strict=True)))], how="horizontal")


@dataclass(frozen=True)
class BatchNumbering:
    """Number the people of a batch from 0; the note has the place of the batch and their number."""

    bits: int

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        keys = [*FIRST, _WHO]
        rows = rows.sort(keys)
        new = rows.select(pl.any_horizontal(pl.col(keys) != pl.col(keys).shift())).to_series()
        own = new.fill_null(True).cum_sum().cast(pl.UInt32) - 1
        n = int(own[-1]) + 1 if rows.height else 0
        place = int(batch_of(rows[:1], self.bits, FIRST[0])[0]) if rows.height else 0
        return rows.with_columns(own.alias(_OWN)), json.dumps([place, n]).encode()


@dataclass(frozen=True)
class PersonNumbers:
    """How many people are in the batches before each, and how many bits tell batches apart."""

    before: dict[int, int]
    bits: int

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows of any batches with the number of their person as it is published."""
        known = np.zeros(max(self.before, default=0) + 1, dtype=np.int64)
        known[list(self.before)] = list(self.before.values())
        place = batch_of(rows, self.bits, FIRST[0])
        numbers = known[place] + rows[_OWN].to_numpy() + 1
        return rows.with_columns(pl.Series(_WHO, numbers).cast(pl.String))


@dataclass(frozen=True)
class CheckedNumbers:
    """Rows with their numbers: the digest of them, that of the rest, and how many people are there.

    `people` sums the different numbers over batches, none of which divides a person.
    """

    rows: RowDigest
    others: RowDigest
    people: int

    def merge(self, other: CheckedNumbers) -> CheckedNumbers:
        rows, others = self.rows + other.rows, self.others + other.others
        return CheckedNumbers(rows, others, self.people + other.people)


def number_people(
    published: Rows, names: Sequence[str], n_published: int, n_rows: int, verified: RowDigest
) -> tuple[Rows, PersonNumbers, RowDigest]:
    """Rows from which `PersonNumbers` makes what is published, and the digest of that.

    Raises VerificationError unless every person has one number, no two have the same, and all else
    is what was verified.
    """
    bits = sort_bits(n_published, n_rows)
    found, notes = published.sort(FIRST, n_rows).solve(BatchNumbering(bits))
    counts = dict(json.loads(note) for note in notes)
    before, total = {}, 0
    for place in sorted(counts):
        before[place], total = total, total + counts[place]
    numbers = PersonNumbers(before, bits)
    checked = found.fold(partial(_checked, numbers, tuple(names)), CheckedNumbers.merge)
    if checked.others != verified or checked.people != total:
        raise VerificationError("The rows with the numbers of people are not those verified.")
    return found, numbers, checked.rows


def _checked(numbers: PersonNumbers, names: Sequence[str], rows: pl.DataFrame) -> CheckedNumbers:
    made = numbers(rows)
    problems = list(check_numbers(rows[_WHO], made[_WHO]))
    if problems:
        raise VerificationError(problems)
    data = pl.DataFrame([made[f"p{i}"].alias(name) for i, name in enumerate(names)])
    n_people = data[NUMBER].n_unique()
    return CheckedNumbers(RowDigest.of(data), RowDigest.of(data.drop(NUMBER)), n_people)
