"""Numbers and dates: single values, `[a, b]`, `[a, b[`, `<a`, `>=b`, nodes of hierarchies, `*`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._command.query.condition import DAY, Flags, Floats, Numbers
from shoal._command.query.folder import Shown
from shoal._command.query.share import Amounts, Bucketed, Shares, Weighed, bucket_shares
from shoal.errors import DataError, Problem
from shoal.reading.cell import read_numbers, read_times
from shoal.reading.encoding import Codes
from shoal.reading.label import ANY_FORM, Form, Reader, Spans, read_spans
from shoal.schema import Kind

_TO_LEFT = (Form.BELOW, Form.UP_TO)
_TO_RIGHT = (Form.ABOVE, Form.FROM)


@dataclass(frozen=True, eq=False)
class Line:
    """The labels and the buckets of one attribute on a line of numbers, or of days since 1970.

    A label reaches from `low` to `high`, both included; the last one is the empty cell. On a
    `whole` line only integers count. A hidden, an unknown and the open side of a tail reach as far
    as the domain: what the plan declares, else all that the release shows. `values` are those of
    the buckets `owners`, bucket by bucket and the smallest first; nan is missing.
    """

    low: Floats
    high: Floats
    whole: bool
    domain: tuple[float, float]
    hidden: Flags
    unknown: Flags
    empty: Flags
    tails: Mapping[int, tuple[float, float]]
    owners: Codes
    values: Floats
    leaves: Mapping[int, Floats] = field(default_factory=dict)


def read_line(
    shown: Shown,
    leaves: Mapping[str, frozenset[str]],
    declared: tuple[float, float] | None,
) -> Line:
    """Read the labels and buckets of a numeric attribute or one of dates."""
    dates = shown.kind is Kind.DATE
    reader: Reader = partial(read_times, coarse=True) if dates else read_numbers
    allowed = frozenset([Form.BARE]) if shown.is_plain else ANY_FORM
    spans = read_spans(shown.labels.texts, reader, allowed)
    hidden, empty = spans.star.copy(), np.zeros_like(spans.star)
    hidden[-1], empty[-1] = shown.empty_hides, not shown.empty_hides
    there = ~(hidden | spans.malformed | empty)
    owners, values, whole_values = _read_values(shown, reader, dates)
    low, high, whole = (_days if dates else _numbers)(spans, there)
    ends = () if declared is None or dates else declared
    whole = whole and whole_values and all(float(end).is_integer() for end in ends)
    if whole:
        low, high = np.ceil(low), np.floor(high)
    domain = _domain(low[there], high[there], values, ends)
    known = {} if dates else _known_leaves(shown.labels.texts, spans.malformed, leaves)
    return Line(
        *_close(low, high, there, domain),
        whole,
        domain,
        hidden,
        spans.malformed,
        empty,
        _tails(low, high, there),
        owners,
        values,
        known,
    )


def _tails(low: Floats, high: Floats, there: Flags) -> dict[int, tuple[float, float]]:
    """The labels with one open side."""
    places = np.flatnonzero(there & (np.isinf(low) | np.isinf(high)))
    return {place: (float(low[place]), float(high[place])) for place in places.tolist()}


def _close(
    low: Floats, high: Floats, there: Flags, domain: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Open sides, and what shows nothing, end with the domain."""
    low = np.where(np.isinf(low), np.minimum(domain[0], high), low)
    high = np.where(np.isinf(high), np.maximum(domain[1], low), high)
    return np.where(there, low, domain[0]), np.where(there, high, domain[1])


def _numbers(spans: Spans, there: Flags) -> tuple[Floats, Floats, bool]:
    ends = np.concatenate([spans.first[there], spans.second[there]])
    return spans.low, spans.high, bool((ends == np.floor(ends)).all())


def _days(spans: Spans, there: Flags) -> tuple[Floats, Floats, bool]:
    """Microseconds as days; whole where every end is that of a day."""
    from_left = there & ~np.isin(spans.form, _TO_LEFT)
    to_right = there & ~np.isin(spans.form, _TO_RIGHT)
    first = np.where(from_left, spans.low, 0)
    behind = np.where(to_right, spans.high, -1) + 1
    whole = bool((first % DAY == 0).all() and (behind % DAY == 0).all())
    low = np.where(from_left, first / DAY, -math.inf)
    high = np.where(to_right, behind / DAY - 1 if whole else (behind - 1) / DAY, math.inf)
    return low, high, whole


def _read_values(shown: Shown, reader: Reader, dates: bool) -> tuple[Codes, Floats, bool]:
    """The values of the buckets in order, and whether all are whole."""
    if shown.buckets is None:
        return np.empty(0, dtype=np.int32), np.empty(0), True
    read = reader(shown.buckets.values)
    if read.unreadable.any():
        what = "dates" if dates else "numbers"
        text = f"{int(read.unreadable.sum())} values of the buckets are no {what}."
        raise DataError(Problem(text, shown.name, "See what 'shoal audit' says of it."))
    values: NDArray[Any] = read.low / DAY if dates else read.low.astype(np.float64)
    whole = bool((values == np.floor(values))[~read.missing].all())
    values = np.where(read.missing, np.nan, values)
    order = np.lexsort((values, shown.buckets.owners))
    return shown.buckets.owners[order], values[order], whole


def _domain(
    low: Floats, high: Floats, values: Floats, declared: tuple[float, ...]
) -> tuple[float, float]:
    if declared:
        return float(declared[0]), float(declared[1])
    seen = np.concatenate([low, high, values])
    seen = seen[np.isfinite(seen)]
    return (float(seen.min()), float(seen.max())) if len(seen) else (math.nan, math.nan)


