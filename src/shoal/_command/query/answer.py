"""SUM, COUNT and AVG from a release alone: bounds and an estimate, by LGB's section 4.2.

Every row has a chance p to satisfy the conditions: the product over the attributes of the share of
its published cell that does. Rows whose numbers cannot be told apart form a crowd: the rows of a
bucket or, where the number is public, those of a class. Of a crowd at least floor(sum of p) and at
most ceil(sum of p) rows count; the lower bound takes as many of its smallest numbers as makes the
sum least, the upper bound as many of its largest as makes it greatest, the estimate the sum of p
times the mean.

They are *expected* bounds: the number of rows that count is only near the sum of p. Two rows with
p = 1/2 over a bucket {10, 20} give 10 to 20, and the true sum may be 0 or 30. Only where every p is
sure, 0 or 1, do they hold for certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal._command.query.crowd import (
    Bounds,
    at_least,
    at_most,
    greatest_sum,
    in_order,
    least_sum,
    per_crowd,
)
from shoal._command.query.folder import ReleaseFolder, Shown, open_folder
from shoal._command.query.grammar import Function, Query, parse
from shoal._command.query.interpreter import Reader, Reading
from shoal._command.query.share import Amounts, Shares, Weighed
from shoal.plan import Plan
from shoal.reading.encoding import Integers


@dataclass(frozen=True)
class Answer:
    """The answer to a query, from published files alone.

    `lower` and `upper` are None where there is no such bound, all three where no row can count
    (AVG). `certain` tells that the bounds hold for sure, of the published rows; else they are
    expected ones. Of the published `rows`, so many satisfy the conditions `surely`, and no others
    than so many `maybe`.
    """

    function: Function
    attribute: str | None
    lower: float | None
    estimate: float | None
    upper: float | None
    certain: bool
    rows: int
    surely: int
    maybe: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A release that is read once and asked often; made by `open_release`."""

    reader: Reader

    def query(self, text: str) -> Answer:
        """Answer a query; raises QueryError where it cannot be understood."""
        return self.answer(parse(text))

    def answer(self, asked: Query) -> Answer:
        """Answer a query that has been read already."""
        # A sum beyond all floats is infinite, and no reason to warn.
        with np.errstate(over="ignore", invalid="ignore"):
            return self._answer(asked)

    def _answer(self, asked: Query) -> Answer:
        release = self.reader.release
        reading = self.reader.read(asked)
        rows = Shares.all_of(release.data.height)
        for name, weighed in reading.weighed.items():
            if name != asked.attribute:
                rows = rows & weighed.rows(release.shown(name))
        if asked.attribute is None:
            total, count, certain, every = None, _count(rows), True, rows
        else:
            shown, weighed = release.shown(asked.attribute), reading.weighed[asked.attribute]
            total, count, certain = _total(release, shown, weighed, rows)
            every = rows & weighed.rows(shown)
        return Answer(
            asked.function,
            asked.attribute,
            *_result(asked.function, total, count),
            certain and bool(np.array_equal(rows.surely, rows.maybe)),
            release.data.height,
            int(every.surely.sum()),
            int(every.maybe.sum()),
            _notes(release, reading),
        )


def open_release(folder: str | Path, plan: Any = None) -> OpenRelease:
    """Open a release folder for several queries; see `query`."""
    return OpenRelease(Reader(open_folder(folder), None if plan is None else Plan.of(plan)))


def query(folder: str | Path, text: str, plan: Any = None) -> Answer:
    """Answer a query from the files of a release folder.

    `plan` (a Plan, a mapping or a path) explains what the files do not: the leaves of hierarchies,
    the order of ordinals, declared domains. Raises QueryError where the text cannot be understood
    or asks for what there is not, DataError where the folder is not a release.
    """
    asked = parse(text)
    return open_release(folder, plan).answer(asked)


def _count(rows: Shares) -> Bounds:
    """COUNT(*): all rows are one crowd, so that only the last row is rounded."""
    lower, estimate, upper = (part.sum() for part in (rows.lower, rows.estimate, rows.upper))
    return Bounds(float(at_least(lower)), float(estimate), float(at_most(upper)))


def _result(
    function: Function, total: Bounds | None, count: Bounds
) -> tuple[float | None, float | None, float | None]:
    if total is None:
        return count.lower, count.estimate, count.upper
    if function == "SUM":
        return total.lower, total.estimate, total.upper
    # Most rows make a positive sum's mean least, fewest rows a negative one's.
    below = _ratio(total.lower, count.upper if total.lower >= 0 else count.lower)
    above = _ratio(total.upper, count.lower if total.upper >= 0 else count.upper)
    return below, _ratio(total.estimate, count.estimate), above


def _ratio(total: float, count: float) -> float | None:
    return total / count if count > 0 else None


