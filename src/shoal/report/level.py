"""Releases with levels: who requires which k, who got it, at what cost, and who is left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from shoal.model import MultiLevelK
from shoal.release.outcome import Outcome
from shoal.schema import Requirement

# In the order in which they are shown.
_WORDS = {
    "POS": "above the upper threshold of level {}",
    "BND": "undecided at the last level",
    "NEG": "below the lower threshold of level {}",
}


@dataclass(frozen=True)
class LevelRow:
    """One k: how many require it, how many were released under it, and how high they climbed.

    `crowd` is the smallest group that somebody who requires it is published in, if anybody is.
    """

    k: int
    n_asked: int
    crowd: int | None
    n_released: int
    mean_level: float | None
    n_suppressed: int


@dataclass(frozen=True)
class RegionRow:
    """One region of the first decision, such as POS1, and how many of it are left out."""

    region: str
    meaning: str
    k: int
    n_people: int
    n_suppressed: int


@dataclass(frozen=True)
class LevelTables:
    """Both tables; `unit` is what is counted."""

    rows: tuple[LevelRow, ...]
    regions: tuple[RegionRow, ...]
    unit: str

    @property
    def n_suppressed(self) -> int:
        return sum(region.n_suppressed for region in self.regions)


def levels_of(release: Outcome) -> LevelTables | None:
    """The levels of a release, counted on its private rows; None where it has none."""
    requirement = next((r for r in release.requirements if r.model == MultiLevelK.name), None)
    if requirement is None or release.rows["region"].null_count() == release.rows.height:
        return None
    people = release.rows
    if release.schema.individual is not None:
        # All rows of a person ask for the same k and are in one class.
        people = people.unique("individual", keep="first", maintain_order=True)
    unit = "rows" if release.schema.individual is None else "people"
    asked = {region: _asked(region, requirement) for region in people["region"].unique()}
    marked = people.with_columns(
        pl.col("region").replace_strict(asked, return_dtype=pl.Int64).alias("asked"),
        pl.col("class").is_null().alias("lost"),
    )
    verdict = next(v for v in release.verdicts if v.requirement == str(requirement))
    crowds = {level.k: level.crowd for level in verdict.levels}
    return LevelTables(_by_k(marked, crowds), _by_region(marked), unit)


def _asked(region: str, requirement: Requirement) -> int:
    """The k of a region: HK of its level, LK where it is negative."""
    level: Any = requirement.parameters["levels"][int(region[3:]) - 1]
    pair = level["k"] if isinstance(level, dict) else level
    return int(pair[1] if region.startswith("NEG") else pair[0])


def _by_k(marked: pl.DataFrame, crowds: Mapping[int, int]) -> tuple[LevelRow, ...]:
    asked = marked.group_by(pl.col("asked").alias("number")).agg(
        pl.len().alias("n_asked"), pl.col("lost").sum().alias("n_lost")
    )
    kept = marked.filter(~pl.col("lost"))
    released = kept.group_by(pl.col("k").cast(pl.Int64).alias("number")).agg(
        pl.len().alias("n_released"), pl.col("level").mean().alias("mean")
    )
    both = asked.join(released, on="number", how="full", coalesce=True, nulls_equal=True)
    rows = both.sort("number", descending=True, nulls_last=True).iter_rows(named=True)
    return tuple(
        LevelRow(r["number"] or 0, r["n_asked"] or 0, crowds.get(r["number"]),
                 r["n_released"] or 0, r["mean"], r["n_lost"] or 0)
        for r in rows
    )  # fmt: skip


def _by_region(marked: pl.DataFrame) -> tuple[RegionRow, ...]:
    counted = marked.group_by("region", "asked").agg(
        pl.len().alias("n"), pl.col("lost").sum().alias("n_lost")
    )
    rows = [
        RegionRow(region, _WORDS[region[:3]].format(region[3:]), asked, n, n_lost)
        for region, asked, n, n_lost in counted.iter_rows()
    ]
    order = list(_WORDS)
    # Undecided people ask for the same k as those above the threshold: their kind breaks the tie.
    return tuple(
        sorted(rows, key=lambda row: (int(row.region[3:]), -row.k, order.index(row.region[:3])))
    )