def _known_leaves(
    texts: pl.Series, unknown: Flags, leaves: Mapping[str, frozenset[str]]
) -> dict[int, Floats]:
    """The numbers under each node that the plan explains."""
    found = {}
    for place in np.flatnonzero(unknown).tolist():
        below = leaves.get(texts[place])
        if below:
            numbers = read_numbers(pl.Series(sorted(below), dtype=pl.String))
            found[place] = numbers.low[~(numbers.unreadable | numbers.missing)]
    return {place: numbers for place, numbers in found.items() if len(numbers)}


def weigh_numbers(shown: Shown, line: Line, wanted: Numbers) -> Weighed:
    """The share of every label and bucket that is wanted, and the wanted numbers behind it."""
    shares, amounts = _reach(line.low, line.high, line.whole, wanted)
    unknown = line.unknown.copy()
    for place, numbers in line.leaves.items():
        unknown[place] = False
        _set_leaves(place, numbers, wanted, shares, amounts)
    _fill_empty(line, wanted, shares)
    gaps = [*np.flatnonzero(unknown).tolist(), *_fill_tails(line, wanted, shares)]
    some = bool(wanted.spans)
    for part, gap in zip(shares, (wanted.everything, None, some, wanted.everything, some),
                         strict=True):  # fmt: skip
        if gap is not None:
            part[gaps] = gap
    values = wanted.wants(line.values)
    loose = line.hidden | unknown
    loose[list(line.tails)] = True
    return Weighed(
        Shares(*shares),
        bucket_shares(line.owners, values),
        line.hidden,
        unknown & (not wanted.everything),
        loose,
        amounts,
        Bucketed(line.owners, line.values, values),
    )


# lower, estimate, upper, surely, maybe
_Parts = tuple[Floats, Floats, Floats, Flags, Flags]


def _fill_empty(line: Line, wanted: Numbers, shares: _Parts) -> None:
    """A missing cell is wanted or not; a hidden one is never sure, and may be missing."""
    for part in shares:
        part[line.empty] = wanted.missing
    _, _, upper, surely, maybe = shares
    surely[line.hidden] = wanted.everything
    maybe[line.hidden] = bool(wanted.spans) or wanted.missing
    nothing_known = math.isnan(line.domain[0])
    if (wanted.missing and not wanted.everything) or (nothing_known and wanted.spans):
        upper[line.hidden] = 1.0


def _fill_tails(line: Line, wanted: Numbers, shares: _Parts) -> list[int]:
    """A tail that is wanted as a whole is sure; returns those of which nothing more is known."""
    gaps = []
    for place, (low, high) in line.tails.items():
        constant = wanted.of_all(low, high)
        if constant is not None:
            for part in shares:
                part[place] = constant
            continue
        shares[3][place], shares[4][place] = False, True
        if line.low[place] == line.high[place]:
            gaps.append(place)
    return gaps


def _set_leaves(
    place: int, numbers: Floats, wanted: Numbers, shares: _Parts, amounts: Amounts
) -> None:
    met = numbers[wanted.wants(numbers)]
    share = len(met) / len(numbers)
    for part, filled in zip(shares, (share, share, share, share == 1, share > 0), strict=True):
        part[place] = filled
    if len(met):
        amounts.least[place], amounts.greatest[place] = met.min(), met.max()
        amounts.mean[place] = met.mean()


def _reach(low: Floats, high: Floats, whole: bool, wanted: Numbers) -> tuple[_Parts, Amounts]:
    """Of the integers of each span, else of its length: the wanted share, and its ends and mean."""
    known = ~np.isnan(low)
    surely = known & wanted.wants(low)
    maybe, share = surely.copy(), surely.astype(np.float64)
    least, mean, greatest = low.copy(), low.copy(), low.copy()
    wide = np.flatnonzero(known & (low < high))
    if len(wide):
        found = _overlap(low[wide], high[wide], whole, wanted)
        for part, filled in zip((share, surely, maybe, least, mean, greatest), found, strict=True):
            part[wide] = filled
    return (share, share.copy(), share.copy(), surely, maybe), Amounts(least, mean, greatest)


def _overlap(
    low: Floats, high: Floats, whole: bool, wanted: Numbers
) -> tuple[Floats, Flags, Flags, Floats, Floats, Floats]:
    """Share, surely, maybe, least, mean and greatest of spans that are no single points."""
    # Everything is halved, so that the ends of all floats are no farther apart than a float.
    one = 0.5 if whole else 0.0
    whole_size = high / 2 - low / 2 + one
    size, moment = np.zeros(len(low)), np.zeros(len(low))
    least, greatest = np.full(len(low), np.inf), np.full(len(low), -np.inf)
    inside = np.zeros(len(low), dtype=np.bool_)
    for start, end in wanted.spans:
        first = np.maximum(low, np.ceil(start) if whole else start)
        last = np.minimum(high, np.floor(end) if whole else end)
        met = first <= last
        length = np.where(met, last / 2 - first / 2 + one, 0.0)
        size += length
        moment += length / whole_size * np.where(met, first / 2 + last / 2, 0.0)
        least = np.where(met, np.minimum(least, first), least)
        greatest = np.where(met, np.maximum(greatest, last), greatest)
        inside |= (start <= low) & (high <= end)
    share = np.clip(size / whole_size, 0.0, 1.0)
    surely = (share == 1) if whole else inside
    maybe = least <= greatest
    least, greatest = np.where(maybe, least, low), np.where(maybe, greatest, low)
    mean = np.where(share > 0, moment / np.where(share > 0, share, 1.0), least / 2 + greatest / 2)
    return share, surely, maybe, least, mean, greatest
