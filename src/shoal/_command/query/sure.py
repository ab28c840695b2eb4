"""Bounds that surely hold for the published rows, whatever the values behind their cells are.

Nothing is taken as spread evenly or as independent here: a row that may satisfy the conditions
counts or does not, whichever makes a bound wider. A bucket's values belong to different rows, so
no more rows have a matching value than there are such values.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from shoal._command.query.crowd import greatest_sum, least_sum, per_crowd
from shoal._command.query.folder import AttributeView
from shoal._command.query.grammar import Function
from shoal._command.query.share import Shares, WeighedNumbers
from shoal.reading.encoding import Codes, Flags, Floats

SureBounds: TypeAlias = tuple[float | None, float | None]

_NONE: SureBounds = (None, None)


def sure_count(rows: Shares) -> SureBounds:
    """COUNT: the rows that match whatever stands behind them, and those that can."""
    return float(rows.surely.sum()), float(rows.maybe.sum())


def sure_total(
    function: Function, view: AttributeView, weighed: WeighedNumbers, rows: Shares
) -> SureBounds:
    """SUM and AVG; none where a row that may match shows no end of its number."""
    codes = view.labels.codes
    public = np.ones(len(codes), dtype=np.bool_) if view.bids is None else view.bids < 0
    every = rows & weighed.labels.take(codes)
    if weighed.loose[codes[public & every.maybe]].any():
        return _NONE
    found = np.flatnonzero(public & every.maybe)
    least, greatest = (weighed.sure_amounts[i][codes[found]] for i in (0, 2))
    surely = every.surely[found]
    low = float(np.where(surely, least, np.minimum(least, 0.0)).sum())
    high = float(np.where(surely, greatest, np.maximum(greatest, 0.0)).sum())
    fewest, most = float(surely.sum()), float(len(found))
    ends = [least, greatest]
    if view.bids is not None:
        owners, numbers, few, many = _buckets(view.bids, weighed, rows)
        low += least_sum(owners, numbers, few, many)
        high += greatest_sum(owners, numbers, few, many)
        fewest, most = fewest + float(few.sum()), most + float(many.sum())
        ends.append(numbers[many[owners] > 0])
    if function == "SUM":
        return low, high
    return _mean((low, high), (fewest, most), np.concatenate(ends))


def _buckets(
    bids: Codes, weighed: WeighedNumbers, rows: Shares
) -> tuple[Codes, Floats, Floats, Floats]:
    """The matching values by bucket, and how many of each bucket's surely and at most count."""
    secret, n = bids >= 0, len(weighed.buckets)
    surely, maybe = (_per_bucket(bids[secret], part[secret], n) for part in rows[3:])
    owners, numbers = weighed.owners[weighed.matches], weighed.values[weighed.matches]
    sizes, matching = (np.bincount(part, minlength=n) for part in (weighed.owners, owners))
    # Only so many of the rows can have a value that does not match.
    fewest = np.maximum(surely - (sizes - matching), 0.0)
    return owners, numbers, fewest, np.minimum(maybe, matching)


def _per_bucket(bids: Codes, flags: Flags | Floats, n: int) -> Floats:
    return per_crowd(bids, flags.astype(np.float64), n)


def _mean(total: tuple[float, float], count: tuple[float, float], numbers: Floats) -> SureBounds:
    """A mean lies between the least and the greatest number, and sums over counts bound it too."""
    if not len(numbers):
        return _NONE
    low, high = float(numbers.min()), float(numbers.max())
    fewest, most = count
    if fewest > 0:
        low = max(low, total[0] / (most if total[0] >= 0 else fewest))
        high = min(high, total[1] / (fewest if total[1] >= 0 else most))
    return low, high
