"""Digests of rows of text: of equal rows equal, in every process and whatever the order."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import polars as pl
from numpy.typing import NDArray

# Digits that say more than the double they read as: zeros in front, or more than it can hold.
_DIGITS = r"\A[+-]?(?:0\d|\d{16,}\z)"
# The multiplier of splitmix64 is odd, so that no two sums become one; the shift lets high bits
# change low ones. Both make the order of the columns count.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_TURN = np.uint64(29)


def hash_rows(
    columns: Iterable[pl.Series], n_rows: int, seed: int = 0, *, numbers: bool = True
) -> NDArray[np.uint64]:
    """A hash of every row as text; empty text is null.

    `numbers`: text that is a number counts as its value, however it is written.

    >>> rows = pl.DataFrame({"a": ["7", "7.0", "x", ""], "b": ["1", "1", None, None]})
    >>> [len(set(hash_rows(rows[:n], n).tolist())) for n in (2, 4)]
    [1, 3]
    """
    sums = np.full(n_rows, seed * int(_STEP) % 2**64, dtype=np.uint64)
    for column in columns:
        sums = (sums ^ (sums >> _TURN)) * _STEP + _hash_column(column, seed, numbers)
    return sums ^ (sums >> _TURN)


def in_dictionary(column: pl.Series) -> pl.Series:
    """The same column, text as a dictionary: each of its texts is then hashed once."""
    return column.cast(pl.Categorical) if column.dtype == pl.String else column


def _hash_column(column: pl.Series, seed: int, numbers: bool) -> NDArray[np.uint64]:
    if isinstance(column.dtype, pl.Enum | pl.Categorical):
        # A dictionary is hashed once, whatever the number of rows.
        if isinstance(column.dtype, pl.Enum):
            texts, places = column.dtype.categories, np.arange(len(column.dtype.categories))
        else:
            present = column.unique()
            texts, places = present.cast(pl.String), present.to_physical().fill_null(0).to_numpy()
        table = np.zeros(int(places.max(initial=0)) + 1, dtype=np.uint64)
        hashes = _hash_texts(texts, seed, numbers)
        known = texts.is_not_null().to_numpy()
        table[places[known]] = hashes[known]
        found: NDArray[np.uint64] = table[column.to_physical().fill_null(0).to_numpy()]
        if column.null_count():
            nothing = _hash_texts(pl.Series([None], dtype=pl.String), seed, numbers)
            found[column.is_null().to_numpy()] = nothing
        return found
    return _hash_texts(column.cast(pl.String), seed, numbers)


def _hash_texts(texts: pl.Series, seed: int, numbers: bool) -> NDArray[np.uint64]:
    if not numbers:
        return texts.fill_null("").hash(seed).to_numpy()
    cell = pl.col("cell")
    number = cell.cast(pl.Float64, strict=False)
    plain = number.is_finite() & ~cell.str.contains(_DIGITS)
    # Text and numbers apart: `7` and `7.0` are one number, `007` is none.
    text = (
        pl.when(plain.fill_null(False)).then(number.cast(pl.String)).otherwise(cell.fill_null(""))
    )
    return texts.alias("cell").to_frame().select(text.hash(seed)).to_series().to_numpy()
