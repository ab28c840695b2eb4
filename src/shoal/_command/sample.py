"""A sample of people, for rehearsals on large tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.table import Table


def sample_people(table: Table, most: int, seed: int = 0) -> NDArray[np.int64] | None:
    """All rows of as many people as have about `most` rows; None if the table has no more.

    >>> import polars as pl
    >>> from shoal.schema import Attribute, Role, Schema
    >>> from shoal.table import encode
    >>> schema = Schema((Attribute("age", Role.QUASI),))
    >>> table = encode(pl.DataFrame({"age": range(9)}), schema)
    >>> len(sample_people(table, 4)), sample_people(table, 9)
    (4, None)
    """
    if table.n_rows <= most:
        return None
    draw = np.random.default_rng(seed)
    n_units = max(1, most * table.n_units // table.n_rows)
    chosen = np.zeros(table.n_units, dtype=np.bool_)
    chosen[draw.choice(table.n_units, n_units, replace=False)] = True
    return np.flatnonzero(chosen[table.unit_of_row()])
