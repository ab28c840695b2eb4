"""A table written batch by batch is the table written at once."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.folder.batch import private_folder, write_batches
from shoal.folder.table import write_table

_TABLE = pl.DataFrame({"a": ["=1", "x,y", None, "-5"] * 50, "n": list(range(200))})


@pytest.mark.parametrize("coded", [pl.String, pl.Categorical])
@pytest.mark.parametrize("columns", [["a", "n"], ["a"]])
def test_csv_has_the_same_bytes(columns: list[str], coded: pl.DataType, tmp_path: Path) -> None:
    table = _TABLE.select(columns)
    write_table(table, tmp_path / "whole.csv")
    batches = table.with_columns(pl.col("a").cast(coded)).iter_slices(70)
    write_batches(batches, tmp_path / "parts.csv")
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_parquet_has_the_same_rows_and_says_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "parts.parquet"
    write_batches(_TABLE.with_columns(pl.col("a").cast(pl.Categorical)).iter_slices(70), path)
    assert pl.read_parquet(path).equals(_TABLE)
    assert set(pl.read_parquet_metadata(path)) <= {"ARROW:schema"}


def test_the_private_folder_is_gone_afterwards(tmp_path: Path) -> None:
    with private_folder(tmp_path / "release") as own:
        (own / "codes").write_text("x")
        assert own.stat().st_mode & 0o077 == 0
        assert own.parent == tmp_path
    assert not any(tmp_path.iterdir())
