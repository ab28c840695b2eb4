"""Parts of a table: written where their rows are, and what the driver checks of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.folder.part import Part, PartWriter, check_parts
from shoal.reading.table import read_table
from shoal.verify import RowDigest, VerifiedTable

ROWS = pl.DataFrame(
    {
        "key": pl.Series([2**62, 2**62 + 1, 2**63, 2**63 + 5], dtype=pl.UInt64),
        "age": ["[1, 2]", "*", "7", None],
    }
)


def without_key(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.drop("key")


@pytest.fixture
def written(tmp_path: Path) -> list[Part]:
    (tmp_path / "data.parquet").mkdir()
    write = PartWriter(tmp_path / "data.parquet", without_key, "key", 2)
    notes = [write(batch) for batch in (ROWS[:2], ROWS[2:])]
    assert [rows.height for rows, _ in notes] == [0, 0]
    return [Part.of_text(note) for _, note in notes]


def test_parts_are_numbered_by_the_highest_bits(tmp_path: Path, written: list[Part]) -> None:
    names = ["part-00001.parquet", "part-00002.parquet"]
    assert [part.name for part in written] == names
    assert sorted(path.name for path in (tmp_path / "data.parquet").iterdir()) == names
    assert read_table(tmp_path / "data.parquet").equals(without_key(ROWS))
    assert [part.file.rows for part in written] == [2, 2]


def test_a_part_that_is_written_twice_is_the_same(tmp_path: Path, written: list[Part]) -> None:
    again = PartWriter(tmp_path / "data.parquet", without_key, "key", 2)(ROWS[:2])[1]
    assert Part.of_text(again) == written[0]


def test_drafts_of_lost_workers_are_removed(tmp_path: Path, written: list[Part]) -> None:
    (tmp_path / "data.parquet" / "0123.parquet").write_bytes(b"half")
    check_parts(tmp_path / "data.parquet", written, ["age"], RowDigest.of(without_key(ROWS)))
    assert len(list((tmp_path / "data.parquet").iterdir())) == 2


@pytest.mark.parametrize(
    ("columns", "rows", "finding"),
    [
        (["pay"], ROWS, "columns of the file are not those verified"),
        (["age"], ROWS[:3], "rows of the files are not those that were verified"),
    ],
)
def test_other_parts_than_were_verified_are_refused(
    tmp_path: Path, written: list[Part], columns: list[str], rows: pl.DataFrame, finding: str
) -> None:
    with pytest.raises(VerificationError, match=finding):
        check_parts(tmp_path / "data.parquet", written, columns, RowDigest.of(without_key(rows)))


def test_a_folder_that_workers_do_not_share_is_named(tmp_path: Path, written: list[Part]) -> None:
    elsewhere = [replace(written[0], name="part-00000.parquet"), written[1]]
    with pytest.raises(VerificationError, match="Driver and workers must share the folder"):
        check_parts(tmp_path / "data.parquet", elsewhere, ["age"], RowDigest.of(without_key(ROWS)))


def test_records_count_on_from_part_to_part(tmp_path: Path) -> None:
    rows = ROWS.with_columns(record=pl.Series(["1", "2", "3", "4"]))
    (tmp_path / "data.parquet").mkdir()
    table = VerifiedTable((), RowDigest(), record="record")
    write = PartWriter(tmp_path / "data.parquet", without_key, "key", 2, table)
    parts = [Part.of_text(write(batch)[1]) for batch in (rows[:2], rows[2:])]
    assert [part.before for part in parts] == [0, 2]
    digest = RowDigest.of(rows.drop("key", "record"))
    check_parts(tmp_path / "data.parquet", parts, ["age", "record"], digest, numbered=True)
    gap = [parts[0], replace(parts[1], before=3)]
    with pytest.raises(VerificationError, match="are not numbered on"):
        check_parts(tmp_path / "data.parquet", gap, ["age", "record"], digest, numbered=True)
    mixed = [parts[0], replace(parts[1], in_place=False)]
    with pytest.raises(VerificationError, match="not numbered in their order"):
        check_parts(tmp_path / "data.parquet", mixed, ["age", "record"], digest, numbered=True)


def test_people_are_numbered_from_part_to_part(tmp_path: Path) -> None:
    (tmp_path / "data.parquet").mkdir()
    rows = ROWS.with_columns(age=pl.Series(["1", "2", "1", "3"]))
    table = VerifiedTable((), RowDigest(), person="age")
    write = PartWriter(tmp_path / "data.parquet", without_key, "key", 2, table)
    parts = [Part.of_text(write(batch)[1]) for batch in (rows[:2], rows[2:])]
    check_parts(tmp_path / "data.parquet", parts, ["age"], RowDigest.of(without_key(rows)))
    with pytest.raises(VerificationError, match="does not number people as they appear"):
        check_parts(
            tmp_path / "data.parquet", parts[::-1], ["age"], RowDigest.of(without_key(rows))
        )
