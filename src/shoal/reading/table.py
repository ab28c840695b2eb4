"""Written tables, read back unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.delimited import Part, open_csv

_ROWS = 1 << 18


def read_table(path: Path) -> pl.DataFrame:
    """A written table: all text, un-escaped and with null for empty from CSV; parquet as stored."""
    if path.suffix == ".parquet":
        return pl.concat([part.frame for part in parquet_parts(path)])
    file = open_csv(path)
    empty = pl.DataFrame(schema=dict.fromkeys(file.header, pl.String))
    return pl.concat([empty, *(part.frame for part in file.parts)])


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, OSError):
        raise VerificationError(Problem("The file cannot be read as a table.", path.name)) from None


def parquet_schema(path: Path) -> dict[str, pl.DataType]:
    """The columns of a parquet file and their types."""
    with _readable(path):
        return dict(pl.read_parquet_schema(path))


def parquet_parts(path: Path) -> Iterator[Part]:
    """The rows in parts; an empty table is one part without rows."""
    with _readable(path):
        lazy = pl.scan_parquet(path, glob=False)
        n_rows = lazy.select(pl.len()).collect().item()
        for start in range(0, max(n_rows, 1), _ROWS):
            yield Part(lazy.slice(start, _ROWS).collect(), 0)
