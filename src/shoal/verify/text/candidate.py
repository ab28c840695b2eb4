"""People with several rows: what may describe them, and which records are theirs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice, product

import numpy as np
import polars as pl

from shoal.reading.encoding import Codes, Integers

# Ties between commonest values that are followed for one person: seven attributes with four equally
# common values each have more.
_TIES = 4096


def candidate_rows(
    columns: Sequence[Codes], who: Codes, conflict: str
) -> tuple[list[Integers], Codes, bool]:
    """Candidates for the description of each person: for every attribute a row that has the value.

    `columns` are the values of each attribute, equal where they count as equal. One row is enough
    where all rows of a person agree; where the first was taken, any may be it; where the commonest
    value was taken, any of the commonest. Also returns whose each candidate is, and whether these
    are all: of very many ties only some are followed.
    """
    if conflict == "mode":
        return _commonest(columns, who)
    names = [] if conflict == "error" else [str(i) for i in range(len(columns))]
    keys = pl.DataFrame({"who": who, **{name: columns[int(name)] for name in names}})
    rows = keys.select(pl.int_range(pl.len()).alias("row"), pl.all())
    first = rows.unique(["who", *names], keep="first", maintain_order=True)
    chosen = first["row"].to_numpy().astype(np.int64)
    return [chosen] * len(columns), first["who"].to_numpy().astype(np.int32), True


def _commonest(columns: Sequence[Codes], who: Codes) -> tuple[list[Integers], Codes, bool]:
    n_people = int(who.max(initial=-1)) + 1
    modes: list[list[list[int]]] = []
    for codes in columns:
        counted = (
            pl.DataFrame({"who": who, "value": codes, "row": np.arange(len(who))})
            .group_by("who", "value")
            .agg(pl.len().alias("n"), pl.col("row").first())
            .filter(pl.col("n") == pl.col("n").max().over("who"))
            .group_by("who")
            .agg("row")
            .sort("who")
        )
        modes.append(counted["row"].to_list())
    rows: list[tuple[int, ...]] = []
    owner: list[int] = []
    are_all = True
    for person in range(n_people):
        ties = [mode[person] for mode in modes]
        several = list(islice(product(*ties), _TIES))
        rows += several
        owner += [person] * len(several)
        are_all &= len(several) == math.prod(map(len, ties))
    table = np.array(rows, dtype=np.int64).reshape(len(rows), len(columns))
    return [table[:, i] for i in range(len(columns))], np.array(owner, dtype=np.int32), are_all


def record_sets(owners: Codes, records: Codes) -> Codes:
    """For every owner 0, 1, … a code that two have in common where their records are the same.

    >>> a, b, c = record_sets(np.array([0, 0, 1, 1, 1, 2]), np.array([4, 7, 7, 4, 4, 4]))
    >>> bool(a == b), bool(a == c)
    (True, False)
    """
    pairs = pl.DataFrame({"owner": owners, "record": records.astype(np.int64)}).unique()
    texts = (
        pairs.sort("record")
        .group_by("owner")
        .agg(pl.col("record").cast(pl.String))
        .sort("owner")
        # The blank keeps 1 and 10 apart from 110.
        .select(pl.col("record").list.join(" "))
        .to_series()
    )
    return texts.rank("dense").to_numpy().astype(np.int32) - 1
