"""The tables of a release folder: those that the manifest lists, and none outside it."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from shoal.reading.folder import find_table, read_buckets, read_data
from shoal.reading.manifest import Manifest, ManifestFile
from shoal.schema import Attribute, Role, Schema

TABLE = pl.DataFrame({"a": ["1", "2"]})


def _manifest(*files: str) -> Manifest:
    return Manifest(
        ranges="tight", columns=(), requirements=(), verdicts=(),
        files={name: ManifestFile(sha256="ab") for name in files},
    )  # fmt: skip


def _write(folder: Path, *names: str) -> None:
    for name in names:
        if name.endswith("csv"):
            TABLE.write_csv(folder / name)
        else:
            TABLE.write_parquet(folder / name)


@pytest.mark.parametrize(
    ("there", "listed", "found"),
    [
        (["data.csv", "data.parquet"], ["data.parquet"], "data.parquet"),
        (["data.csv", "data.parquet"], ["data.csv"], "data.csv"),
        (["data.csv", "data.parquet"], [], "data.csv"),
        (["data.parquet"], [], "data.parquet"),
        (["data.parquet"], ["data.csv"], None),
        ([], ["data.csv"], None),
    ],
)
def test_a_listed_file_comes_before_one_that_is_there(
    there: list[str], listed: list[str], found: str | None, tmp_path: Path
) -> None:
    _write(tmp_path, *there)
    path = find_table(tmp_path, _manifest(*listed), "data")
    assert (path and path.name) == found


def test_a_name_does_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "release"
    inner.mkdir()
    _write(tmp_path, "secret.csv")
    assert find_table(inner, _manifest("../secret.csv"), "../secret") is None


@pytest.mark.parametrize("stem", ["s" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_is_not_there(tmp_path: Path, stem: str) -> None:
    assert find_table(tmp_path, _manifest(f"{stem}.csv"), stem) is None


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    """To open one would wait for somebody who writes to it."""
    os.mkfifo(tmp_path / "data.csv")
    assert find_table(tmp_path, _manifest("data.csv"), "data") is None
    (tmp_path / "data.csv").unlink()
    (tmp_path / "data.parquet").mkdir()
    TABLE.write_parquet(tmp_path / "data.parquet" / "part-00000.parquet")
    os.mkfifo(tmp_path / "data.parquet" / "part-00001.parquet")
    found = read_data(tmp_path, _manifest("data.parquet/part-00000.parquet"))
    assert found is not None
    assert found.equals(TABLE)


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert read_data(tmp_path, _manifest()) is None
    (tmp_path / "data.parquet").write_bytes(b"no table")
    assert read_data(tmp_path, _manifest()) is None
    _write(tmp_path, "data.parquet")
    found = read_data(tmp_path, _manifest())
    assert found is not None
    assert found.to_dict(as_series=False) == TABLE.to_dict(as_series=False)


def test_buckets_are_read_where_they_are_listed(tmp_path: Path) -> None:
    schema = Schema(tuple(Attribute(n, Role.SENSITIVE) for n in ("ill", "pay", "zip", "broken")))
    _write(tmp_path, "buckets-ill.csv", "buckets-pay.parquet", "buckets-zip.csv")
    (tmp_path / "buckets-broken.parquet").write_bytes(b"no table")
    manifest = _manifest("buckets-ill.csv", "buckets-pay.parquet", "buckets-broken.parquet")
    assert set(read_buckets(tmp_path, manifest, schema)) == {"buckets-ill", "buckets-pay"}


def test_a_folder_of_parts_is_a_table_in_the_order_of_their_names(tmp_path: Path) -> None:
    parts = tmp_path / "data.parquet"
    parts.mkdir()
    TABLE[1:].write_parquet(parts / "part-00001.parquet")
    TABLE[:1].write_parquet(parts / "part-00000.parquet")
    listed = _manifest("data.parquet/part-00000.parquet", "data.parquet/part-00001.parquet")
    _write(tmp_path, "data.csv")
    assert find_table(tmp_path, listed, "data") == parts
    found = read_data(tmp_path, listed)
    assert found is not None
    assert found.equals(TABLE)
