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
from shoal.reading.manifest import ManifestFile
from shoal.reading.table import read_table
from shoal.verify import Numbering, RowDigest, VerifiedTable
from shoal.verify.release.digest import other_columns, out_of_order

# Where no rows belong to people.
_NOBODY = Numbering()


@dataclass(frozen=True)
class Part:
    """A part as it was read again: its name, columns, rows and the digest of its bytes.

    `before` is how many rows its own numbers say are in the parts before it; `numbering` is that of
    its people, if rows belong to people.
    """

    name: str
    columns: tuple[str, ...]
    sha256: str
    rows: RowDigest
    before: int = 0
    in_place: bool = True
    numbering: Numbering = _NOBODY

    @property
    def file(self) -> ManifestFile:
        """What a manifest says of it."""
        return ManifestFile(sha256=self.sha256, rows=self.rows.n_rows)

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
    `key` of their rows. What is written twice, since a worker was lost, is the same. `table` says
    how the rows are compared.
    """

    folder: Path
    finish: Callable[[pl.DataFrame], pl.DataFrame]
    key: str
    bits: int
    table: VerifiedTable | None = None

    def __call__(self, rows: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        """No rows, and the note on the part."""
        number = int(rows[self.key][0]) >> (64 - self.bits)
        path = self.folder / f"part-{number:05}.parquet"
        # Under a name that nobody else uses: the same part may be written twice at a time.
        draft = self.folder / f"{os.urandom(8).hex()}.parquet"
        write_batches([self.finish(rows)], draft)
        found = read_table(draft)
        with draft.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        draft.replace(path)
        table = self.table or VerifiedTable((), RowDigest())
        before = 0 if table.record is None else int(found[table.record][0]) - 1
        fine, _ = table.in_place(found, before, 0)
        columns, own = tuple(found.columns), table.digest_of(found)
        part = Part(path.name, columns, digest, own, before, fine, table.numbering_of(found))
        return rows.clear(), part.text()


def check_parts(
    table: Path,
    parts: Sequence[Part],
    columns: Sequence[str],
    rows: RowDigest,
    *,
    numbered: bool = False,
) -> None:
    """Raise VerificationError unless the parts of a table together are the rows verified.

    Where rows are `numbered`, those of a part must count on from the part before it. Drafts that a
    lost worker left are removed.
    """
    names = {part.name for part in parts}
    for path in table.iterdir():
        if path.name not in names:
            path.unlink()
    problems = [other_columns(part.name) for part in parts if part.columns != tuple(columns)]
    problems += [out_of_order(part.name) for part in parts if not part.in_place]
    n_before = 0
    for part in sorted(parts, key=lambda part: part.name) if numbered else ():
        if part.before != n_before:
            text = "The rows are not numbered on from the previous part."
            problems.append(Problem(text, part.name))
        n_before += part.rows.n_rows
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
