"""Reading a user's table, robustly.

A source is a path, a glob of parts, a tuple of these, or a table in memory (polars, pandas,
pyarrow). What comes back is one polars frame with unique, non-empty names and at least one row, in
which a missing value is null whatever it was before: an empty cell or text, NaN, NaT or None.

Text files (csv, tsv, txt, also gzipped) are read as text and nothing else: `NO`, `null`, `NA` and
`007` stay what they are, blanks around values too; only names lose the blanks around them. Other
sources keep numbers, booleans, dates and times of a date; everything else that is flat becomes
text, and what is nested is refused.

Errors name columns, lines and counts, never a cell. Errors of the libraries underneath may quote
cells, so none of them is passed on.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError
from shoal.source import memory, part
from shoal.source.location import locate

__all__ = ["columns", "read"]


def read(source: Any, *, base: Path | None = None, sheet: str | None = None) -> pl.DataFrame:
    """Read the whole table.

    Relative paths start at `base` (the working folder when left out). `sheet` names the sheet of
    an xlsx file; the first one when left out. The source is never modified.

    >>> read(pl.DataFrame({"age": [34, 51], "town": ["Ulm", ""]})).rows()
    [(34, 'Ulm'), (51, None)]
    """
    if isinstance(source, str | Path):
        return part.read(locate(source, base), str(source), sheet)
    if isinstance(source, tuple):
        _refuse_no_paths(source)
        found = [location for path in source for location in locate(path, base)]
        return part.read(found, ", ".join(map(str, source)), sheet)
    _refuse_sheet(sheet)
    return memory.read(source)


def _refuse_no_paths(sources: tuple[Any, ...]) -> None:
    if not sources or not all(isinstance(source, str | Path) for source in sources):
        raise DataError(
            "A list of sources must hold at least one path, and nothing but paths.",
            "Hand records over as a polars or pandas table.",
        )


def columns(source: Any, base: Path | None = None, *, sheet: str | None = None) -> tuple[str, ...]:
    """The names of the columns, without reading the rows.

    >>> columns(pl.DataFrame({"age": [34], "town": ["Ulm"]}))
    ('age', 'town')
    """
    if isinstance(source, str | Path):
        return part.columns(locate(source, base), sheet)
    if isinstance(source, tuple):
        return part.columns([at for path in source for at in locate(path, base)], sheet)
    _refuse_sheet(sheet)
    return memory.columns(source)


def _refuse_sheet(sheet: str | None) -> None:
    if sheet is not None:
        raise DataError("The 'sheet' parameter applies to xlsx files, not to a table in memory.")
