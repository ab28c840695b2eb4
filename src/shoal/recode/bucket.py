"""Buckets as they are published: fresh numbers, and values in an order that reveals nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import InfeasibleError
from shoal.recode.column import text_column
from shoal.table import Column, Domain, encode_column
from shoal.table.distinct import by_appearance

NONE = -1


@dataclass(frozen=True, eq=False)
class Entries:
    """Entries of buckets that belong to nobody: the bucket of each, and its value as text."""

    buckets: NDArray[np.int32]
    texts: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.buckets)

    def cells(self, name: str, dtype: pl.DataType) -> pl.Series:
        """The values as cells of the input."""
        return cells_of(name, self.texts, dtype)


def cells_of(name: str, texts: Sequence[str | None], dtype: pl.DataType) -> pl.Series:
    """Published values as cells of the input; raises InfeasibleError where they have no form."""
    cells = pl.Series(name, texts, dtype=pl.String)
    if dtype == pl.Boolean:
        return cells == "true"
    try:
        return cells.cast(dtype)
    except pl.exceptions.PolarsError:
        pass
    raise InfeasibleError(
        f"A counterfeit needs a value of {name!r} that nobody has any more, but it has no form in "
        "that column.",
        hint="Export the column as text, numbers or dates.",
    )


def number_buckets(of_row: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of the bucket of every published row, from 1 by first appearance; 0: none."""
    # NONE is -1, which is the last place: that of 0.
    return np.asarray(bucket_numbers(of_row, rows)[of_row[rows]])


def bucket_numbers(of_row: NDArray[np.int32], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The published number of every bucket, and at the end 0 for none."""
    buckets = of_row[rows]
    number = by_appearance(buckets[buckets != NONE], int(of_row.max(initial=NONE)) + 1)
    return np.append(number.astype(np.int64) + 1, 0)


def with_entries(
    column: Column,
    cells: pl.Series,
    numbers: NDArray[np.int64],
    rows: NDArray[np.int64],
    own: NDArray[np.int64],
    entries: Entries,
) -> tuple[Column, NDArray[np.int64], NDArray[np.int64]]:
    """What `bucket_table` is made of, with entries of nobody; `own` are their buckets."""
    more = entries.cells(cells.name, cells.dtype)
    whole = pl.concat([cells, more])
    added = np.arange(len(cells), len(whole))
    return (
        encode_column(whole, column.attribute),
        np.append(numbers, own),
        np.append(rows, added),
    )


def bucket_column(name: str, numbers: NDArray[np.int64]) -> pl.Series:
    """The column of bucket numbers of an attribute, empty where a cell has no bucket."""
    texts = [None, *map(str, range(1, int(numbers.max(initial=0)) + 1))]
    return text_column(f"{name}_BID", texts, numbers)


def in_buckets(
    column: Column, numbers: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places with a bucket by number then place, and by number then value.

    So the i-th of the first shows, or counts as, the value of the i-th of the second.
    """
    places = np.flatnonzero(numbers)
    by_place = places[np.argsort(numbers[places], kind="stable")]
    rank = text_rank(column.domain)[column.codes[rows[places]]]
    by_value = places[np.lexsort([rank, numbers[places]])]
    return by_place, by_value


def text_rank(domain: Domain) -> NDArray[np.int64]:
    """The place of each code among all: by number, else by text; missing last."""
    order = (
        domain.natural if domain.numbers is not None
        else np.array(sorted(range(len(domain)), key=lambda c: (domain.texts[c] is None,
                                                                domain.texts[c] or "")))
    )  # fmt: skip
    rank = np.empty(len(domain), dtype=np.int64)
    rank[order] = np.arange(len(domain))
    return rank


def bucket_table(
    column: Column, numbers: NDArray[np.int64], rows: NDArray[np.int64]
) -> pl.DataFrame:
    """The table of an attribute's buckets, as text: BID and value."""
    _, places = in_buckets(column, numbers, rows)
    bids = bucket_column("", numbers[places]).rename("BID")
    return pl.DataFrame([bids, bucket_values(column.domain, column.codes[rows[places]])])


def bucket_values(domain: Domain, codes: NDArray[Any]) -> pl.Series:
    """What buckets show of cells with these codes.

    As text, like all that is published: the type of the input may be due to cells that are not
    shown, such as a fraction under a range.
    """
    return text_column("value", domain.texts, codes)
