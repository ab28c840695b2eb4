"""One part of a table in a folder of parts: written, and read again, wherever it is written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.folder.batch import write_batches
from shoal.reading.manifest import File
from shoal.reading.table import read_table
from shoal.verify import Numbering, RowDigest

# The table of a release that was written in parts: a folder.
TABLE = "data.parquet"


@dataclass(frozen=True)
class Part:
    """A part as it was read again: its name, columns, rows and the digest of its bytes.

    `numbering` is that of its people, if rows belong to people.
    """

    name: str
    columns: tuple[str, ...]
    sha256: str
    rows: RowDigest
    numbering: Numbering

    @property
    def file(self) -> File:
        """What a manifest says of it."""
        return File(sha256=self.sha256, rows=self.rows.n_rows)

    def text(self) -> bytes:
        """The same as a note."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def of_text(cls, text: bytes) -> Part:
        found = json.loads(text)
        rows, columns = RowDigest(**found.pop("rows")), tuple(found.pop("columns"))
        numbering = Numbering(**found.pop("numbering"))
        return cls(**found, columns=columns, rows=rows, numbering=numbering)


@dataclass(frozen=True)
class PartWriter:
    """Write a sorted batch as a part of the table in `folder`; a pure function but for its file.

    `finish` makes the rows what is written. Parts are numbered by the highest `bits` of the first
    `key` of their rows. What is written twice, since a worker was lost, is the same. `person` is
    the column with the numbers of people, if there is one.
    """

    folder: Path
    finish: Callable[[pl.DataFrame], pl.DataFrame]
    key: str
    bits: int
    person: str | None = None

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        """No rows, and the note on the part."""
        number = int(rows[self.key][0]) >> (64 - self.bits)
        path = self.folder / f"part-{number:05}.parquet"
        draft = self.folder / f"{os.urandom(8).hex()}.parquet"
        write_batches([self.finish(rows)], draft)
        found = read_table(draft)
        with draft.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        draft.replace(path)
        numbering = Numbering() if self.person is None else Numbering.of(found[self.person])
        part = Part(path.name, tuple(found.columns), digest, RowDigest.of(found), numbering)
        return rows.clear(), part.text()


def check_parts(
    folder: Path, parts: Sequence[Part], columns: Sequence[str], rows: RowDigest
) -> None:
    """Raise VerificationError unless the parts of a release together are the rows verified.

    Drafts that a lost worker left are removed.
    """
    table, names = folder / TABLE, {part.name for part in parts}
    for path in table.iterdir():
        if path.name not in names:
            path.unlink()
    problems = [
        Problem("The columns of the file are not those verified.", part.name)
        for part in parts
        if part.columns != tuple(columns)
    ]
    if sum((part.rows for part in parts), RowDigest()) != rows:
        problems.append(Problem("The rows of the files are not those that were verified."))
    numbering = sum((part.numbering for part in parts), Numbering())
    problems += numbering.problems()
    if any(not (table / name).is_file() for name in names):
        problems.append(
            Problem(
                "Parts that workers wrote are not in the output folder.",
                hint="Driver and workers must share the folder.",
            )
        )
    if problems:
        raise VerificationError(problems)
