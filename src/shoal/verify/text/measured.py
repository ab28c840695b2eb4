"""Labels of numbers and times: ranges, intervals, tails and bare values, on a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.cell import Extents, read_numbers, read_times
from shoal.reading.encoding import Coded, Codes, Flags, Floats, Integers
from shoal.reading.label import ANY_FORM, Form, Reader, Spans, read_spans
from shoal.schema import Attribute, HierarchySpec

Measured: TypeAlias = Callable[[pl.Series, tuple[str, ...]], Extents]

# Rows that are compared at once: bounds the memory of one step.
_CHUNK = 1 << 20
# Ends are the doubles nearest to decimals such as 0.3: where the grid puts them, they are at most
# a few units in the last place away, however many steps it takes to get there.
_ROUNDING = 4 * np.finfo(np.float64).eps
_BARE = frozenset({Form.BARE})
_INTERVAL = frozenset({Form.BARE, Form.HALF_OPEN, Form.BELOW, Form.FROM})


@dataclass(frozen=True)
class Coverage:
    """Per published row whether its label covers its value, and whether the label is malformed."""

    covered: Flags
    malformed: Flags


def numbers_like(original: pl.Series) -> Measured:
    """Numbers as precise as the original column holds them."""
    if original.dtype != pl.Float32:
        return read_numbers

    def read_single(series: pl.Series, missing: tuple[str, ...] = ()) -> Extents:
        cells = read_numbers(series, missing)
        with np.errstate(over="ignore"):
            rounded = cells.low.astype(np.float32).astype(np.float64)
        return Extents(rounded, rounded, cells.missing, cells.unreadable | np.isinf(rounded))

    return read_single


def cover_measured(
    labels: Coded, original: pl.Series, origin: Integers, attribute: Attribute, read: Measured
) -> Coverage:
    """Check labels of numbers or times, row by row; `read` understands the original cells."""
    allowed = _allowed_forms(attribute)
    spans = spans_of(labels.texts, attribute, read)
    malformed = spans.malformed
    # Cuts are compared as they were declared, whatever the precision of the original column.
    if allowed is _INTERVAL and attribute.hierarchy is not None:
        exact = read_spans(labels.texts, read_numbers, allowed)
        malformed = malformed | _off_grid(exact, attribute.hierarchy)
    covered = np.empty(len(origin), dtype=np.bool_)
    for start in range(0, len(origin), _CHUNK):
        part = slice(start, start + _CHUNK)
        cells = read(original.gather(origin[part]), attribute.missing)
        covered[part] = _inside(labels.codes[part], spans, cells)
    bad = malformed[labels.codes]
    return Coverage(covered & ~bad, bad)


def spans_of(texts: pl.Series, attribute: Attribute, read: Measured) -> Spans:
    """What the distinct labels of an attribute cover."""
    return read_spans(texts, _end_reader(attribute, read), _allowed_forms(attribute))


class Bounds(NamedTuple):
    """Ranges whose ends are two columns of numbers.

    Two empty ends are a star. A malformed range, with one end alone or one that is no number,
    begins beyond all numbers, and so covers nothing.
    """

    low: Floats
    high: Floats
    star: Flags
    malformed: Flags


def read_bounds(low: pl.Series, high: pl.Series, read: Measured) -> Bounds:
    """The ranges of two columns of ends."""
    bottom, top = read(low, ()), read(high, ())
    malformed = (bottom.missing != top.missing) | bottom.unreadable | top.unreadable
    first = np.where(malformed, np.inf, bottom.low)
    return Bounds(first, top.low, bottom.missing & top.missing, malformed)


def _end_reader(attribute: Attribute, read: Measured) -> Reader:
    if attribute.hierarchy is not None and attribute.hierarchy.form == "dates":
        return lambda ends: read_times(ends, coarse=True)
    return lambda ends: read(ends, ())


def _allowed_forms(attribute: Attribute) -> frozenset[Form]:
    if attribute.hierarchy is None:
        return ANY_FORM
    return _INTERVAL if attribute.hierarchy.form in ("intervals", "width") else _BARE


def _inside(codes: Codes, spans: Spans, cells: Extents) -> Flags:
    known = ~(cells.missing | cells.unreadable)
    within = (spans.low[codes] <= cells.low) & (cells.high <= spans.high[codes])
    # The last span is that of the empty cell, which covers what is missing and nothing else.
    covered: Flags = spans.star[codes] | (cells.missing & (codes == len(spans.low) - 1))
    return covered | (known & within)


def _off_grid(spans: Spans, spec: HierarchySpec) -> Flags:
    """Which intervals and tails are not among those that the hierarchy declares."""
    cut: Flags = (spans.form != Form.BARE) & ~spans.malformed
    if spec.form == "intervals":
        cut &= ~_between_cuts(spans, np.sort(np.array(spec.cuts, dtype=np.float64)))
    else:
        cut &= ~_on_width(spans, spec)
    return cut


def _between_cuts(spans: Spans, cuts: NDArray[np.float64]) -> Flags:
    if not len(cuts):
        return np.zeros(len(spans.low), dtype=np.bool_)
    # Cut and label are equal as doubles, as both are read from the same decimal.
    place = np.searchsorted(cuts, spans.first).clip(max=len(cuts) - 1)
    upper = cuts[(place + 1).clip(max=len(cuts) - 1)]
    interval = (cuts[place] == spans.first) & (upper == spans.second) & (place + 1 < len(cuts))
    below = (spans.form == Form.BELOW) & (spans.first == cuts[0])
    above = (spans.form == Form.FROM) & (spans.first == cuts[-1])
    on_cuts: Flags = ((spans.form == Form.HALF_OPEN) & interval) | below | above
    return on_cuts


def _on_width(spans: Spans, spec: HierarchySpec) -> Flags:
    """Half-open intervals from `origin` in steps of their length, one of those declared."""
    first, second = spans.first, spans.second
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        doublings = np.round(np.log2((second - first) / spec.width)).clip(0, spec.levels - 1)
        length = spec.width * 2.0**doublings
        start = spec.origin + np.round((first - spec.origin) / length) * length
        slack = _ROUNDING * (np.abs(first) + np.abs(second) + abs(spec.origin))
        near = (np.abs(first - start) <= slack) & (np.abs(second - start - length) <= slack)
    on_grid: Flags = (spans.form == Form.HALF_OPEN) & near
    return on_grid
