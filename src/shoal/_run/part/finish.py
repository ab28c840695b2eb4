"""Published rows as they are written: under their names, with types where they have some."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from shoal._run.engine import Engine, Rows
from shoal._run.engine.base import sort_bits
from shoal._run.part.person_number import PersonNumbers
from shoal.folder.batch import Written, write_folder, write_tables
from shoal.folder.part import Part, PartWriter, check_parts
from shoal.reading.manifest import ManifestFile
from shoal.release.type import CellType, parse
from shoal.verify import VerifiedTable

Finish = Callable[[pl.DataFrame], pl.DataFrame]


def named(names: tuple[str, ...], rows: pl.DataFrame) -> pl.DataFrame:
    """The published columns of rows under their names."""
    return pl.DataFrame([rows[f"p{i}"].alias(name) for i, name in enumerate(names)])


def finished(
    names: tuple[str, ...], types: Mapping[str, pl.DataType], rows: pl.DataFrame
) -> pl.DataFrame:
    """The rows as they are written."""
    data = named(names, rows)
    return data.with_columns(
        parse(data[name].cast(pl.String), dtype).alias(name)
        for name, dtype in types.items()
        if dtype != pl.String
    )


def finished_people(numbers: PersonNumbers, finish: Finish, rows: pl.DataFrame) -> pl.DataFrame:
    """The same where people are numbered as they appear in the whole table."""
    return finish(numbers(rows))


def cell_types(columns: tuple[str, ...], rows: pl.DataFrame) -> dict[str, CellType]:
    """What the cells of a batch tell of the types of columns."""
    return {c: CellType.of(rows[c].unique().drop_nulls().cast(pl.String)) for c in columns}


def both_types(one: dict[str, CellType], other: dict[str, CellType]) -> dict[str, CellType]:
    """What two batches tell together."""
    return {name: own.merge(other[name]) for name, own in one.items()}


@dataclass(frozen=True)
class Sheet:
    """A table that is to be written: how it was verified, and its rows in the order of `key`.

    They are in batches of about `n_rows`, the highest bits of whose keys are the same.
    """

    verified: VerifiedTable
    rows: Rows
    key: str
    n_rows: int
    finish: Finish

    @property
    def bits(self) -> int:
        return sort_bits(self.verified.digest.n_rows, self.n_rows)


def write_sheets(
    engine: Engine,
    written: Written,
    sheets: Mapping[str, Sheet],
    folder: Path,
    *,
    force: bool,
    format: str,
) -> None:
    """Write the tables of a release, by name, and read them again, where the engine writes."""
    if engine.writes_parts:
        _write_there(written, sheets, folder, force)
        return
    batches = {
        name: (sheet.verified, map(sheet.finish, sheet.rows.batches()))
        for name, sheet in sheets.items()
    }
    write_tables(written, batches, folder, force=force, format=format)


def _write_there(written: Written, sheets: Mapping[str, Sheet], folder: Path, force: bool) -> None:
    """Every batch as a part of its table, written and read again where its rows are."""
    parts: dict[str, list[Part]] = {}

    def write(fresh: Path) -> Mapping[str, ManifestFile]:
        files: dict[str, ManifestFile] = {}
        for name, sheet in sheets.items():
            place = fresh / f"{name}.parquet"
            place.mkdir()
            writer = PartWriter(place, sheet.finish, sheet.key, sheet.bits, sheet.verified)
            parts[name] = [Part.of_text(note) for note in sheet.rows.solve(writer)[1]]
            files |= {f"{place.name}/{part.name}": part.file for part in parts[name]}
        return files

    def verify(fresh: Path) -> None:
        for name, sheet in sheets.items():
            table = sheet.verified
            numbered = table.record is not None
            place, columns = fresh / f"{name}.parquet", table.columns
            check_parts(place, parts[name], columns, table.digest, numbered=numbered)

    write_folder(written, write, verify, folder, force=force)
