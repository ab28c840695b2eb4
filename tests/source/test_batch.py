"""Batches say what the whole file says, right or wrong."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import DataError
from shoal.source import open_batches, read


def _frame(n: int = 500) -> pl.DataFrame:
    return pl.DataFrame(
        {"a": [str(i % 7) for i in range(n)], "b": [f'x,"{i}"' for i in range(n)], "c": [""] * n}
    )


def _all(path: Path | str, n_rows: int = 120) -> pl.DataFrame:
    found = open_batches(path, n_rows=n_rows)
    assert found is not None
    return pl.concat(list(found()))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_batches_are_the_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{suffix}"
    _frame().write_csv(path) if suffix == "csv" else _frame().write_parquet(path)
    assert _all(path).equals(read(path))
    assert _all(path).equals(_all(path, 10_000))


def test_parts_follow_each_other(tmp_path: Path) -> None:
    for i, part in enumerate(_frame().iter_slices(200)):
        part.write_parquet(tmp_path / f"p{i}.parquet")
    assert _all(str(tmp_path / "p*.parquet")).equals(read(str(tmp_path / "p*.parquet")))


@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n", "\r\n\r\n"])
def test_blank_lines_at_the_end_are_no_rows(tail: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"\n".join(b"%d,x" % i for i in range(300)) + tail.encode())
    assert _all(path, 50).equals(read(path))


@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2\n3\n4,5\n", "a,b\n1,2\n3,4,5\n", 'a,b\n1,2\n3,"4\n', "a,b\n", "a,b\n1,2\0\n"],
)
def test_what_is_wrong_is_said_alike(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(DataError) as whole:
        read(path)
    with pytest.raises(DataError) as parts:
        _all(path)
    assert str(parts.value) == str(whole.value)


def test_some_sources_can_only_be_read_whole(tmp_path: Path) -> None:
    _frame().write_parquet(tmp_path / "a.parquet")
    _frame().with_columns(a=pl.col("a").cast(pl.Int64)).write_parquet(tmp_path / "b.parquet")
    assert open_batches(str(tmp_path / "*.parquet"), n_rows=9) is None
    assert open_batches(_frame(), n_rows=9) is None
    _frame().write_csv(tmp_path / "t.csv")
    assert open_batches(tmp_path / "t.csv", encoding="latin-1", n_rows=9) is None
