"""Columns as codes: whole tables are checked through their distinct cells.

Nothing here knows what a cell means. A code is a position in a list of distinct cells, so that two
rows have equal codes exactly where they have equal cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

Integers: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int32]
Floats: TypeAlias = NDArray[np.float64]
Flags: TypeAlias = NDArray[np.bool_]

# A table is used for spans of up to 16 places a key, and a few more, but never of more than 2**24.
_ROOMY, _FEW = 16, 1 << 16
_SMALL_SPAN = 1 << 24
# Keys of combined columns stay below it, so that they fit into 64 bits.
_CODE_LIMIT = 2**62
# Rows that are looked at together: bounds the memory of one step.
_CHUNK = 1 << 20
# Those that fit into 64 bits with a sign.
_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)


@dataclass(frozen=True)
class Coded:
    """A column of text as codes into its distinct cells.

    `texts` holds the distinct cells that are not null; the code of null is `len(texts)`, whether
    or not the column has one.
    """

    codes: Codes
    texts: pl.Series

    @property
    def n_codes(self) -> int:
        return len(self.texts) + 1

    @property
    def null(self) -> int:
        return len(self.texts)


def is_text(series: pl.Series) -> bool:
    """Whether a column holds text, plainly or through a dictionary."""
    return series.dtype == pl.String or isinstance(series.dtype, (pl.Enum, pl.Categorical))


def has_text_form(series: pl.Series) -> bool:
    """Whether every cell of a column can be written as text; lists and bytes cannot.

    Nor can lengths of time, which polars does not turn into text.
    """
    return not (series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object, pl.Duration))


def encode_text(series: pl.Series) -> Coded:
    """The codes of a column's text form; the codes follow no particular order.

    >>> coded = encode_text(pl.Series(["b", None, "b"]))
    >>> coded.codes.tolist(), coded.texts.to_list()
    ([0, 1, 0], ['b'])
    """
    if series.len() == 0:
        return Coded(np.empty(0, np.int32), pl.Series([], dtype=pl.String))
    if series.dtype in _INTEGERS and not series.null_count():
        codes, distinct_keys = dense_codes(series.to_numpy())
        return Coded(codes, pl.Series(distinct_keys).cast(pl.String))
    if not isinstance(series.dtype, (pl.Enum, pl.Categorical)):
        # In the common dictionary places run over the texts of all columns of the process.
        series = series.cast(pl.String).cast(pl.Categorical(pl.Categories.random()))
    distinct = series.unique().drop_nulls()
    places = distinct.to_physical().to_numpy()
    # One entry more than there are places: that of null, which comes last.
    lookup = np.full(int(places.max(initial=0)) + 2, len(places), dtype=np.int32)
    lookup[places] = np.arange(len(places), dtype=np.int32)
    physical = series.to_physical()
    if series.null_count():
        physical = physical.cast(pl.UInt32).fill_null(len(lookup) - 1)
    return Coded(lookup[physical.to_numpy()], distinct.cast(pl.String).alias(""))


def dense_codes(keys: NDArray[np.integer[Any]]) -> tuple[Codes, Integers]:
    """Codes 0, 1, … in the order of the keys, and the distinct keys.

    >>> codes, distinct = dense_codes(np.array([70, -3, 70]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 1], [-3, 70])
    """
    if len(keys) == 0:
        return np.empty(0, np.int32), np.empty(0, np.int64)
    least, most = int(keys.min()), int(keys.max())
    # A mark for every key of the span is quick only where there are nearly as many keys.
    if most - least < min(_SMALL_SPAN, _ROOMY * len(keys) + _FEW):
        seen = np.zeros(most - least + 1, dtype=np.bool_)
        parts = [slice(start, start + _CHUNK) for start in range(0, len(keys), _CHUNK)]
        for part in parts:
            seen[keys[part].astype(np.int64) - least] = True
        place = (np.cumsum(seen) - 1).astype(np.int32)
        codes = np.empty(len(keys), dtype=np.int32)
        for part in parts:
            codes[part] = place[keys[part].astype(np.int64) - least]
        return codes, np.flatnonzero(seen) + least
    codes = (pl.Series(keys).rank("dense").to_numpy() - 1).astype(np.int32)
    distinct = np.empty(int(codes.max()) + 1, dtype=np.int64)
    distinct[codes] = keys
    return codes, distinct


def rank_numbers(numbers: Floats) -> tuple[Codes, Floats]:
    """Codes 0, 1, … in numeric order, and the distinct numbers; no number may be NaN.

    >>> codes, distinct = rank_numbers(np.array([0.5, -0.0, 0.0]))
    >>> codes.tolist(), distinct.tolist()
    ([1, 0, 0], [0.0, 0.5])
    """
    whole = _as_small_integers(numbers)
    if whole is not None:
        codes, keys = dense_codes(whole)
        return codes, keys.astype(np.float64)
    # Among doubles without -0.0 the order of the bits, negatives mirrored, is the numeric order.
    bits = (numbers + 0.0).view(np.int64)
    codes, keys = dense_codes(bits ^ ((bits >> 63) & np.int64(2**63 - 1)))
    return codes, (keys ^ ((keys >> 63) & np.int64(2**63 - 1))).view(np.float64)


def _as_small_integers(numbers: Floats) -> Integers | None:
    """The numbers as integers, if they are whole and close enough together for a quick look-up."""
    # `not <` and not `>=`: between two infinities the difference is NaN.
    if not len(numbers) or not float(numbers.max()) - float(numbers.min()) < _SMALL_SPAN:
        return None
    if not abs(float(numbers.max())) < 2**53:
        return None
    whole = numbers.astype(np.int64)
    return whole if np.array_equal(whole, numbers) else None


def find_starts(sorted_keys: NDArray[Any]) -> Integers:
    """Where each new key begins.

    >>> find_starts(np.array([4, 4, 6])).tolist()
    [0, 2]
    """
    fresh = np.ones(len(sorted_keys), dtype=np.bool_)
    np.not_equal(sorted_keys[1:], sorted_keys[:-1], out=fresh[1:])
    return np.flatnonzero(fresh)


def combine_codes(columns: Iterable[tuple[NDArray[Any], int]], n_rows: int) -> tuple[Codes, int]:
    """One code per distinct row of several coded columns, and how many there are.

    Each column comes with the number of its codes, and is needed no longer than its turn. Exact:
    the mixed-radix key is made dense whenever it could pass 2**62.
    """
    key: Integers = np.zeros(n_rows, dtype=np.int64)
    span = 1
    for codes, n_codes in columns:
        if span * n_codes > _CODE_LIMIT:
            dense, distinct = dense_codes(key)
            key, span = dense.astype(np.int64), len(distinct)
        key *= n_codes
        key += codes
        span *= n_codes
    dense, distinct = dense_codes(key)
    return dense, len(distinct)


def encode_rows(frame: pl.DataFrame, names: Sequence[str]) -> tuple[Codes, int]:
    """One code per distinct row of these columns' text forms, and how many there are.

    >>> codes, n_codes = encode_rows(pl.DataFrame({"a": [1, 1, 2], "b": ["x", "x", None]}), "ab")
    >>> codes.tolist(), n_codes
    ([0, 0, 1], 2)
    """
    # One at a time: the texts of a column are let go when its codes have been taken.
    coded = (encode_text(frame[name]) for name in names)
    return combine_codes(((c.codes, c.n_codes) for c in coded), frame.height)


def first_places(codes: Codes, n_codes: int) -> Integers:
    """The first row of every code; each code must have one.

    >>> first_places(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    first = np.empty(n_codes, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def check_pairs(
    left: Codes, right: Codes, n_right: int, decide: Callable[[Codes, Codes], Flags]
) -> Flags:
    """Per row whether its pair of codes is good; `decide` gets every distinct pair once."""
    pairs = _distinct(left, right, n_right)
    good = decide((pairs // n_right).astype(np.int32), (pairs % n_right).astype(np.int32))
    if good.all():
        return np.ones(len(left), dtype=np.bool_)
    return ~np.isin(left.astype(np.int64) * n_right + right, pairs[~good])


def _distinct(left: Codes, right: Codes, n_right: int) -> Integers:
    """The different pairs as left * n_right + right; marked one by one where they are few."""
    most = (int(left.max(initial=0)) + 1) * n_right
    if most > _SMALL_SPAN:
        return pl.Series(left.astype(np.int64) * n_right + right).unique().to_numpy()
    seen = np.zeros(most, dtype=np.bool_)
    for start in range(0, len(left), _CHUNK):
        part = slice(start, start + _CHUNK)
        seen[left[part].astype(np.int64) * n_right + right[part]] = True
    return np.flatnonzero(seen)


@dataclass(frozen=True)
class Runs:
    """How often each value occurs in each class: one entry per (class, value) that does.

    Entries are sorted by class, then value; `starts` is the first entry of every class, and no
    class is empty.
    """

    classes: Codes
    values: Codes
    counts: Codes
    starts: Integers

    @property
    def lengths(self) -> Integers:
        """The number of distinct values in every class."""
        return np.diff(self.starts, append=len(self.classes))


def count_runs(classes: Codes, values: Codes, n_values: int) -> Runs:
    """Count the values of every class; every class 0, 1, … must have a row.

    >>> runs = count_runs(np.array([1, 0, 1, 1]), np.array([0, 2, 0, 1]), 3)
    >>> runs.classes.tolist(), runs.values.tolist(), runs.counts.tolist(), runs.starts.tolist()
    ([0, 1, 1], [2, 0, 1], [1, 2, 1], [0, 1])
    """
    keys = classes.astype(np.int64) * n_values + values
    keys.sort()
    edges = find_starts(keys)
    counts = np.diff(edges, append=len(keys)).astype(np.int32)
    keys = keys[edges]
    owners = keys // n_values
    within = (keys - owners * n_values).astype(np.int32)
    return Runs(owners.astype(np.int32), within, counts, find_starts(owners))
