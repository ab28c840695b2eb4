"""Rows in files: whatever the batches, nothing is lost, and sorts and shards are right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from shoal._run.engine import LocalEngine
from shoal._run.engine.file import FileRows, RunFolder, SourceRows


def _frame(n: int = 1000) -> pl.DataFrame:
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "hash": draw.integers(0, 2**64, n, dtype=np.uint64, endpoint=False),
            "shard": draw.integers(0, 7, n).astype(np.uint32),
            "text": pl.Series(draw.choice(list("abc"), n)).cast(pl.Categorical),
            "row": np.arange(n),
        }
    )


def _rows(folder: Path, size: int = 130) -> FileRows:
    def read() -> Iterator[pl.DataFrame]:
        return _frame().iter_slices(size)

    place = RunFolder.in_folder(folder, LocalEngine().map)
    return SourceRows(place, read).map(lambda batch: batch)


def test_folds_see_every_row_once(tmp_path: Path) -> None:
    for size in (130, 5000):
        rows = _rows(tmp_path, size)
        assert rows.fold(lambda b: int(b["row"].sum()), int.__add__) == 999 * 500


def test_a_shard_is_one_batch_in_the_order_of_rows(tmp_path: Path) -> None:
    found = list(_rows(tmp_path).shard("shard").batches())
    assert [b["shard"].unique().to_list() for b in found] == [[s] for s in range(7)]
    for batch in found:
        expected = _frame().filter(shard=batch["shard"][0])
        assert batch.with_columns(pl.col("text").cast(pl.String)).equals(
            expected.with_columns(pl.col("text").cast(pl.String))
        )


def test_batches_follow_each_other_in_order(tmp_path: Path) -> None:
    expected = _frame().sort("hash")["row"].to_list()
    for n_rows in (90, 10_000):
        ordered = _rows(tmp_path).sort(["hash", "row"], n_rows)
        found = [batch["row"].to_list() for batch in ordered.batches()]
        assert [row for batch in found for row in batch] == expected
        assert (len(found) > 8) == (n_rows == 90)


def test_solved_rows_keep_the_order_of_shards(tmp_path: Path) -> None:
    def solve(shard: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        return shard.head(2), str(shard["shard"][0]).encode()

    rows, notes = _rows(tmp_path).shard("shard").solve(solve)
    assert notes == [str(s).encode() for s in range(7)]
    assert [batch.height for batch in rows.batches()] == [2] * 7


def test_two_sorts_of_rows_meet_by_their_number(tmp_path: Path) -> None:
    def meet(one: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
        assert one["shard"].unique().to_list() == other["shard"].unique().to_list()
        return one.head(1), f"{one.height} {other.height}".encode()

    for name in "ab":
        (tmp_path / name).mkdir()
    rows, others = _rows(tmp_path / "a"), _rows(tmp_path / "b", 300).sort(["hash", "row"], 90)
    halves = others.map(lambda b: b.filter(pl.col("row") % 2 == 0))
    found, notes = rows.solve_with(halves, "shard", meet)
    sizes = _frame().group_by("shard").agg(n=pl.len(), m=(pl.col("row") % 2 == 0).sum())
    assert notes == [f"{n} {m}".encode() for _, n, m in sizes.sort("shard").rows()]
    assert [b["shard"].to_list() for b in found.batches()] == [[s] for s in range(7)]


def test_a_batch_may_be_empty(tmp_path: Path) -> None:
    rows = _rows(tmp_path).map(lambda batch: batch.filter(pl.col("row") >= 130))
    assert next(rows.batches()).is_empty()
    assert rows.shard("shard").fold(lambda b: b.height, int.__add__) == 870
    assert rows.sort(["hash"], 90).fold(lambda b: b.height, int.__add__) == 870


def test_what_is_closed_is_gone(tmp_path: Path) -> None:
    rows = _rows(tmp_path)
    assert any(tmp_path.iterdir())
    rows.close()
    assert not any(tmp_path.iterdir())
