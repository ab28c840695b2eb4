"""People are numbered as they appear in the published order, wherever their rows are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from shoal._run.engine import LocalEngine
from shoal._run.engine.file import FileRows, RunFolder, write_batches
from shoal._run.part.person_number import FIRST, PersonNumbers, number_people, with_first_keys
from shoal.errors import VerificationError
from shoal.recode import KEYS
from shoal.verify import RowDigest

_NAMES = ("Id_num", "ill")


def _shards(draw: np.random.Generator) -> list[pl.DataFrame]:
    """The published rows of some shards, each with people of its own."""
    found = []
    for number in range(3):
        n = int(draw.integers(1, 40))
        keys = pl.DataFrame({key: draw.integers(0, 2**64, n, dtype=np.uint64) for key in KEYS})
        keys = keys.sort(KEYS)
        person = draw.integers(0, 12, n)
        own = pl.DataFrame(
            {"p0": (person + (number << 32)).astype(np.uint64), "p1": draw.choice(list("abc"), n)}
        )
        found.append(pl.concat([with_first_keys(keys, person), own], how="horizontal"))
    return found


def _rows(folder: Path, shards: list[pl.DataFrame]) -> FileRows:
    folder.mkdir()
    return write_batches(RunFolder.in_folder(folder, LocalEngine().map), iter(shards))


def _others(shards: list[pl.DataFrame]) -> RowDigest:
    return RowDigest.of(pl.concat(shards).select(ill="p1"))


@pytest.mark.parametrize("n_rows", [5, 1000])
def test_numbers_follow_the_published_order(n_rows: int, tmp_path: Path) -> None:
    draw = np.random.default_rng(1)
    for case in range(8):
        shards = _shards(draw)
        rows, whole = _rows(tmp_path / f"{case}", shards), pl.concat(shards).sort(KEYS)
        found, numbers, digest = number_people(rows, _NAMES, whole.height, n_rows, _others(shards))
        made = pl.concat([numbers(batch) for batch in found.sort(KEYS, n_rows).batches()])
        seen = list(dict.fromkeys(whole["p0"].to_list()))
        assert made["p0"].to_list() == [str(seen.index(w) + 1) for w in whole["p0"]]
        assert made["p1"].equals(whole["p1"])
        assert digest == RowDigest.of(made.select(Id_num="p0", ill="p1"))


def test_rows_that_changed_on_the_way_are_noticed(tmp_path: Path) -> None:
    shards = _shards(np.random.default_rng(2))
    n = sum(s.height for s in shards)
    with pytest.raises(VerificationError, match="not those verified"):
        number_people(_rows(tmp_path / "a", shards), _NAMES, n, 10, _others(shards[1:]))


def test_a_number_for_two_people_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = _shards(np.random.default_rng(3))
    n, rows = sum(s.height for s in shards), _rows(tmp_path / "a", shards)
    monkeypatch.setattr(
        PersonNumbers, "__call__", lambda _, rows: rows.with_columns(p0=pl.lit("1"))
    )
    with pytest.raises(VerificationError, match="share their Id_num with another person"):
        number_people(rows, _NAMES, n, 1000, _others(shards))


def test_the_first_row_of_a_person_is_the_first_in_order() -> None:
    keys = pl.DataFrame({key: pl.Series([1, 2, 3, 4], dtype=pl.UInt64) for key in KEYS})
    found = with_first_keys(keys, np.array([7, 3, 7, 3]))
    assert found[FIRST[0]].to_list() == [1, 2, 1, 2]
