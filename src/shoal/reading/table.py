"""Written tables, read back unchanged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.delimited import FilePart, open_csv

# Rows that are read at a time, so that memory does not grow with the file.
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


def parquet_files(path: Path) -> list[Path]:
    """A table's files in the order of its rows: one, or those of a folder, by their names."""
    if not path.is_dir():
        return [path]
    # Whoever opens a pipe may wait for ever.
    return sorted(file for file in path.glob("*.parquet") if file.is_file() or file.is_dir())


def parquet_schema(path: Path) -> dict[str, pl.DataType]:
    """The columns of a parquet table and their types; raises where its parts differ in them."""
    with _readable(path):
        schemas = [dict(pl.read_parquet_schema(file)) for file in parquet_files(path)]
    # The order of columns counts, which equal dictionaries need not share.
    if not schemas or any(list(s.items()) != list(schemas[0].items()) for s in schemas):
        raise VerificationError(Problem("The parts of the table must be alike.", path.name))
    return schemas[0]


def parquet_parts(path: Path) -> Iterator[FilePart]:
    """The rows in parts; an empty table is one part without rows."""
    parquet_schema(path)
    with _readable(path):
        for file in parquet_files(path):
            # A path may contain * or [, which are no pattern here.
            lazy = pl.scan_parquet(file, glob=False)
            n_rows = lazy.select(pl.len()).collect().item()
            for start in range(0, max(n_rows, 1), _ROWS):
                yield FilePart(lazy.slice(start, _ROWS).collect(), 0)
