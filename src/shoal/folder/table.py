"""Writing one table to one file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import polars as pl

from shoal.folder.escape import escape_table

# Rows of a row group, about.
_GROUP = 122_880


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV, escaped, or as parquet, unchanged; raises OSError if the disk fails."""
    with disk_errors():
        if path.suffix == ".parquet":
            # Plain text takes 16 bytes a cell: only a few row groups at a time become that.
            text = pl.col(pl.Enum).cast(pl.String)
            groups = [group.lazy().with_columns(text) for group in _row_groups(table)]
            pl.concat(groups).sink_parquet(path, compression="zstd")
        else:
            # A missing cell of a lone column would be a blank line, which readers skip.
            quote: Literal["always"] | None = "always" if table.width == 1 else None
            escape_table(table).write_csv(path, quote_style=quote)


def _row_groups(table: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The rows in groups of nearly the same size, as polars cuts a table that it writes at once."""
    n_groups = max((table.height + _GROUP // 2) // _GROUP, 1)
    size, n_longer = divmod(table.height, n_groups)
    start = 0
    for group in range(n_groups):
        end = start + size + (group < n_longer)
        yield table[start:end]
        start = end


@contextmanager
def disk_errors() -> Iterator[None]:
    """Keep only the number of the system's error, since the library's text may quote a cell."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        found = re.search(r"\(os error (\d+)\)", str(error))
        if isinstance(error, OSError) and (error.errno is not None or found is None):
            raise
        if found is None:
            raise OSError("a table could not be written") from None
        raise OSError(int(found[1]), os.strerror(int(found[1]))) from None
