"""Written rows against those that were verified in parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.verify import RowDigest, VerifiedTable, verify_parts
from tests.verify.small import said

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


def test_digests_of_many_parts_add_up_to_that_of_the_whole() -> None:
    """Sums wrap around; the two are of different hashes, so that one cannot stand for both."""
    table = pl.DataFrame({"x": [str(i) for i in range(40)]})
    whole = RowDigest.of(table)
    assert sum((RowDigest.of(table[i : i + 1]) for i in range(40)), RowDigest()) == whole
    assert whole.n_rows == 40
    assert whole.first != whole.second


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_digit_of_a_long_code_is_lost(suffix: str, tmp_path: Path) -> None:
    """A double does not tell these codes apart."""
    verified = RowDigest.of(pl.DataFrame({"code": ["12345678901234567890"]}))
    for code in ("12345678901234567891", 1.2345678901234567e19):
        name = _written(tmp_path, pl.DataFrame({"code": [code]}), suffix)
        with pytest.raises(VerificationError, match="not those that were verified"):
            verify_parts(tmp_path, {name: VerifiedTable(("code",), verified)})


@pytest.mark.parametrize(
    "forged",
    [
        lambda: _TABLE.with_columns(age=pl.Series(["[1, 2]", "*", "[1, 2]"])),
        lambda: _TABLE.with_columns(pay=pl.Series(["10", "2.6", None])),
        lambda: _TABLE[:2],
        lambda: pl.concat([_TABLE, _TABLE[:1]]),
        lambda: _TABLE.select("pay", "age"),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_other_rows_are_found(
    forged: Callable[[], pl.DataFrame], suffix: str, tmp_path: Path
) -> None:
    name = _written(tmp_path, forged(), suffix, rows=3)
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


def test_a_table_that_was_not_verified_is_found(tmp_path: Path) -> None:
    name = _written(tmp_path, _TABLE, "csv")
    (tmp_path / "more.csv").write_text("a\n1\n")
    (tmp_path / "report.html").write_text("<p>fine</p>")
    path = tmp_path / "manifest.json"
    manifest = json.loads(path.read_text())
    for more in ("more.csv", "report.html"):
        digest = hashlib.sha256((tmp_path / more).read_bytes()).hexdigest()
        manifest["files"][more] = {"sha256": digest}
    path.write_text(json.dumps(manifest))
    with pytest.raises(VerificationError) as error:
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(_TABLE))})
    assert said(error.value.problems) == "more.csv: The file is a table that was not verified."


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_that_is_no_table_is_found(suffix: str, tmp_path: Path) -> None:
    name = _written(tmp_path, _TABLE, suffix)
    (tmp_path / name).write_bytes(b'"')
    with pytest.raises(VerificationError, match="cannot be read as a table"):
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(_TABLE))})


def test_a_parquet_with_notes_is_found(tmp_path: Path) -> None:
    name = _written(tmp_path, _TABLE, "parquet")
    verified = {name: VerifiedTable(("age", "pay"), RowDigest.of(_TABLE))}
    verify_parts(tmp_path, verified)
    _TABLE.write_parquet(tmp_path / name, metadata={"source": "somewhere"})
    with pytest.raises(VerificationError, match="metadata besides its table"):
        verify_parts(tmp_path, verified)


def test_formulas_are_found(tmp_path: Path) -> None:
    table = _TABLE.with_columns(age=pl.lit("=1+1"))
    name = _written(tmp_path, table, "csv")
    with pytest.raises(VerificationError, match=": 3 cells would be taken for formulas"):
        verify_parts(tmp_path, {name: VerifiedTable(("age", "pay"), RowDigest.of(table))})


def test_formulas_of_a_header_are_found(tmp_path: Path) -> None:
    table = _TABLE.rename({"age": "=age"})
    name = _written(tmp_path, table, "csv")
    with pytest.raises(VerificationError, match="1 cell would be taken for formulas"):
        verify_parts(tmp_path, {name: VerifiedTable(("=age", "pay"), RowDigest.of(table))})


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
    rows = pl.DataFrame({"BID": ["0", "9", "10"], "value": ["a", "b", "c"]})
    table = VerifiedTable(("BID", "value"), RowDigest.of(rows), rising="BID")
    name = _written(tmp_path, rows, "parquet")
    verify_parts(tmp_path, {name: table})
    _written(tmp_path, rows.reverse(), "parquet")
    with pytest.raises(VerificationError, match="not numbered in their order"):
        verify_parts(tmp_path, {name: table})


@pytest.mark.parametrize(
    ("numbers", "before", "last", "fine"),
    [
        (["1", "2"], 0, 0, True),
        (["1", "1"], 0, 1, False),
        (["4", "5"], 3, 4, True),
        (["4", "5"], 3, 5, False),
        (["3", "4"], 3, 3, False),
        (["5", "6"], 3, 3, False),
        (["4", "6"], 3, 3, False),
        ([], 3, 9, True),
    ],
)
def test_rows_follow_those_before_them(
    numbers: list[str], before: int, last: int, fine: bool
) -> None:
    """Records count on from `before`; what rises may stay where it is, `last`, and not fall."""
    rows = pl.DataFrame({"record": numbers, "BID": numbers}, schema_overrides={"BID": pl.String})
    columns = ("record", "BID")
    counting = VerifiedTable(columns, RowDigest(), record="record", rising="BID")
    assert counting.in_place(rows, before, last) == (fine, int([str(last), *numbers][-1]))
    assert VerifiedTable(columns, RowDigest()).in_place(rows, before, last) == (True, last)


@pytest.mark.parametrize("cell", ["x", "", None, "1.5"])
def test_what_is_no_number_is_not_in_order(cell: str | None, tmp_path: Path) -> None:
    rows = pl.DataFrame({"BID": ["1", "2"], "value": ["a", "b"]})
    table = VerifiedTable(("BID", "value"), RowDigest.of(rows), rising="BID")
    name = _written(tmp_path, rows.with_columns(BID=pl.Series([cell, "2"])), "parquet")
    with pytest.raises(VerificationError, match="not numbered in their order"):
        verify_parts(tmp_path, {name: table})


def test_what_rises_may_stay_where_it_is() -> None:
    rising = VerifiedTable(("BID",), RowDigest(), rising="BID")
    for numbers, fine in (("22", True), ("23", True), ("232", False), ("12", False)):
        assert rising.in_place(pl.DataFrame({"BID": list(numbers)}), 5, 2)[0] is fine


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_files_are_compared_part_by_part(
    n_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal.reading.table._ROWS", n_rows)
    rows = pl.DataFrame({"record": list("1234"), "BID": list("1123"), "Id_num": list("1213")})
    digest = RowDigest.of(rows.drop("record"))
    asked = {"record": "record", "rising": "BID", "person": "Id_num"}
    table = VerifiedTable(("record", "BID", "Id_num"), digest, **asked)
    verify_parts(tmp_path, {_written(tmp_path, rows, "parquet"): table})
    for places, finding in (
        ([1, 0, 2, 3], "does not number people"),
        ([0, 2, 1, 3], "not numbered in their order"),
        ([3, 0, 1, 2], "not numbered in their order"),
    ):
        moved = rows[places].with_columns(record=rows["record"])
        with pytest.raises(VerificationError) as error:
            verify_parts(tmp_path, {_written(tmp_path, moved, "parquet"): table})
        assert finding in said(error.value.problems)
        assert "not those that were verified" not in said(error.value.problems)
    swapped = rows.with_columns(record=pl.Series(list("2134")))
    with pytest.raises(VerificationError, match="not numbered in their order"):
        verify_parts(tmp_path, {_written(tmp_path, swapped, "parquet"): table})


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
