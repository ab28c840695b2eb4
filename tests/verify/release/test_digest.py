"""Written rows against those that were verified in parts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.verify import RowDigest, VerifiedTable, verify_parts

_TABLE = pl.DataFrame({"age": ["[1, 2]", "[1, 2]", "*"], "pay": ["10", "2.5", None]})


def _written(folder: Path, table: pl.DataFrame, suffix: str, **change: Any) -> str:
    path = folder / f"data.{suffix}"
    table.write_csv(path) if suffix == "csv" else table.write_parquet(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = {"sha256": digest, "rows": table.height, **change}
    (folder / "manifest.json").write_text(json.dumps({"files": {path.name: entry}}))
    return path.name


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_rows_in_another_order_are_the_same(suffix: str, tmp_path: Path) -> None:
    verified = RowDigest.of(_TABLE[:1]) + RowDigest.of(_TABLE[1:])
    typed = _TABLE.with_columns(pl.col("pay").cast(pl.Float64)) if suffix == "parquet" else _TABLE
    name = _written(tmp_path, typed.reverse(), suffix)
    verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), verified)})


@pytest.mark.parametrize(
    "forged",
    [
        _TABLE.with_columns(age=pl.Series(["[1, 2]", "*", "[1, 2]"])),
        _TABLE.with_columns(pay=pl.Series(["10", "2.6", None])),
        _TABLE[:2],
        pl.concat([_TABLE, _TABLE[:1]]),
        _TABLE.select("pay", "age"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_other_rows_are_found(forged: pl.DataFrame, suffix: str, tmp_path: Path) -> None:
    name = _written(tmp_path, forged, suffix, rows=3)
    with pytest.raises(VerificationError, match="data"):
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(_TABLE))})


def test_the_folder_and_the_manifest_are_checked(tmp_path: Path) -> None:
    name = _written(tmp_path, _TABLE, "csv", rows=4, sha256="0" * 64)
    (tmp_path / "more.csv").write_text("a\n1\n")
    with pytest.raises(VerificationError) as error:
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(_TABLE))})
    said = str(error.value)
    assert "number of rows" in said
    assert "SHA-256" in said
    assert "does not list it" in said


def test_formulas_are_found(tmp_path: Path) -> None:
    table = _TABLE.with_columns(age=pl.lit("=1+1"))
    name = _written(tmp_path, table, "csv")
    with pytest.raises(VerificationError, match="formulas"):
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(table))})


_NUMBERED = pl.DataFrame(
    {"record": ["1", "2", "3"], "GID": ["1", "2", "1"], "age": ["7", "*", "7"]}
)


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({}, None),
        ({"record": ["1", "3", "2"]}, "not numbered in their order"),
        ({"record": ["2", "3", "4"]}, "not numbered in their order"),
        ({"GID": ["1", "2", "2"]}, "not those that were verified"),
    ],
)
def test_records_count_the_rows(change: Any, finding: str | None, tmp_path: Path) -> None:
    table = VerifiedTable(
        ("record", "GID", "age"),
        RowDigest.of(_NUMBERED.drop("record"), ("GID",)),
        record="record",
        numbers=frozenset({"GID"}),
    )
    forged = _NUMBERED.with_columns(**{n: pl.Series(v) for n, v in change.items()})
    name = _written(tmp_path, forged, "csv")
    if finding is None:
        verify_parts(tmp_path, {name: table})
        return
    with pytest.raises(VerificationError, match=finding):
        verify_parts(tmp_path, {name: table})


def test_numbers_of_buckets_do_not_fall(tmp_path: Path) -> None:
    rows = pl.DataFrame({"BID": ["2", "9", "10"], "value": ["a", "b", "c"]})
    table = VerifiedTable(("BID", "value"), RowDigest.of(rows), rising="BID")
    name = _written(tmp_path, rows, "parquet")
    verify_parts(tmp_path, {name: table})
    _written(tmp_path, rows.reverse(), "parquet")
    with pytest.raises(VerificationError, match="not numbered in their order"):
        verify_parts(tmp_path, {name: table})


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_people_are_numbered_as_they_appear(suffix: str, tmp_path: Path) -> None:
    table = pl.DataFrame({"Id_num": ["1", "2", "1", "3"], "age": ["*"] * 4})
    name = _written(tmp_path, table, suffix)
    verified = VerifiedTable(("Id_num", "age"), RowDigest.of(table), person="Id_num")
    verify_parts(tmp_path, {name: verified})
    name = _written(tmp_path, table.reverse(), suffix)
    verify_parts(tmp_path, {name: VerifiedTable(("Id_num", "age"), RowDigest.of(table))})
    with pytest.raises(VerificationError, match="does not number people as they appear"):
        verify_parts(tmp_path, {name: verified})
