"""What the buckets of a release hold, as published: the one side of what later versions compare."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal.release.ledger import Held
from shoal.verify import Published


def held_in_buckets(published: Published) -> dict[str, Held]:
    """By attribute the bucket of every input row (-1: none), and buckets with their values.

    Entries that belong to nobody are among the values.
    """
    found: dict[str, Held] = {}
    for attribute in published.schema.secret:
        name = attribute.name
        if f"{name}_BID" not in published.data.columns:
            continue
        of_row = np.full(published.original.height, -1, dtype=np.int64)
        numbers = published.data[f"{name}_BID"].cast(pl.String).cast(pl.Int64)
        of_row[published.origin] = numbers.fill_null(-1).to_numpy()
        listed = published.tables.get(f"buckets-{name}")
        if listed is None:
            inside = np.flatnonzero(of_row > 0)
            cells = published.original[name].gather(inside)
            found[name] = of_row, of_row[inside], cells.cast(pl.String)
        else:
            bids = listed["BID"].cast(pl.String).cast(pl.Int64).to_numpy()
            found[name] = of_row, bids, listed["value"].cast(pl.String)
    return found
