"""Numbers that follow the order of all rows, found shard by shard."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal._run.engine import LocalEngine
from shoal._run.engine.file import FileRows, RunFolder, write_batches
from shoal._run.part.number import (
    FinalNote,
    batch_of,
    count_batches,
    demand_numbers,
    first_rows,
    lookup,
    number_digest,
    number_rows,
    record_starts,
)
from shoal.errors import VerificationError
from shoal.verify import RowDigest


def _shards(seed: int, n_shards: int = 5) -> list[pl.DataFrame]:
    """Shards of rows in order, with the numbers of classes and buckets within them."""
    draw = np.random.default_rng(seed)
    found = []
    for shard in range(n_shards):
        n = int(draw.integers(1, 60))
        keys = np.sort(draw.integers(0, 2**64, n, dtype=np.uint64, endpoint=False))
        # Some rows have equal keys: their place decides.
        keys[1::7] = keys[0::7][: len(keys[1::7])]
        found.append(
            pl.DataFrame(
                {
                    "content": np.sort(keys), "input": np.zeros(n, np.uint64),
                    "place": np.arange(n, dtype=np.uint32),
                    "shard": np.full(n, shard, np.uint32),
                    "g": _as_they_appear(draw.integers(1, 6, n)),
                    "b0": _as_they_appear(draw.integers(0, 9, n)),
                }
            )
        )  # fmt: skip
    return found


def _as_they_appear(groups: np.ndarray) -> np.ndarray:
    numbers: dict[int, int] = {0: 0}
    return np.array([numbers.setdefault(g, len(numbers)) for g in groups.tolist()], np.uint32)


def _rows(folder: Path, shards: list[pl.DataFrame]) -> FileRows:
    return write_batches(RunFolder(folder, LocalEngine().map, count()), iter(shards))


@pytest.mark.parametrize("n_rows", [7, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_are_those_of_all_rows_in_order(seed: int, n_rows: int, tmp_path: Path) -> None:
    shards = _shards(seed)
    n_groups = [sum(int(s[c].max()) for s in shards) for c in ("g", "b0")]  # type: ignore[arg-type]
    numbers = number_rows(_rows(tmp_path, shards), ("g", "b0"), n_groups, n_rows)
    found = pl.concat(numbers.batches())
    everything = pl.concat(shards).sort("content", "input", "place")
    for kind, column in enumerate(("g", "b0")):
        expected: dict[tuple[int, int], int] = {}
        for shard, own in everything.select("shard", column).rows():
            if own:
                expected.setdefault((shard, own), len(expected) + 1)
        own = found.filter(kind=kind).select("shard", "own", "number")
        assert {(s, o): n for s, o, n in own.rows()} == expected
        digests = [number_digest(own.filter(shard=s)["number"].to_numpy()) for s in range(5)]
        demand_numbers([sum(digests, RowDigest())], [n_groups[kind]])


def test_records_count_on_from_batch_to_batch(tmp_path: Path) -> None:
    rows = _rows(tmp_path, _shards(1))
    n = sum(b.height for b in rows.batches())
    starts, bits = record_starts(rows, n, 20)
    before = 0
    for batch in rows.sort(("content", "input", "place"), 20).batches():
        place = set(batch_of(batch, bits).tolist())
        assert len(place) == 1
        assert starts[place.pop()] == before
        before += batch.height
    assert before == n
    assert count_batches(0, next(rows.batches())).tolist() == [next(rows.batches()).height]


def test_numbers_in_another_order_are_refused() -> None:
    numbers = pl.DataFrame({"kind": [0, 0, 1], "own": [1, 2, 1], "number": [4, 9, 3]})
    assert lookup(numbers, 0).tolist() == [0, 4, 9]
    for change in ({"number": [9, 4, 3]}, {"own": [1, 3, 1]}, {"number": [4, 4, 3]}):
        with pytest.raises(VerificationError, match="not those that were verified"):
            lookup(numbers.with_columns(**{k: pl.Series(v) for k, v in change.items()}), 0)


@pytest.mark.parametrize("numbers", [[1, 2], [1, 2, 2], [1, 2, 4], [1, 2, 3, 3]])
def test_numbers_that_are_twice_or_missing_are_refused(numbers: list[int]) -> None:
    demand_numbers([number_digest(np.array([3, 1, 2]))], [3])
    with pytest.raises(VerificationError, match="under one number"):
        demand_numbers([number_digest(np.array(numbers))], [3])


def test_notes_of_shards_add_up() -> None:
    one = FinalNote(RowDigest(1, 2, 3), (RowDigest(4, 5, 6),), (RowDigest(7, 8, 9),))
    assert one + one == FinalNote(
        RowDigest(2, 4, 6), (RowDigest(8, 10, 12),), (RowDigest(14, 16, 18),)
    )


def test_a_shard_without_groups_has_no_first_rows() -> None:
    shard = _shards(1)[0].with_columns(b0=pl.lit(0, pl.UInt32))
    found = first_rows(("g", "b0"), shard)
    assert set(found["kind"]) == {0}
    assert found.height == shard["g"].n_unique()
