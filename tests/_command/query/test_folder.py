"""Folders that are no releases, or broken ones: said in plain words, without a cell's value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal._command.query import query
from shoal.errors import DataError
from tests._command.query.written import column, write_folder
from tests.papers.mhsa.cases import PATIENTS, patients_plan

COUNT = "SELECT COUNT(*)"
PAY = [column("pay", "sensitive", "numeric")]
BIDS = {"pay_BID": ["1", "1"]}


def refused(folder: Any, text: str = COUNT) -> str:
    with pytest.raises(DataError) as caught:
        query(folder, text)
    assert "S3CRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def test_no_folder(tmp_path: Path) -> None:
    assert "There is no folder" in refused(tmp_path / "nowhere")
    assert "has no manifest.json" in refused(tmp_path)
    assert "must be given as a path" in refused(None)
    (tmp_path / "file").write_text("S3CRET")
    assert "There is no folder" in refused(tmp_path / "file")


@pytest.mark.parametrize(
    "manifest",
    ["", "S3CRET", "[]", "{}", '{"format": "S3CRET", "columns": []}', '{"format": 1}', "[" * 9999,
     '{"format": 1, "columns": [{"name": "S3CRET", "role": "S3CRET"}]}'],
)  # fmt: skip
def test_a_manifest_that_is_none(tmp_path: Path, manifest: str) -> None:
    write_folder(tmp_path, PAY, {"pay": ["1"]})
    (tmp_path / "manifest.json").write_text(manifest)
    told = refused(tmp_path)
    assert any(word in told for word in ("cannot be read", "names no format", "is broken"))


def test_a_later_format(tmp_path: Path) -> None:
    write_folder(tmp_path, PAY, {"pay": ["1"]}, format=2)
    assert "is of format 2" in refused(tmp_path)


def test_a_manifest_that_is_not_text(tmp_path: Path) -> None:
    write_folder(tmp_path, PAY, {"pay": ["1"]})
    (tmp_path / "manifest.json").write_bytes(b"\xff\xfe{}")
    assert "cannot be read" in refused(tmp_path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_table_that_is_none(tmp_path: Path, suffix: str) -> None:
    write_folder(tmp_path, PAY, {"pay": ["1"]}, suffix=suffix)
    (tmp_path / f"data.{suffix}").write_bytes(b'pay\n"S3CRET\xff')
    assert "cannot be read as a table" in refused(tmp_path)
    (tmp_path / f"data.{suffix}").unlink()
    assert "has no table of data" in refused(tmp_path)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    write_folder(tmp_path, PAY, {"x": ["1"]})
    assert "the table does not have it" in refused(tmp_path, "SELECT SUM(pay)")


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([("1", "5")], "of values and of cells in a bucket differ"),
        ([("1", "5"), ("2", "6")], "of values and of cells in a bucket differ"),
        ([("1", "5"), ("1", "6"), ("2", "6")], "of values and of cells in a bucket differ"),
        ([("1", "5"), ("1", "S3CRET")], "must hold numbers, but 1 of their values"),
    ],
)
def test_buckets_that_do_not_fit(tmp_path: Path, pairs: Any, said: str) -> None:
    write_folder(tmp_path, PAY, BIDS, {"pay": pairs})
    assert said in refused(tmp_path, "SELECT SUM(pay)")


def test_buckets_that_are_not_there(tmp_path: Path) -> None:
    write_folder(tmp_path, PAY, BIDS)
    assert "are in no table" in refused(tmp_path, "SELECT SUM(pay)")
    write_folder(tmp_path, PAY, BIDS, {"pay": [("1", "5"), ("1", "6")]})
    (tmp_path / "buckets-pay.csv").write_text("BID,other\n1,S3CRET\n1,S3CRET\n")
    assert "must have the columns BID and value" in refused(tmp_path, "SELECT SUM(pay)")


def test_no_name_leads_out_of_the_folder(tmp_path: Path) -> None:
    name = "/../../outside"
    inside = tmp_path / "release"
    write_folder(inside, [column(name, "sensitive", "numeric")], {f"{name}_BID": ["1"]})
    (inside / "buckets-").mkdir()
    (tmp_path / "outside.csv").write_text("BID,value\n1,5\n")
    manifest = json.loads((inside / "manifest.json").read_text())
    manifest["files"][f"buckets-{name}.csv"] = {}
    (inside / "manifest.json").write_text(json.dumps(manifest))
    assert "are in no table" in refused(inside, f'SELECT SUM("{name}")')


def test_cells_that_a_spreadsheet_would_run_are_read_as_they_were(tmp_path: Path) -> None:
    write_folder(tmp_path, [column("x", "insensitive", "categorical")], {"x": ["'=1+1", "-3"]})
    assert query(tmp_path, "SELECT COUNT(*) WHERE x = '=1+1'").estimate == 1


def test_symbols_are_labels_and_linked_tables_are_refused(tmp_path: Path) -> None:
    options = {"division": "k-division", "numeric": "one-sided"}
    joined = shoal.run(patients_plan({"qi-mhsa": options}), PATIENTS)
    joined.save(tmp_path / "joined")
    answer = shoal.query(tmp_path / "joined", "SELECT COUNT(*) WHERE income >= 30000")
    assert not answer.certain
    assert (answer.surely, answer.maybe) == (6, 8), "the four of <40000 and <30000 may or may not"
    linked = shoal.run(patients_plan({"qi-mhsa": {**options, "tables": "split"}}), PATIENTS)
    linked.save(tmp_path / "linked")
    with pytest.raises(DataError, match="linked to people by the class only"):
        shoal.query(tmp_path / "linked", "SELECT COUNT(*)")
