"""Rows that were verified in parts, compared with those of the files, which have another order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.delimited import open_csv
from shoal.reading.digest import hash_rows, in_dictionary
from shoal.reading.manifest import MANIFEST
from shoal.reading.table import parquet_parts, parquet_schema
from shoal.verify.release.files import (
    check_digests,
    check_folder,
    check_metadata,
    read_files,
)
from shoal.verify.text.people import Numbering
from shoal.verify.text.published import ID_COLUMN

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
    def of(cls, table: pl.DataFrame) -> RowDigest:
        columns = [in_dictionary(column) for column in table]
        sums = (hash_rows(columns, table.height, seed).sum(dtype=np.uint64) for seed in _SEEDS)
        first, second = (int(s) for s in sums)
        return cls(table.height, first, second)

    def __add__(self, other: RowDigest) -> RowDigest:
        return RowDigest(
            self.n_rows + other.n_rows,
            (self.first + other.first) % 2**64,
            (self.second + other.second) % 2**64,
        )


def verify_rows(
    folder: Path, file: str, columns: tuple[str, ...], verified: RowDigest, *, people: bool = False
) -> None:
    """Read a written release again, and compare its one table with the rows that were verified.

    Where rows belong to people, they are numbered as they appear.

    Raises VerificationError, with every finding, unless the table has these columns and these rows,
    the manifest is valid and its digests and row counts are right, and there is no further file.
    """
    problems: list[Problem] = []
    listed = read_files(folder / MANIFEST, problems)
    problems += check_folder(folder, listed, MANIFEST)
    problems += check_digests(folder, listed)
    if listed.get(file, {}).get("rows") != verified.n_rows:
        problems.append(Problem("The number of rows in the manifest is wrong.", file))
    for name in sorted(set(listed) - {file}):
        if name.endswith((".csv", ".parquet")):
            problems.append(Problem("The file is a table that was not verified.", name))
    try:
        problems += _compare(folder / file, columns, verified, people)
    except VerificationError as error:
        problems += error.problems
    if problems:
        raise VerificationError(problems)


def _compare(
    path: Path, columns: tuple[str, ...], verified: RowDigest, people: bool
) -> list[Problem]:
    problems: list[Problem] = []
    n_formulas = 0
    if path.suffix == ".csv":
        file = open_csv(path)
        header, parts, n_formulas = tuple(file.header), file.parts, file.n_formulas
    else:
        header, parts = tuple(parquet_schema(path)), parquet_parts(path)
        problems += check_metadata(path)
    if header != columns:
        return [*problems, Problem("The columns of the file are not those verified.", path.name)]
    found, numbering = RowDigest(), Numbering()
    for part in parts:
        n_formulas += part.n_formulas
        found += RowDigest.of(part.frame)
        if people:
            numbering += Numbering.of(part.frame[ID_COLUMN])
    problems += numbering.problems()
    if n_formulas:
        text = f"{n_formulas} cells would be taken for formulas by a spreadsheet."
        problems.append(Problem(text, path.name))
    if found != verified:
        problems.append(
            Problem("The rows of the file are not those that were verified.", path.name)
        )
    return problems
