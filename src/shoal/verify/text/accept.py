"""Which published classes can be somebody with this value? As bits, one per class.

Classes have places: those of one pattern are neighbours, and each pattern starts a new word of 64.
A table of bits has a row for each value, made when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.cell import Extents
from shoal.reading.encoding import Coded, Codes, Flags, Integers, encode_text
from shoal.schema import Attribute
from shoal.verify.text.cover import reader_of
from shoal.verify.text.measured import numbers_like, read_bounds, spans_of
from shoal.verify.text.named import accept_named

Words = NDArray[np.uint64]
WORD = 64
# Pairs of a value and a place that are compared at once: bounds the memory of one step.
_PAIRS = 1 << 21


@dataclass(frozen=True)
class Spans:
    """Labels on a line, by place: what they cover; `empty` ones cover only what is missing."""

    low: NDArray[Any]
    high: NDArray[Any]
    star: Flags
    empty: Flags

    def accept(self, values: Extents) -> Flags:
        """Per value (in rows) and place whether the value lies in the label."""
        known = ~(values.missing | values.unreadable)
        found: Flags = self.low <= values.low[:, None]
        found &= values.high[:, None] <= self.high
        found &= known[:, None]
        found |= self.star
        found |= self.empty & values.missing[:, None]
        return found


@dataclass
class Bits:
    """The places that accept each value of an attribute; rows are made when needed.

    `codes` is the value of every input row. `valid` is False for places that only fill up a word:
    they accept nothing. `work` counts the comparisons that were made.
    """

    codes: Codes
    valid: Flags
    find: Callable[[Integers], Flags]
    slots: Integers = field(init=False)
    table: Words = field(init=False)
    n_known: int = 0
    work: int = 0

    def __post_init__(self) -> None:
        self.slots = np.full(int(self.codes.max(initial=0)) + 1, -1, dtype=np.int64)
        self.table = np.empty((0, len(self.valid) // WORD), dtype=np.uint64)

    def rows_of(self, people: Integers) -> Integers:
        """The rows of the table for the values of these input rows."""
        codes = self.codes[people]
        fresh = np.unique(codes[self.slots[codes] < 0]).astype(np.int64)
        # A value is compared with all places at once: few values where there are many classes.
        step = max(1, _PAIRS // max(1, len(self.valid)))
        for start in range(0, len(fresh), step):
            self._add(fresh[start : start + step])
        slots: Integers = self.slots[codes]
        return slots

    def words_of(self, people: Integers, words: slice) -> Words:
        """The bits for the values of these input rows, as far as these words go."""
        slots = self.rows_of(people)
        found: Words = self.table[slots, words]
        return found

    def _add(self, values: Integers) -> None:
        packed = np.packbits(self.find(values) & self.valid, axis=1, bitorder="little")
        n_known = self.n_known + len(values)
        if n_known > len(self.table):
            # Twice as long as needed, so that copying stays linear in the number of values.
            larger = np.empty((2 * n_known, self.table.shape[1]), dtype=np.uint64)
            larger[: self.n_known] = self.table[: self.n_known]
            self.table = larger
        self.table[self.n_known : n_known] = np.ascontiguousarray(packed).view(np.uint64)
        self.slots[values] = np.arange(self.n_known, n_known)
        self.n_known = n_known
        self.work += len(values) * len(self.valid)


def bits_of_labels(
    labels: Coded, places: Integers, valid: Flags, original: pl.Series, attribute: Attribute
) -> Bits:
    """Bits from published texts; `places` is for every place a row of the labels' column."""
    values = encode_text(original)
    of_place = labels.codes[places]
    read = reader_of(original, attribute)
    if read is not None:
        spans = spans_of(labels.texts, attribute, read)
        by_place = Spans(
            spans.low[of_place], spans.high[of_place], spans.star[of_place], of_place == labels.null
        )
        cells = read(one_of_each(original, values), attribute.missing)
        return Bits(values.codes, valid, _on_line(by_place, cells))
    return Bits(values.codes, valid, _by_name(labels, of_place, values, attribute))


def bits_of_bounds(
    low: pl.Series, high: pl.Series, valid: Flags, original: pl.Series, attribute: Attribute
) -> Bits:
    """Bits from two columns of numbers, by place; two empty ends are a star."""
    read, values = numbers_like(original), encode_text(original)
    bounds, empty = read_bounds(low, high, read), np.zeros(len(low), dtype=np.bool_)
    spans = Spans(bounds.low, bounds.high, bounds.star, empty)
    cells = read(one_of_each(original, values), attribute.missing)
    return Bits(values.codes, valid, _on_line(spans, cells))


def one_of_each(original: pl.Series, values: Coded) -> pl.Series:
    """One cell of every value, in the order of the codes."""
    # A code that no row has, null where nothing is missing, gets a cell that nobody asks for.
    rows = np.zeros(values.n_codes, dtype=np.int64)
    rows[values.codes] = np.arange(len(values.codes))
    return original.gather(rows) if original.len() else original


def _on_line(spans: Spans, values: Extents) -> Callable[[Integers], Flags]:
    def find(codes: Integers) -> Flags:
        return spans.accept(
            Extents(
                values.low[codes],
                values.high[codes],
                values.missing[codes],
                values.unreadable[codes],
            )
        )

    return find


def _by_name(
    labels: Coded, of_place: Codes, values: Coded, attribute: Attribute
) -> Callable[[Integers], Flags]:
    pairs, star = accept_named(labels, values, attribute)
    of_label, of_value = pairs // values.n_codes, pairs % values.n_codes
    order = np.argsort(of_value, kind="stable")
    of_label = of_label[order]
    ends = np.searchsorted(of_value[order], np.arange(values.n_codes + 1))

    def find(codes: Integers) -> Flags:
        n_labels = ends[codes + 1] - ends[codes]
        before = np.cumsum(n_labels) - n_labels
        among = np.arange(n_labels.sum()) + np.repeat(ends[codes] - before, n_labels)
        by_label = np.repeat(star[None, :], len(codes), axis=0)
        by_label[np.repeat(np.arange(len(codes)), n_labels), of_label[among]] = True
        found: Flags = by_label[:, of_place]
        return found

    return find
