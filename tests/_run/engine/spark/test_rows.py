"""Rows on Spark do what the same functions do on one frame."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal._run.engine.spark.rows import BATCHES, SparkRows, in_pieces, packed, sort_bits, unpacked
from shoal.errors import DataError, EngineError
from shoal.recode import allowed_threads

pytestmark = pytest.mark.system("java")

RNG = np.random.default_rng(5)
TABLE = pl.DataFrame(
    {
        "shard": RNG.integers(0, 5, 1000).astype(np.uint16),
        "hash": RNG.integers(0, 2**64, 1000, dtype=np.uint64),
        "name": [f"person {i}" if i % 7 else None for i in range(1000)],
    }
)


# Two shards of more bytes than a piece has.
LARGE = pl.DataFrame(
    {
        "shard": np.repeat([0, 1], 60_000).astype(np.uint16),
        "name": [f"{i:0100}" for i in range(120_000)],
    }
)


@pytest.fixture
def rows(spark: Any) -> SparkRows:
    """The table in ten batches on four partitions."""
    batches = [packed(i, TABLE[i * 100 : (i + 1) * 100]).to_pylist()[0] for i in range(10)]
    frame = spark.createDataFrame(
        [tuple(b.values()) for b in batches], "place int, n long, batch binary"
    )
    return SparkRows(frame.repartition(4))


def total(frame: pl.DataFrame) -> int:
    return int(frame["shard"].sum())


def threads_of(frame: pl.DataFrame) -> int:
    return allowed_threads()


def note_size(frame: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
    return frame.head(3), f"{frame['shard'][0]}:{frame.height}".encode()


def note_all(frame: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
    return frame, note_size(frame)[1]


def meet_all(one: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
    return one, meet(one, other)[1]


def height_of(frame: pl.DataFrame) -> pl.DataFrame:
    return pl.DataFrame({"n": [frame.height]})


def meet(one: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, bytes]:
    same = set(one["shard"]) == set(other["shard"])
    return one.head(1), f"{one['shard'][0]}:{one.height}:{other.height}:{same}".encode()


@dataclass(frozen=True)
class Raising:
    error: Exception

    def __call__(self, frame: pl.DataFrame) -> pl.DataFrame:
        raise self.error


def test_a_batch_keeps_its_types_on_the_way() -> None:
    [row] = packed(3, TABLE).to_pylist()
    assert (row["place"], row["n"]) == (3, 1000)
    assert unpacked(row["batch"]).equals(TABLE)
    assert unpacked(row["batch"]).schema == TABLE.schema


def test_a_large_batch_travels_in_small_pieces_and_its_note_with_the_first() -> None:
    rows = [row.to_pylist()[0] for row in in_pieces(2, LARGE, b"noted")]
    assert [row["note"] for row in rows] == [b"noted", *[None] * (len(rows) - 1)]
    pieces = [unpacked(row["batch"]) for row in rows]
    assert pl.concat(pieces).equals(LARGE)
    assert len(pieces) > 1
    assert all(piece.estimated_size() < 5e6 for piece in pieces)


def test_a_batch_without_rows_is_one_piece() -> None:
    [row] = in_pieces(2, LARGE.clear(), b"noted")
    assert row.to_pylist()[0]["note"] == b"noted"


def test_what_is_made_of_a_large_shard_is_one_batch_again(spark: Any) -> None:
    given = [row.to_pylist()[0] for row in in_pieces(0, LARGE)]
    frame = spark.createDataFrame([tuple(row.values()) for row in given], BATCHES)
    solved, notes = SparkRows(frame).shard("shard").solve(note_all)
    again, others = solved.solve_with(solved, "shard", meet_all)
    assert notes == [b"0:60000", b"1:60000"]
    assert others == [b"0:60000:60000:True", b"1:60000:60000:True"]
    heights = again.map(height_of).batches()
    assert [frame["n"].to_list() for frame in heights] == [[60_000], [60_000]]
    again.close()
    solved.close()


def test_a_fold_adds_up_all_batches(rows: SparkRows) -> None:
    assert rows.fold(total, int.__add__) == TABLE["shard"].sum()


def test_a_map_is_seen_by_what_follows(rows: SparkRows) -> None:
    twice = rows.map(partial(pl.DataFrame.with_columns, shard=pl.col("shard") * 2))
    assert twice.fold(total, int.__add__) == 2 * TABLE["shard"].sum()
    twice.close()


def test_every_shard_is_one_batch_in_order(rows: SparkRows) -> None:
    found = list(rows.shard("shard").batches())
    assert [set(frame["shard"]) for frame in found] == [{i} for i in range(5)]
    assert pl.concat(found).sort("hash").equals(TABLE.sort("hash"))


def test_shards_are_solved_one_by_one_and_noted_in_order(rows: SparkRows) -> None:
    solved, notes = rows.shard("shard").solve(note_size)
    sizes = TABLE["shard"].value_counts().sort("shard").rows()
    assert notes == [f"{shard}:{n}".encode() for shard, n in sizes]
    assert solved.fold(pl.DataFrame.height.fget, int.__add__) == 15  # type: ignore[attr-defined]
    solved.close()


def test_two_sorts_of_rows_meet_by_their_number(rows: SparkRows) -> None:
    found, notes = rows.sort(["hash"], 300).solve_with(rows, "shard", meet)
    sizes = TABLE["shard"].value_counts().sort("shard").rows()
    assert notes == [f"{shard}:{n}:{n}:True".encode() for shard, n in sizes]
    assert found.fold(total, int.__add__) == sum(range(5))
    found.close()


@pytest.mark.parametrize("n_rows", [100, 5000])
def test_sorted_batches_follow_each_other(rows: SparkRows, n_rows: int) -> None:
    found = list(rows.sort(["hash"], n_rows).batches())
    assert len(found) == (16 if n_rows == 100 else 1)
    assert pl.concat(found).equals(TABLE.sort("hash"))


def test_batches_are_halved_until_they_are_small_enough() -> None:
    assert [sort_bits(n, 100) for n in (0, 1, 100, 101, 200, 201, 1000)] == [0, 0, 0, 1, 1, 2, 4]


def test_an_error_of_shoal_on_a_worker_is_raised_here(rows: SparkRows) -> None:
    error = DataError("Column 'age' must hold numbers, but 3 rows do not.", "Declare it.")
    with pytest.raises(DataError, match=r"must hold numbers, but 3 rows do not. Declare it"):
        rows.map(Raising(error)).fold(total, int.__add__)


def test_any_other_error_on_a_worker_says_nothing_of_the_data(rows: SparkRows) -> None:
    with pytest.raises(EngineError, match=r"ValueError in shoal.* on a worker") as caught:
        rows.map(Raising(ValueError("person 17 is ill"))).fold(total, int.__add__)
    assert "ill" not in str(caught.value)


def test_a_task_uses_no_more_threads_than_it_has_cores(rows: SparkRows) -> None:
    assert rows.fold(threads_of, max) == 1
