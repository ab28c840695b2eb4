"""Rows that were verified in parts, compared with those of the files, which have another order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.delimited import open_csv
from shoal.reading.digest import hash_rows, in_dictionary
from shoal.reading.table import parquet_parts, parquet_schema
from shoal.schema.wording import counted
from shoal.verify.release.files import check_listed, check_metadata
from shoal.verify.text.people import Numbering

# Two sums of 64 bits: that both agree by chance is out of the question.
_SEEDS = (11, 12)


@dataclass(frozen=True)
class RowDigest:
    """How many rows there are, and two sums of their hashes: those of parts add up.

    The same rows in any order have the same digest, and by all odds no others do.
    """

    n_rows: int = 0
    first: int = 0
    second: int = 0

    @classmethod
    def of(cls, table: pl.DataFrame, numbers: Collection[str] = ()) -> RowDigest:
        """Of all rows; `numbers` are columns of many different cells, which no dictionary helps."""
        columns = [c if c.name in numbers else in_dictionary(c) for c in table]
        sums = (hash_rows(columns, table.height, seed).sum(dtype=np.uint64) for seed in _SEEDS)
        first, second = (int(s) for s in sums)
        return cls(table.height, first, second)

    def __add__(self, other: RowDigest) -> RowDigest:
        return RowDigest(
            self.n_rows + other.n_rows,
            (self.first + other.first) % 2**64,
            (self.second + other.second) % 2**64,
        )


@dataclass(frozen=True)
class VerifiedTable:
    """A table whose rows were verified, in any order.

    `record` is a column that counts the rows from 1 and is not in the digest, `rising` one whose
    numbers do not fall, `numbers` those with many different numbers, and `person` one that numbers
    people as they appear.
    """

    columns: tuple[str, ...]
    digest: RowDigest
    record: str | None = None
    rising: str | None = None
    numbers: frozenset[str] = frozenset()
    person: str | None = None

    def digest_of(self, rows: pl.DataFrame) -> RowDigest:
        """The digest of some rows of the table, as it is compared."""
        return RowDigest.of(rows if self.record is None else rows.drop(self.record), self.numbers)

    def numbering_of(self, rows: pl.DataFrame) -> Numbering:
        """How some rows of the table number people."""
        return Numbering() if self.person is None else Numbering.of(rows[self.person])

    def in_place(self, rows: pl.DataFrame, before: int, last: int) -> tuple[bool, int]:
        """Whether these rows, after this many others, count on and do not fall; the last number."""
        fine = True
        if self.record is not None:
            expected = np.arange(before + 1, before + rows.height + 1)
            fine = rows[self.record].cast(pl.String).equals(pl.Series(expected).cast(pl.String))
        if self.rising is not None and rows.height:
            # What is no number falls.
            numbers = rows[self.rising].cast(pl.Int64, strict=False).fill_null(-1)
            risen = np.append(last, numbers.to_numpy())
            fine, last = fine and bool((np.diff(risen) >= 0).all()), int(risen[-1])
        return fine, last


def verify_parts(folder: Path, tables: Mapping[str, VerifiedTable]) -> None:
    """Read a written release again, and compare its tables with the rows that were verified.

    `tables` are by file. Raises VerificationError, with every finding, unless each has its columns
    and rows, people are numbered as they appear, the manifest is valid and its digests and row
    counts are right, and there is no further file.
    """
    listed, problems = check_listed(folder)
    for file, table in tables.items():
        if listed.get(file, {}).get("rows") != table.digest.n_rows:
            problems.append(Problem("The number of rows in the manifest is wrong.", file))
        try:
            problems += _compare(folder / file, table)
        except VerificationError as error:
            problems += error.problems
    for name in sorted(set(listed) - set(tables)):
        if name.endswith((".csv", ".parquet")):
            problems.append(Problem("The file is a table that was not verified.", name))
    if problems:
        raise VerificationError(problems)


def other_columns(file: str) -> Problem:
    """A written file has other columns than were verified."""
    return Problem("The columns of the file are not those verified.", file)


def out_of_order(file: str) -> Problem:
    """The record numbers of a written file do not count on, or its rows are not sorted."""
    return Problem("The rows of the file are not numbered in their order.", file)


def _compare(path: Path, verified: VerifiedTable) -> list[Problem]:
    problems: list[Problem] = []
    n_formulas = 0
    if path.suffix == ".csv":
        file = open_csv(path)
        header, parts, n_formulas = tuple(file.header), file.parts, file.n_formulas
    else:
        header, parts = tuple(parquet_schema(path)), parquet_parts(path)
        problems += check_metadata(path)
    if header != verified.columns:
        return [*problems, other_columns(path.name)]
    found, last, in_place, numbering = RowDigest(), 0, True, Numbering()
    for part in parts:
        n_formulas += part.n_formulas
        fine, last = verified.in_place(part.frame, found.n_rows, last)
        in_place = in_place and fine
        found += verified.digest_of(part.frame)
        numbering += verified.numbering_of(part.frame)
    if not in_place:
        problems.append(out_of_order(path.name))
    problems += numbering.problems()
    if n_formulas:
        text = f"{counted(n_formulas, 'cell')} would be taken for formulas by a spreadsheet."
        problems.append(Problem(text, path.name))
    if found != verified.digest:
        problems.append(
            Problem("The rows of the file are not those that were verified.", path.name)
        )
    return problems
