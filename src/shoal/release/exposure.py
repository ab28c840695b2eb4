"""Columns in the open: published unchanged in the row of their person."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import polars as pl

from shoal.recode import hash_columns
from shoal.table import Table

# With fewer combinations of values than this, counting is cheaper than hashing.
_FEW = 1 << 24


def share_singled_out(names: Sequence[str], frame: pl.DataFrame, table: Table) -> float:
    """The share of rows that these columns single out together.

    Whoever knows the columns from elsewhere needs no quasi-identifier to find such a row.
    """
    if not names:
        return 0.0
    columns = [table.columns.get(name) for name in names]
    if prod(len(c.domain) if c is not None else _FEW for c in columns) < _FEW:
        keys = np.zeros(table.n_rows, dtype=np.int64)
        for column in columns:
            assert column is not None
            keys = keys * len(column.domain) + column.codes
        counts = np.bincount(keys)
    else:
        _, counts = np.unique(hash_columns(frame, list(names)), return_counts=True)
    return float(np.count_nonzero(counts == 1) / table.n_rows)
