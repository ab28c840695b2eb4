"""What deserves a second look in a release that holds."""

from __future__ import annotations

from math import prod

import numpy as np
import polars as pl

from shoal.recode import hash_columns
from shoal.release.release import Release
from shoal.schema import Role
from shoal.table import Table

_ROOM = 1 << 24
_MANY = 0.1
_LITTLE_LEFT = 0.8


def singled_out(release: Release, frame: pl.DataFrame, table: Table) -> float:
    """The share of rows that the columns published as they are single out together.

    Whoever knows these columns from elsewhere needs no quasi-identifier to find such a row.
    """
    names = _in_the_open(release)
    if not names:
        return 0.0
    columns = [table.columns.get(name) for name in names]
    room = prod(len(c.domain) if c is not None else _ROOM for c in columns)
    if room < _ROOM:
        keys = np.zeros(table.n_rows, dtype=np.int64)
        for column in columns:
            assert column is not None
            keys = keys * len(column.domain) + column.codes
        counts = np.bincount(keys)
    else:
        _, counts = np.unique(hash_columns(frame, names), return_counts=True)
    return float(np.count_nonzero(counts == 1) / table.n_rows)


def _in_the_open(release: Release) -> list[str]:
    """What stands in the row of its person as it was: not in buckets, symbols or another table."""
    sensitive = (Role.SENSITIVE,) if release.form == "plain" else ()
    chosen = release.schema.of(Role.INSENSITIVE, *sensitive)
    return [a.name for a in chosen if a.name not in release.symbols]


def warnings_of(release: Release, frame: pl.DataFrame) -> tuple[str, ...]:
    """In words, the gravest first."""
    found = []
    if release.replaced:
        cells = ", ".join(f"{n:,} of '{name}'" for name, n in release.replaced.items())
        found.append(
            "Cells were replaced so that every person has one value, and now say something else "
            f"than the input: {cells}. The report says so too."
        )
    found += _revealing(release, frame)
    if release.measures["glm"] > _LITTLE_LEFT:
        found.append(
            f"Hardly anything is left: {release.measures['glm']:.0%} of the detail of the "
            "quasi-identifiers is lost."
        )
    return tuple(found)


def _revealing(release: Release, frame: pl.DataFrame) -> list[str]:
    found = []
    for attribute in release.schema.of(Role.INSENSITIVE):
        cells = frame[attribute.name]
        alone = int(cells.is_unique().sum()) / frame.height
        if alone > _MANY:
            found.append(
                f"The insensitive column '{attribute.name}' is published as it is, and has a value "
                f"of its own in {alone:.0%} of the rows: whoever knows it finds the row."
            )
    names = _in_the_open(release)
    if release.singled_out > _MANY:
        found.append(
            f"The {len(names)} columns that are published as they are differ together in "
            f"{release.singled_out:.0%} of the rows: whoever knows them from elsewhere finds the "
            "row, however large its class is."
        )
    return found
