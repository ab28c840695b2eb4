"""Which people fit which published labels? A join by containment, without comparing all with all.

People and labels are halved together, on whichever quasi-identifier separates the labels best,
until few are left of one or the other: labels that lie on both sides go with both halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from shoal.reading.cell import Extents
from shoal.reading.encoding import Coded, Codes, Flags, Integers, encode_rows, encode_text
from shoal.reading.label import STAR
from shoal.schema import Attribute, HierarchySpec, Kind
from shoal.verify.text.accept import one_of_each
from shoal.verify.text.classes import find_absent
from shoal.verify.text.cover import reader_of
from shoal.verify.text.measured import numbers_like, read_bounds, spans_of
from shoal.verify.text.named import accept_named

# Pairs that are compared one by one.
_GRID = 1 << 13
# Cells of a table of what each label covers; beyond it only the ends of its span are used.
_TABLE = 1 << 25


@dataclass(frozen=True, eq=False)
class Axis:
    """One attribute: the value of every person, the label of every class, what each label covers.

    A label covers values from `low` to `high`, both included; a `ragged` one only those of them
    with which it is in `pairs` (label times the number of values plus value, sorted). `exact` is
    False where the labels may cover less than is said here, since their hierarchy is not known.
    """

    values: Codes
    labels: Codes
    n_values: int
    low: Integers
    high: Integers
    ragged: Flags
    pairs: Integers
    exact: bool = True

    @property
    def before(self) -> Integers | None:
        """Per label and value how many smaller values the label covers; None: too large."""
        if not self.ragged.any() or len(self.low) * (self.n_values + 1) > _TABLE:
            return None
        covered = np.zeros((len(self.low), self.n_values + 1), dtype=np.int64)
        whole = np.flatnonzero(~self.ragged)
        places = np.arange(self.n_values)
        covered[whole, 1:] = (self.low[whole, None] <= places) & (places <= self.high[whole, None])
        covered[self.pairs // self.n_values, self.pairs % self.n_values + 1] = 1
        return np.cumsum(covered, axis=1)

    def covers(self, values: Codes, labels: Codes) -> Flags:
        """Per pair of codes whether the label covers the value."""
        found: Flags = (self.low[labels] <= values) & (values <= self.high[labels])
        doubtful = np.flatnonzero(found & self.ragged[labels])
        if len(doubtful):
            keys = labels[doubtful].astype(np.int64) * self.n_values + values[doubtful]
            at = np.searchsorted(self.pairs, keys).clip(max=len(self.pairs) - 1)
            found[doubtful] = self.pairs[at] == keys if len(self.pairs) else False
        return found


def equal_axis(values: Codes, labels: Codes, n_values: int) -> Axis:
    """An attribute that is published as it was: a label covers the value that it is."""
    ends = np.arange(n_values, dtype=np.int64)
    none = np.zeros(n_values, dtype=np.bool_)
    return Axis(values, labels, n_values, ends, ends, none, np.zeros(0, dtype=np.int64))


def label_axis(labels: Coded, original: pl.Series, attribute: Attribute) -> Axis:
    """An attribute that is published as labels, against the values of an original column."""
    attribute = _with_kind(labels, original, attribute)
    values = encode_text(original)
    read = reader_of(original, attribute)
    if read is None:
        return _named_axis(labels, values, attribute)
    spans = spans_of(labels.texts, attribute, read)
    cells = read(one_of_each(original, values), attribute.missing)
    empty = np.arange(labels.n_codes) == labels.null
    return _line_axis(labels.codes, values, cells, (spans.low, spans.high), spans.star, empty)


def bounds_axis(low: pl.Series, high: pl.Series, original: pl.Series, attribute: Attribute) -> Axis:
    """An attribute that is published as two columns of numbers; two empty ends cover anything."""
    ends = pl.DataFrame({"low": low, "high": high})
    of_row, n_pairs = encode_rows(ends, ends.columns)
    samples = np.zeros(n_pairs, dtype=np.int64)
    samples[of_row] = np.arange(low.len())
    read, values = numbers_like(original), encode_text(original)
    bounds = read_bounds(low.gather(samples), high.gather(samples), read)
    cells = read(one_of_each(original, values), attribute.missing)
    none = np.zeros(len(samples), dtype=np.bool_)
    return _line_axis(of_row, values, cells, (bounds.low, bounds.high), bounds.star, none)


def bucket_axis(axis: Axis, inside: Integers, listed: tuple[Integers, Codes]) -> Axis:
    """The same, where rows that point to a bucket may have any value of it, and empty cells any.

    `inside` is the bucket of every row, -1 where it has none; `listed` are buckets and values.
    """
    # A row may point to a bucket that holds nothing.
    n_labels, n_buckets = len(axis.low), int(np.append(inside, listed[0]).max(initial=-1)) + 1
    keys = np.unique((listed[0] + n_labels) * axis.n_values + listed[1])
    owners, values = keys // axis.n_values - n_labels, keys % axis.n_values
    # Until it has a value, a bucket ends before it begins, and covers nothing.
    low = np.full(n_buckets, axis.n_values, dtype=np.int64)
    high = np.full(n_buckets, -1, dtype=np.int64)
    np.minimum.at(low, owners, values)
    np.maximum.at(high, owners, values)
    return replace(
        axis,
        labels=np.where(inside >= 0, inside + n_labels, axis.labels).astype(np.int32),
        low=np.append(axis.low, low),
        high=np.append(axis.high, high),
        ragged=np.append(axis.ragged, np.ones(n_buckets, dtype=np.bool_)),
        pairs=np.append(axis.pairs, keys),
    )


def _with_kind(labels: Coded, original: pl.Series, attribute: Attribute) -> Attribute:
    """A manifest may not know the kind of a column: then its labels and the original show it."""
    form = None if attribute.hierarchy is None else attribute.hierarchy.form
    if attribute.kind is not None or form not in (None, "flat"):
        return attribute
    for kind in (Kind.NUMERIC, Kind.DATE):
        guess = replace(attribute, kind=kind)
        read = reader_of(original, guess)
        assert read is not None
        if not read(original, attribute.missing).unreadable.any() and not (
            spans_of(labels.texts, guess, read).malformed.any()
        ):
            return guess
    return replace(attribute, kind=Kind.CATEGORICAL)


def _line_axis(
    labels: Codes,
    values: Coded,
    cells: Extents,
    ends: tuple[np.ndarray, np.ndarray],
    star: Flags,
    empty: Flags,
) -> Axis:
    """Values in the order of the line, then the missing ones, then what is no number or time."""
    last = np.where(cells.unreadable, 2, cells.missing)
    order = np.lexsort((cells.high, cells.low, last))
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    n_known, n_absent = int((last == 0).sum()), int((last == 1).sum())
    first, final = cells.low[order][:n_known], cells.high[order][:n_known]
    low = np.searchsorted(first, ends[0], side="left")
    high = np.searchsorted(final, ends[1], side="right") - 1
    low, high = np.where(empty, n_known, low), np.where(empty, n_known + n_absent - 1, high)
    low, high = np.where(star, 0, low), np.where(star, len(order) - 1, high)
    # Cells of different length, days next to months, may end in another order than they begin.
    uneven = bool((np.diff(final) < 0).any())
    plain = ~(star | empty)
    ragged = plain & uneven
    pairs = np.zeros(0, dtype=np.int64)
    if uneven:
        inside = (ends[0][:, None] <= first) & (final <= ends[1][:, None])
        at, place = np.nonzero(inside & ragged[:, None])
        pairs = np.sort(at * len(order) + place)
        high = np.where(ragged, n_known - 1, high)
    return Axis(rank[values.codes], labels, len(order), low, high, ragged, pairs)


def _named_axis(labels: Coded, values: Coded, attribute: Attribute) -> Axis:
    spec = attribute.hierarchy
    hidden = spec is not None and spec.form in ("file", "tree") and not spec.rows
    if hidden:
        attribute = replace(attribute, hierarchy=_leaves(values, attribute))
    pairs, star = accept_named(labels, values, attribute)
    order = _natural_order(values, attribute)
    rank = np.empty(values.n_codes, dtype=np.int64)
    rank[order] = np.arange(values.n_codes)
    of_label, of_value = pairs // values.n_codes, rank[pairs % values.n_codes]
    low = np.full(labels.n_codes, values.n_codes, dtype=np.int64)
    high = np.full(labels.n_codes, -1, dtype=np.int64)
    np.minimum.at(low, of_label, of_value)
    np.maximum.at(high, of_label, of_value)
    # No label above the leaves has the name of one; what those labels cover only the plan knows.
    unknown = hidden & (high < 0) & ~star
    everything = star | unknown
    low[everything], high[everything] = 0, values.n_codes - 1
    n_covered = np.bincount(of_label, minlength=labels.n_codes)
    ragged = ~everything & (n_covered < high - low + 1)
    kept = ragged[of_label]
    keys = np.sort(of_label[kept] * values.n_codes + of_value[kept])
    codes = rank[values.codes].astype(np.int32)
    exact = not unknown[labels.codes].any()
    return Axis(codes, labels.codes, values.n_codes, low, high, ragged, keys, exact)


def _leaves(values: Coded, attribute: Attribute) -> HierarchySpec:
    """All that is certain of a hierarchy that is not known: values are its leaves."""
    known = values.texts.filter(~pl.Series(find_absent(values, attribute)[:-1], dtype=pl.Boolean))
    return HierarchySpec("tree", rows=tuple((text,) for text in known))


def _natural_order(values: Coded, attribute: Attribute) -> Integers:
    """Leaves of a node next to each other, else by text; what is missing is last."""
    rows = attribute.hierarchy.rows if attribute.hierarchy else ()
    path = {row[0]: tuple(reversed(row)) for row in rows}
    keys = [(path.get(text, ()), text) for text in values.texts]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return np.array([*order, values.null], dtype=np.int64)


def is_star(labels: Coded) -> Flags:
    """Which labels cover everything."""
    return np.append((labels.texts == STAR).to_numpy().astype(np.bool_), False)


def contained_pairs(
    axes: Sequence[Axis], n_values: int, n_labels: int
) -> Iterator[tuple[Integers, Integers]]:
    """All pairs of a person and a class whose labels cover all values of the person, in parts.

    >>> age = equal_axis(np.array([0, 1, 1]), np.array([1, 0]), 2)
    >>> [(left.tolist(), right.tolist()) for left, right in contained_pairs([age], 3, 2)]
    [([0, 1, 2], [1, 0, 0])]
    """
    before = [axis.before for axis in axes]
    stack = [(np.arange(n_values), np.arange(n_labels))]
    while stack:
        left, right = stack.pop()
        if not len(right):
            continue
        halves = None
        if len(left) * len(right) > _GRID:
            halves = _halve(axes, before, left, right)
        if halves is None:
            yield from _compare(axes, left, right)
        else:
            stack += halves


def _halve(
    axes: Sequence[Axis], before: Sequence[Integers | None], left: Integers, right: Integers
) -> list[tuple[Integers, Integers]] | None:
    """Both sides cut in two where fewest labels lie on both sides; None where no cut helps."""
    # A cut that saves less than a tenth is not worth another round.
    best, chosen = 0.9 * len(left) * len(right), None
    for axis, counts in zip(axes, before, strict=True):
        values, labels = axis.values[left], axis.labels[right]
        first, last = int(values.min()), int(values.max())
        if first == last:
            continue
        middle = len(values) // 2
        cut = int(np.partition(values, middle)[middle])
        # Both sides must have somebody, even if most have the largest value.
        cut = cut - 1 if cut == last else cut
        # By its ends alone a label may lie on a side where it covers nothing: that only costs time.
        if counts is None:
            below = (axis.low[labels] <= cut) & (axis.high[labels] >= first)
            above = (axis.high[labels] > cut) & (axis.low[labels] <= last)
        else:
            below = counts[labels, cut + 1] > counts[labels, first]
            above = counts[labels, last + 1] > counts[labels, cut + 1]
        low = values <= cut
        n_low = int(low.sum())
        work = n_low * int(below.sum()) + (len(left) - n_low) * int(above.sum())
        if work < best:
            best, chosen = work, (low, below, above)
    if chosen is None:
        return None
    low, below, above = chosen
    return [(left[low], right[below]), (left[~low], right[above])]


def _compare(
    axes: Sequence[Axis], left: Integers, right: Integers
) -> Iterator[tuple[Integers, Integers]]:
    # Where no cut helps there may be very many pairs: some at a time bound the memory.
    step = max(1, (_GRID << 7) // len(right))
    for start in range(0, len(left), step):
        part = left[start : start + step]
        one, other = np.repeat(part, len(right)), np.tile(right, len(part))
        for axis in axes:
            kept = axis.covers(axis.values[one], axis.labels[other])
            one, other = one[kept], other[kept]
        if len(one):
            yield one, other
