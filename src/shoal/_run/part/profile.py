"""The distinct cells of the columns that are coded: a fold over the rows as they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.plan import Plan
from shoal.schema import Role, Schema
from shoal.table.form import matched_entries

CODED = (Role.QUASI, Role.SENSITIVE, Role.SEMI_SENSITIVE)


def flag_columns(schema: Schema) -> tuple[str, ...]:
    """The columns that say which cells of semi-sensitive attributes are secret."""
    flags = (a.flag for a in schema.of(Role.SEMI_SENSITIVE) if a.flag is not None)
    return tuple(dict.fromkeys(flags))


def level_columns(schema: Schema) -> tuple[str, ...]:
    """The columns that say how high the cells of sensitive attributes are flagged."""
    flags = (a.flag for a in schema.of(Role.SENSITIVE) if a.flag is not None)
    return tuple(dict.fromkeys(flags))


@dataclass(frozen=True)
class CellProfile:
    """The different cells (`value`) of every column that is coded or has flags, and their counts.

    `matched` are, by column, the entries under `missing` that a cell of another column matches;
    `n_unread` how many sensitivities are not plainly numbers from 0 to 1. `settled` is how often
    each cell is left where people get one description each, by column.
    """

    n_rows: int
    types: Mapping[str, pl.DataType]
    cells: Mapping[str, pl.DataFrame]
    matched: Mapping[str, frozenset[str]]
    n_unread: int = 0
    settled: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    def merge(self, other: CellProfile) -> CellProfile:
        """The profile of the rows of both."""
        cells = {
            name: pl.concat([own, other.cells[name]]).group_by("value").agg(pl.col("n").sum())
            for name, own in self.cells.items()
        }
        matched = {name: own | other.matched[name] for name, own in self.matched.items()}
        n_unread = self.n_unread + other.n_unread
        return CellProfile(self.n_rows + other.n_rows, self.types, cells, matched, n_unread)

    def in_order(self) -> CellProfile:
        """The same with the cells of each column in the order of their values."""
        cells = {name: own.sort("value", nulls_last=True) for name, own in self.cells.items()}
        return replace(self, cells=cells)


@dataclass(frozen=True)
class Profiler:
    """The profile of a batch of rows as they are read."""

    plan: Plan

    def __call__(self, batch: pl.DataFrame) -> CellProfile:
        schema = self.plan.schema
        flags = (*flag_columns(schema), *level_columns(schema))
        coded = {*(a.name for a in schema.of(*CODED)), *flags}
        cells = {
            name: batch[name]
            .alias("value")
            .to_frame()
            .lazy()
            .group_by("value")
            .agg(pl.len().cast(pl.Int64).alias("n"))
            for name in coded
        }
        found = dict(zip(cells, pl.collect_all(list(cells.values())), strict=True))
        others = [a for a in schema.attributes if a.missing and a.name in batch.columns]
        matched = {
            a.name: frozenset(matched_entries(batch[a.name], a))
            for a in others
            if a.name not in coded
        }
        n_unread = sum(_unread(batch[a.name]) for a in schema.of(Role.SENSITIVITY))
        return CellProfile(batch.height, dict(batch.schema), found, matched, n_unread)


def _unread(cells: pl.Series) -> int:
    """How many cells are not plainly numbers from 0 to 1."""
    fine = cells.cast(pl.String).cast(pl.Float64, strict=False).is_between(0, 1)
    return len(cells) - int(fine.fill_null(False).sum())
