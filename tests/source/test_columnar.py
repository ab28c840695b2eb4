"""Parquet, Arrow and xlsx files."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shoal.source import columns, read
from tests.source.cases import failure_of

FRAME = pl.DataFrame(
    {
        "whole": [1, None, 3],
        "share": [0.5, float("nan"), None],
        "text": ["x", "", "NA"],
        "yes": [True, None, False],
        "day": [dt.date(2020, 1, 2), None, dt.date(2021, 1, 2)],
        "when": [dt.datetime(2020, 1, 2, 3), None, None],
    }
)
CLEAN = FRAME.with_columns(
    share=pl.Series([0.5, None, None], dtype=pl.Float64), text=pl.Series(["x", None, "NA"])
)


def write(frame: pl.DataFrame, path: Path) -> None:
    if path.suffix in (".parquet", ".pq"):
        frame.write_parquet(path)
    elif path.stem == "stream":
        frame.write_ipc_stream(path)
    else:
        frame.write_ipc(path)


NAMES = ["t.parquet", "t.pq", "t.arrow", "t.feather", "t.ipc", "stream.arrow"]


@pytest.mark.parametrize("name", NAMES)
def test_types_are_kept_and_missing_is_null(tmp_path: Path, name: str) -> None:
    write(FRAME, tmp_path / name)
    frame = read(name, base=tmp_path)
    assert frame.equals(CLEAN)
    assert frame.schema == FRAME.schema
    assert columns(name, tmp_path) == tuple(FRAME.columns)


@pytest.mark.parametrize("name", NAMES)
def test_faults(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("a,b\nS3CRET,2\n")
    assert f"not what its suffix {path.suffix} says" in failure_of(path)
    path.write_bytes(b"\x89PNGS3CRET")
    assert "looks like a PNG image" in failure_of(path)
    path.write_bytes(b"")
    assert "is empty" in failure_of(path)
    write(pl.DataFrame({"a": ["S3CRET"]}).head(0), path)
    assert "has a header but no rows" in failure_of(path)
    write(pl.DataFrame({"a": [["S3CRET"]], "b": [{"x": 1}], "c": [b"S3CRET"], "d": [1]}), path)
    assert "'a' (List), 'b' (Struct), 'c' (Binary)." in failure_of(path)
    write(pl.DataFrame({"a": [1], "": [2]}), path)
    assert "has no name for column 2" in failure_of(path)
    write(pl.DataFrame({"a": ["S3CRET"] * 1000}), path)
    path.write_bytes(path.read_bytes()[:200])
    assert "is damaged" in failure_of(path)


def test_doubled_names(tmp_path: Path) -> None:
    table = pa.table([[1], [2], [3]], names=["a", "b", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with (
        pa.OSFile(str(tmp_path / "t.arrow"), "wb") as file,
        pa.ipc.new_file(file, table.schema) as writer,
    ):
        writer.write_table(table)
    assert "'a' (columns 1, 3)" in failure_of(tmp_path / "t.parquet")
    assert "'a' (columns 1, 3)" in failure_of(tmp_path / "t.arrow")
