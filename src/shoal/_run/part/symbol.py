"""The symbols of sensitive cells in a shard, and what they give away of flagged ones.

What every cell shows follows from its flag and its class. What symbols give away is a matter of the
whole release: counts of values by symbol add up over shards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import highest
from shoal.method import Display
from shoal.recode import Concealed, Showing, show_sensitive
from shoal.table import Table
from shoal.table.partition import Partition

_CELL = ("symbol", "code")


@dataclass(frozen=True)
class Shown:
    """How sensitive attributes are shown, and the counts of their cells by symbol and value.

    `counts` has, for each attribute, `n` cells of a symbol and a code, `flagged` of them flagged.
    """

    how: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    def merge(self, other: Shown) -> Shown:
        """Those of two shards."""
        both = {
            name: pl.concat([own, other.counts[name]])
            .group_by(_CELL)
            .agg(pl.col("n", "flagged").sum())
            for name, own in self.counts.items()
        }
        return Shown(self.how, both)

    def worst(self) -> dict[str, float]:
        """The chance by which the best guess at a flagged cell is right at worst, by attribute.

        The share of the commonest value among the cells of a symbol, over the symbols that a
        flagged cell shows.
        """
        found = {}
        for name, own in self.counts.items():
            each = own.group_by("symbol").agg(
                (pl.col("n").max() / pl.col("n").sum()).alias("post"), pl.col("flagged").sum()
            )
            posts = each.filter(pl.col("flagged") > 0)["post"].to_numpy()
            found[name] = float(posts.max(initial=0.0))
        return found


def show_shard(
    table: Table, partition: Partition, display: Display, once: NDArray[np.bool_]
) -> tuple[Showing, Shown]:
    """What the sensitive cells of a shard show; `once` marks the rows that are published."""
    concealed = Concealed.nothing(table, partition, display)
    showing = show_sensitive(table, concealed, once)
    counts = {}
    for name, cells in showing.cells.items():
        rows = np.flatnonzero(cells.symbol >= 0)
        own = concealed.attributes[name]
        texts = pl.Series(list(cells.texts), dtype=pl.String)
        found = pl.DataFrame(
            {
                "symbol": texts.gather(cells.symbol[rows]),
                "code": own.column.codes[rows].astype(np.int64),
                "flagged": (own.flags[rows] > 0).astype(np.int64),
            }
        )
        counted = found.group_by(_CELL).agg(
            pl.len().cast(pl.Int64).alias("n"), pl.col("flagged").sum()
        )
        counts[name] = counted
    return showing, Shown(dict(showing.how), counts)


def with_highest_flags(table: Table, stands_for: NDArray[np.int64]) -> Table:
    """The same where rows of a person that are published as one ask for the highest of theirs."""
    return replace(table, flags={n: highest(own, stands_for) for n, own in table.flags.items()})
