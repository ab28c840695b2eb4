from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.reading.table import parquet_parts, parquet_schema, read_table


def test_a_header_alone_is_a_table_without_rows(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"a,b\n")
    assert read_table(path).equals(pl.DataFrame(schema={"a": pl.String, "b": pl.String}))


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    table = pl.DataFrame({"a": ["x", None], "b": [1.5, 2.0]})
    table.write_parquet(path)
    assert read_table(path).equals(table)
    assert parquet_schema(path) == {"a": pl.String, "b": pl.Float64}
    table.clear().write_parquet(path)
    assert [part.frame.height for part in parquet_parts(path)] == [0]


@pytest.mark.parametrize("content", [b"", b"PAR1 no", None])
def test_what_is_no_parquet_is_named_without_its_content(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "data.parquet"
    if content is not None:
        path.write_bytes(content)
    for read in (read_table, parquet_schema):
        with pytest.raises(VerificationError, match=r"data\.parquet: The file cannot be read"):
            read(path)


def test_parts_must_be_alike(tmp_path: Path) -> None:
    parts = tmp_path / "data.parquet"
    parts.mkdir()
    with pytest.raises(VerificationError, match="The parts of the table must be alike"):
        read_table(parts)
    pl.DataFrame({"a": ["x"]}).write_parquet(parts / "0.parquet")
    pl.DataFrame({"a": [1]}).write_parquet(parts / "1.parquet")
    with pytest.raises(VerificationError, match=r"data\.parquet: The parts of the table must"):
        read_table(parts)
