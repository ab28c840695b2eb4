"""Reading a user's table, robustly.

A source is a path, a glob of parts, a tuple of these, a table of a database, or a table in memory
(polars, pandas, pyarrow). The result is one polars frame with unique, non-empty names and at least
one row, in which a missing value is null whatever it was before: an empty cell or text, NaN, NaT or
None.

Text files (csv, tsv, txt, also gzipped) are read as text and nothing else: `NO`, `null`, `NA` and
`007` stay what they are, and so do blanks around values; only names lose the blanks around them.
Other sources keep numbers, booleans, dates and datetimes; everything else that is flat becomes
text, and what is nested is refused.

Errors name columns, lines and counts, never a cell. Errors of the libraries underneath may quote
cells, so none of them is passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from shoal.errors import DataError
from shoal.source import batch, database, memory, part
from shoal.source.database import Database
from shoal.source.location import Location, locate

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = [
    "AnyTable",
    "Database",
    "columns",
    "has_types",
    "open_batches",
    "open_pieces",
    "read",
]

# A text, since pandas and pyarrow are not imported where nobody has a table of theirs.
AnyTable: TypeAlias = (
    "pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | pa.RecordBatch | pa.RecordBatchReader"
    " | str | Path | tuple[str | Path, ...]"
)


def read(source: Any, *, base: Path | None = None, encoding: str | None = None) -> pl.DataFrame:
    """Read the whole table.

    Relative paths start at `base` (the working folder when left out). `encoding` is that of text
    files (UTF-8 when left out) and of statistics packages; a table in memory has none. Of an xlsx
    file the first sheet is read. The source is never modified.

    >>> read(pl.DataFrame({"age": [34, 51], "town": ["Ulm", ""]})).rows()
    [(34, 'Ulm'), (51, None)]
    """
    if isinstance(source, Database):
        return database.read(source, base)
    locations = _locations(source, base)
    if locations is None:
        return memory.read(source)
    paths = source if isinstance(source, tuple) else (source,)
    locations = [replace(location, encoding=encoding) for location in locations]
    return part.read(locations, ", ".join(map(str, paths)))


def open_batches(
    source: Any, *, base: Path | None = None, encoding: str | None = None, n_rows: int
) -> Callable[[], Iterator[pl.DataFrame]] | None:
    """What reads the rows of `read` in batches, again at every call; None where they can only be
    read at once: a table in memory, a database, packed or encoded text, workbooks, and parts whose
    types differ.
    """
    if isinstance(source, Database) or encoding is not None:
        return None
    locations = _locations(source, base)
    return None if locations is None else batch.open_batches(locations, n_rows)


def open_pieces(
    source: Any, *, base: Path | None = None, encoding: str | None = None, n_rows: int
) -> list[Callable[[], Iterator[pl.DataFrame]]] | None:
    """The same as functions that each read some of the rows, by themselves."""
    if isinstance(source, Database) or encoding is not None:
        return None
    locations = _locations(source, base)
    return None if locations is None else batch.open_pieces(locations, n_rows)


def columns(source: Any, base: Path | None = None) -> tuple[str, ...]:
    """The names of the columns, without reading the rows.

    >>> columns(pl.DataFrame({"age": [34], "town": ["Ulm"]}))
    ('age', 'town')
    """
    if isinstance(source, Database):
        return database.columns(source, base)
    locations = _locations(source, base)
    return memory.columns(source) if locations is None else part.columns(locations)


def has_types(source: Any, base: Path | None = None) -> bool:
    """Whether a source says of what type its columns are; text files do not.

    >>> has_types(pl.DataFrame({"age": [34]}))
    True
    """
    locations = _locations(source, base)
    return locations is None or all(location.format != "text" for location in locations)


def _locations(source: Any, base: Path | None) -> list[Location] | None:
    """The files that a source names, or None for a table in memory."""
    if isinstance(source, str | Path):
        return locate(source, base)
    if not isinstance(source, tuple):
        return None
    if not source or not all(isinstance(path, str | Path) for path in source):
        raise DataError(
            "A list of sources must contain at least one path, and only paths.",
            "Pass records as a polars or pandas table.",
        )
    return [location for path in source for location in locate(path, base)]
