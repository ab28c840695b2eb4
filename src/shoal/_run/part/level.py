"""Multi-level-k over shards: classes of several shards that look alike are one crowd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.model import MultiLevelK
from shoal.release.crowd import hash_descriptions
from shoal.schema import LevelReach, Requirement, Role, Schema, Verdict
from shoal.verify import required_k


@dataclass(frozen=True)
class Crowds:
    """How many published rows look alike, by the k that they require: `vector`, `k` and `n`.

    `requirement` is the text of the one that they require it by.
    """

    requirement: str
    rows: pl.DataFrame

    @classmethod
    def of(
        cls, data: pl.DataFrame, schema: Schema, requirement: Requirement, f: NDArray[np.float64]
    ) -> Crowds:
        """Of a published table whose rows have these sensitivities."""
        vector = hash_descriptions(data, schema.quasi)
        rows = pl.DataFrame({"vector": vector, "k": required_k(requirement, f)})
        counted = rows.group_by("vector", "k").agg(pl.len().cast(pl.Int64).alias("n"))
        return cls(str(requirement), counted)

    def merge(self, other: Crowds) -> Crowds:
        """Those of both."""
        both = pl.concat([self.rows, other.rows]).group_by("vector", "k").agg(pl.col("n").sum())
        return replace(self, rows=both)

    def settle(self, verdict: Verdict) -> Verdict:
        """The verdict on all rows, by the crowds that they are in."""
        sized = self.rows.with_columns(pl.col("n").sum().over("vector").alias("size"))
        below = pl.col("n").filter(pl.col("size") < pl.col("k")).sum()
        reached = pl.col("size").min()
        levels = sized.group_by("k").agg(n=pl.col("n").sum(), crowd=reached, below=below)
        found = tuple(LevelReach(*level) for level in levels.sort("k", descending=True).iter_rows())
        n_below = sum(level.below for level in found)
        return replace(
            verdict,
            holds=n_below == 0,
            asked={"k": found[0].k},
            reached={"k": found[0].crowd, "rows below": n_below},
            levels=found,
            worst_class=None,
            offending=(),
        )


def crowds_of(
    data: pl.DataFrame,
    schema: Schema,
    requirements: Sequence[Requirement],
    given: pl.DataFrame,
) -> tuple[Crowds, ...]:
    """The crowds of every multi-level-k; `given` are the original rows of the published ones."""
    own = [r for r in requirements if r.model == MultiLevelK.name]
    if not own:
        return ()
    (f,) = (given[a.name].cast(pl.String).cast(pl.Float64) for a in schema.of(Role.SENSITIVITY))
    return tuple(Crowds.of(data, schema, r, f.to_numpy()) for r in own)


def settle_crowds(verdicts: Sequence[Verdict], crowds: Sequence[Crowds]) -> tuple[Verdict, ...]:
    """The verdicts on the whole, where shards may publish rows that look alike."""
    known = {one.requirement: one for one in crowds if one.rows.height}
    return tuple(known[v.requirement].settle(v) if v.requirement in known else v for v in verdicts)
