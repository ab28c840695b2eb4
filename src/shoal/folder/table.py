"""Writing one table to one file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import polars as pl
from polars.selectors import by_name

from shoal.folder.escape import escape_table


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV, escaped, or as parquet, unchanged; raises OSError if the disk fails."""
    with disk_errors():
        if path.suffix == ".parquet":
            coded = [name for name, dtype in table.schema.items() if _coded(dtype)]
            table.lazy().with_columns(by_name(coded).cast(pl.String)).sink_parquet(
                path, compression="zstd"
            )
        else:
            # A missing cell of a lone column would be a blank line, which readers skip.
            quote: Literal["always"] | None = "always" if table.width == 1 else None
            escape_table(table).write_csv(path, quote_style=quote)


def _coded(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.Enum)


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
