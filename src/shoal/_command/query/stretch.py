"""Numbers and dates: single values, `[a, b]`, `[a, b[`, `<a`, `>=b`, nodes of hierarchies, `*`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal._command.query.condition import Numbers, Vocabulary
from shoal._command.query.folder import AUDIT, AttributeView
from shoal._command.query.share import Amounts, Shares, WeighedNumbers, bucket_shares
from shoal.errors import DataError, Problem
from shoal.reading.encoding import Codes, Flags, Floats
from shoal.reading.label import ANY_FORM, Form
from shoal.reading.line import read_line, read_points
from shoal.schema import Kind


@dataclass(frozen=True, eq=False)
class Stretches:
    """The labels and the buckets of one attribute on a line of numbers, or of days since 1970.

    A label reaches from `low` to `high`, both included; the last one is the empty cell. On a
    `whole` line only integers count, except for what must be sure: there may be fractions behind
    the ranges of a release that shows none, though never behind those `of_days`. `bounds` are the
    ends that hold for them, too. A hidden or unknown label and the open side of a tail reach as far
    as the domain: what the plan declares, else all that the release shows. `leaves` has the numbers
    under the nodes that the plan explains. `values` are those of the buckets `owners`, bucket by
    bucket and the smallest first; nan is missing.
    """

    low: Floats
    high: Floats
    whole: bool
    of_days: bool
    bounds: tuple[Floats, Floats]
    domain: tuple[float, float]
    hidden: Flags
    unknown: Flags
    empty: Flags
    tails: Mapping[int, tuple[float, float]]
    leaves: Mapping[int, Floats]
    owners: Codes
    values: Floats


def read_stretches(view: AttributeView, words: Vocabulary) -> Stretches:
    """Read the labels and buckets of a numeric attribute or one of dates."""
    forms = frozenset([Form.BARE]) if view.is_plain else ANY_FORM
    line = read_line(view.labels.texts, view.kind, forms)
    owners, values = _read_values(view)
    dates = view.kind is Kind.DATE
    ends = () if words.domain is None or dates else words.domain
    known = np.concatenate([values[~np.isnan(values)], np.array(ends)])
    whole = line.whole and bool((known == np.floor(known)).all())
    low, high = (np.ceil(line.low), np.floor(line.high)) if whole else (line.low, line.high)
    hidden, empty = line.star.copy(), np.zeros_like(line.star)
    hidden[-1], empty[-1] = view.empty_hides, not view.empty_hides
    domain = _domain(low[line.known], high[line.known], values, ends)
    tails = np.flatnonzero(line.known & (np.isinf(low) | np.isinf(high))).tolist()
    of_days = dates and whole  # a date has no fractions
    rough = (low, high) if of_days else (line.low, line.high)
    return Stretches(
        *_close(low, high, line.known, domain),
        whole,
        of_days,
        _close(*rough, line.known, domain),
        domain,
        hidden,
        line.malformed,
        empty,
        {place: (float(rough[0][place]), float(rough[1][place])) for place in tails},
        {} if dates else _known_leaves(view.labels.texts, line.malformed, words.leaves),
        owners,
        values,
    )


def _close(
    low: Floats, high: Floats, known: Flags, domain: tuple[float, float]
) -> tuple[Floats, Floats]:
    """Open sides, and what shows nothing, end with the domain."""
    low = np.where(np.isinf(low), np.minimum(domain[0], high), low)
    high = np.where(np.isinf(high), np.maximum(domain[1], low), high)
    return np.where(known, low, domain[0]), np.where(known, high, domain[1])


def _read_values(view: AttributeView) -> tuple[Codes, Floats]:
    """The values of the buckets in order."""
    if view.buckets is None:
        return np.empty(0, dtype=np.int32), np.empty(0)
    values, unreadable = read_points(view.buckets.values, view.kind)
    if unreadable.any():
        what = "dates" if view.kind is Kind.DATE else "numbers"
        text = f"The buckets must hold {what}, but {int(unreadable.sum())} of their values are not."
        raise DataError(Problem(text, view.name, AUDIT))
    order = np.lexsort((values, view.buckets.owners))
    return view.buckets.owners[order], values[order]


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
    """The numbers under each node that the plan explains; nan is the missing value."""
    found = {}
    for place in np.flatnonzero(unknown).tolist():
        below = pl.Series(sorted(leaves.get(texts[place], ())), dtype=pl.String)
        numbers, unreadable = read_points(below, Kind.NUMERIC)
        numbers = numbers[~unreadable]
        if len(numbers):
            found[place] = numbers
    return found


def weigh_numbers(stretches: Stretches, target: Numbers) -> WeighedNumbers:
    """The share of every label and bucket that matches, and the matching numbers behind it."""
    shares, amounts = _reach(stretches.low, stretches.high, stretches.whole, target)
    rough, sure_amounts = _reach(*stretches.bounds, stretches.of_days, target)
    shares = shares._replace(surely=rough.surely, maybe=rough.maybe)
    unknown = stretches.unknown.copy()
    for place, numbers in stretches.leaves.items():
        unknown[place] = False
        _set_leaves(place, numbers, target, shares, amounts)
        for part, filled in zip(sure_amounts, amounts, strict=True):
            part[place] = filled[place]
    _fill_empty(stretches, target, shares)
    gaps = [*np.flatnonzero(unknown).tolist(), *_fill_tails(stretches, target, shares)]
    shares.lower[gaps] = shares.surely[gaps] = target.everything
    shares.upper[gaps] = shares.maybe[gaps] = bool(target.spans)
    # A file or a tree may have an empty leaf, so a missing value may be under a node.
    shares.surely[unknown] &= target.missing
    shares.maybe[unknown] |= target.missing
    matches = target.match(stretches.values)
    loose = stretches.hidden | unknown
    loose[list(stretches.tails)] = True
    return WeighedNumbers(
        shares,
        bucket_shares(stretches.owners, matches),
        stretches.hidden,
        unknown & (not target.everything),
        loose,
        amounts,
        sure_amounts,
        stretches.owners,
        stretches.values,
        matches,
    )


def _fill_empty(stretches: Stretches, target: Numbers, shares: Shares) -> None:
    """A missing cell matches or not; a hidden one is never sure, and may be missing."""
    for part in shares:
        part[stretches.empty] = target.missing
    shares.surely[stretches.hidden] = target.everything
    shares.maybe[stretches.hidden] = bool(target.spans) or target.missing
    nothing_known = math.isnan(stretches.domain[0])
    if (target.missing and not target.everything) or (nothing_known and target.spans):
        shares.upper[stretches.hidden] = 1.0


def _fill_tails(stretches: Stretches, target: Numbers, shares: Shares) -> list[int]:
    """A tail that matches as a whole is sure; returns those about which nothing more is known."""
    gaps = []
    for place, (low, high) in stretches.tails.items():
        constant = target.of_all(low, high)
        if constant is not None:
            for part in shares:
                part[place] = constant
            continue
        shares.surely[place], shares.maybe[place] = False, True
        if stretches.low[place] == stretches.high[place]:
            gaps.append(place)
    return gaps


def _set_leaves(
    place: int, numbers: Floats, target: Numbers, shares: Shares, amounts: Amounts
) -> None:
    met = numbers[target.match(numbers)]
    for part, filled in zip(shares, Shares.exact(np.array([len(met) / len(numbers)])), strict=True):
        part[place] = filled[0]
    met = met[~np.isnan(met)]
    if len(met):
        amounts.least[place], amounts.greatest[place] = met.min(), met.max()
        amounts.mean[place] = met.mean()


def _reach(low: Floats, high: Floats, whole: bool, target: Numbers) -> tuple[Shares, Amounts]:
    """Of the integers of each span, else of its length: the matching share, its ends and mean."""
    known = ~np.isnan(low)
    shares = Shares.exact((known & target.match(low)).astype(np.float64))
    amounts = Amounts(low.copy(), low.copy(), low.copy())
    wide = np.flatnonzero(known & (low < high))
    if len(wide):
        part, ends = _overlap(low[wide], high[wide], whole, target)
        for filled, found in zip((*shares, *amounts), (*part, *ends), strict=True):
            filled[wide] = found
    return shares, amounts


def _overlap(low: Floats, high: Floats, whole: bool, target: Numbers) -> tuple[Shares, Amounts]:
    """The same of spans that are no single points."""
    # Everything is halved, so that the ends of all floats are no farther apart than a float.
    one = 0.5 if whole else 0.0
    whole_size = high / 2 - low / 2 + one
    size, moment = np.zeros(len(low)), np.zeros(len(low))
    least, greatest = np.full(len(low), np.inf), np.full(len(low), -np.inf)
    inside = np.zeros(len(low), dtype=np.bool_)
    for start, end in target.spans:
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
    maybe = least <= greatest
    least, greatest = np.where(maybe, least, low), np.where(maybe, greatest, low)
    mean = np.where(share > 0, moment / np.where(share > 0, share, 1.0), least / 2 + greatest / 2)
    surely = (share == 1) if whole else inside
    return Shares(share, share, share, surely, maybe), Amounts(least, mean, greatest)