def _total(
    release: ReleaseFolder, shown: Shown, weighed: Weighed, rows: Shares
) -> tuple[Bounds, Bounds, bool]:
    """The sum, how many rows it is over, and whether nothing about the numbers is guessed."""
    assert weighed.amounts is not None
    assert weighed.loose is not None
    codes = shown.labels.codes
    public = np.ones(len(codes), dtype=np.bool_) if shown.bids is None else shown.bids < 0
    every = rows & weighed.labels.take(codes)
    counting = np.flatnonzero(public & (every.upper > 0))
    places = codes[counting]
    ends = Amounts(*(part[places] for part in (
        weighed.amounts.least, weighed.amounts.mean, weighed.amounts.greatest)))  # fmt: skip
    total, count = _public_total(release, every.take(counting), ends, counting)
    tight = not weighed.loose[codes[public & every.maybe]].any()
    sure = bool(np.array_equal(every.surely[public], every.maybe[public]))
    if shown.bids is not None:
        more, further, even = _secret_total(shown, weighed, rows)
        return total + more, count + further, tight and sure and even
    return total, count, tight and sure


def _public_total(
    release: ReleaseFolder, rows: Shares, ends: Amounts, places: Integers
) -> tuple[Bounds, Bounds]:
    """Rows that show a number or a range: those that surely count, and the rest by classes."""
    whole = rows.lower >= 1.0
    n_whole = float(whole.sum())
    total = Bounds(
        float(ends.least[whole].sum()),
        float((rows.estimate * ends.mean).sum()),
        float(ends.greatest[whole].sum()),
    )
    count = Bounds(n_whole, float(rows.estimate.sum()), n_whole)
    if whole.all():
        return total, count
    rest = ~whole
    crowd = release.classes[places[rest]]
    fewest = at_least(per_crowd(crowd, rows.lower[rest]))
    most = at_most(per_crowd(crowd, rows.upper[rest]))
    low = least_sum(*in_order(crowd, ends.least[rest]), fewest, most)
    high = greatest_sum(*in_order(crowd, ends.greatest[rest]), fewest, most)
    return (
        total + Bounds(low, 0.0, high),
        count + Bounds(float(fewest.sum()), 0.0, float(most.sum())),
    )


def _secret_total(shown: Shown, weighed: Weighed, rows: Shares) -> tuple[Bounds, Bounds, bool]:
    """Rows whose number is one of a bucket; its values that are not wanted never count.

    Of a bucket's rows that satisfy all else, the share of its wanted values is expected to satisfy
    the conditions on the number itself.
    """
    assert shown.bids is not None
    assert weighed.bucketed is not None
    secret, shares = shown.bids >= 0, weighed.buckets
    bids, kept, n = shown.bids[secret], weighed.bucketed.wanted, len(shares)
    owners, numbers = weighed.bucketed.owners[kept], weighed.bucketed.numbers[kept]
    lower, expected, upper, surely, maybe = (
        per_crowd(bids, part[secret], n)
        for part in (rows.lower, rows.estimate, rows.upper, rows.surely, rows.maybe)
    )
    fewest, most = at_least(lower * shares), at_most(upper * shares)
    sizes = np.bincount(owners, minlength=n)
    means = per_crowd(owners, numbers, n) / np.maximum(sizes, 1)
    total = Bounds(
        least_sum(owners, numbers, fewest, most),
        float((expected * shares) @ means),
        greatest_sum(owners, numbers, fewest, most),
    )
    count = Bounds(float(fewest.sum()), float((expected * shares).sum()), float(most.sum()))
    even = (shares == 1) | (shares == 0) | (surely == np.bincount(bids, minlength=n)) | (maybe == 0)
    return total, count, bool(even.all())


def _notes(release: ReleaseFolder, reading: Reading) -> tuple[str, ...]:
    notes = list(reading.notes)
    for name, weighed in reading.weighed.items():
        shown = release.shown(name)
        notes += _gap_notes(shown, weighed)
    if release.n_suppressed:
        notes.append(f"{release.n_suppressed:,} rows of the original were suppressed: they are in "
                     "no answer.")  # fmt: skip
    return tuple(notes)


def _gap_notes(shown: Shown, weighed: Weighed) -> list[str]:
    found = []
    if hidden := weighed.count(shown, weighed.hidden):
        found.append(
            f"{hidden:,} rows show nothing of {shown.name!r}: taken as spread evenly over what "
            "the release, or the plan, tells of it."
        )
    if unknown := weighed.count(shown, weighed.unknown):
        found.append(
            f"{unknown:,} rows show a value of {shown.name!r} that the files do not explain: the "
            "lower bound leaves them out, the upper bound counts them in. --plan PLAN may explain "
            "it."
        )
    return found
