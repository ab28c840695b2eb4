"""SUM, COUNT and AVG from a release alone: bounds and an estimate, by LGB's section 4.2.

Every row has a chance p to satisfy the conditions: the product over the attributes of the share of
its published cell that does. Rows whose numbers cannot be told apart form a crowd: the rows of a
bucket or, where the number is public, those of a class. In a crowd at least floor(sum of p) and at
most ceil(sum of p) rows count; the lower bound takes as many of its smallest numbers as make the
sum least, the upper bound as many of its largest as make it greatest, the estimate the sum of p
times the mean.

They are *expected* bounds: the number of rows that count is only near the sum of p. Two rows with
p = 1/2 over a bucket {10, 20} give 10 to 20, and the true sum may be 0 or 30. Only where every p is
sure, 0 or 1, do they hold for certain. The bounds of `sure` always do, and stand next to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal._command.query.crowd import (
    UncertainNumber,
    at_least,
    at_most,
    greatest_sum,
    in_order,
    least_sum,
    per_crowd,
)
from shoal._command.query.folder import AttributeView, ReleaseFolder, open_folder
from shoal._command.query.grammar import Function, Query, QueryCondition, Value, parse
from shoal._command.query.interpreter import Interpreter
from shoal._command.query.share import Amounts, Shares, Weighed, WeighedNumbers
from shoal._command.query.sure import sure_count, sure_total
from shoal.plan import AnyPlan, Plan
from shoal.reading.encoding import Codes, Floats, Integers
from shoal.report.snippet import snippet
from shoal.schema.wording import counted

# What the numbers of an answer are, in the order in which they are shown.
NUMBERS = ("Lower", "Estimate", "Upper", "Expected from", "Expected to")


@dataclass(frozen=True)
class Answer:
    """The answer to a query, from published files alone.

    `certain_lower` and `certain_upper` surely hold for the published rows; they are None where the
    files do not fix them. `lower` and `upper` are the expected bounds around the `estimate`, which
    may be far from the truth: only with `certain` do they hold for sure. They are None where there
    is no such bound, and with them the estimate where no row can count (AVG). Of the published
    `rows`, at least `surely` and at most `maybe` satisfy the conditions; with `people` all three
    are numbers of people. With GROUP BY, `groups` has the answer for each value of that attribute,
    in order, None being the missing one.
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
    groups: tuple[tuple[str | None, Answer], ...] = ()
    people: bool = False
    certain_lower: float | None = None
    certain_upper: float | None = None

    def _repr_html_(self) -> str:
        """The bounds and the estimate; with GROUP BY a line for each published value."""
        counted = "people" if self.people else "rows"
        title = f"{self.function} over {self.rows:,} published {counted}"
        own = [(value, *one.numbers) for value, one in self.groups]
        return snippet(title, ("Group", *NUMBERS), own or [("all", *self.numbers)])

    @property
    def numbers(self) -> tuple[float | None, ...]:
        """The certain bounds with the estimate between them, and the expected bounds behind."""
        return self.certain_lower, self.estimate, self.certain_upper, self.lower, self.upper


@dataclass(frozen=True, eq=False)
class OpenRelease:
    """A release that is read once for many queries; made by `open_release`."""

    interpreter: Interpreter

    def query(self, text: str) -> Answer:
        """Answer a query; raises QueryError where it cannot be understood."""
        return self.answer(parse(text))

    def answer(self, query: Query) -> Answer:
        """Answer a query that has been parsed already."""
        if query.group is None:
            return self._answer(query)
        values = self.interpreter.group_values(query)
        groups = [(value, self._answer(_of_group(query, value))) for value in values]
        return replace(self._answer(replace(query, group=None)), groups=tuple(groups))

    # A sum beyond all floats is infinite, and no reason to warn.
    @np.errstate(over="ignore", invalid="ignore")
    def _answer(self, query: Query) -> Answer:
        release = self.interpreter.release
        found = self.interpreter.interpret(query)
        weighed = dict(found.conditions)
        rows = Shares.exact(np.ones(release.data.height))
        for name, one in weighed.items():
            rows = rows & one.rows(release.view(name))
        if query.people:
            rows = _by_person(rows, self.interpreter.people(query))
        total, count, certain, matching = None, _count(rows), True, rows
        sure = sure_count(rows)
        if query.attribute is not None and found.summed is not None:
            view = release.view(query.attribute)
            total, count, certain = _total(release, view, found.summed, rows)
            sure = sure_total(query.function, view, found.summed, rows)
            matching = rows & found.summed.rows(view)
            weighed[query.attribute] = found.summed
        return Answer(
            query.function,
            query.attribute,
            *_result(query.function, total, count),
            certain and bool(np.array_equal(rows.surely, rows.maybe)),
            len(rows.estimate),
            int(matching.surely.sum()),
            int(matching.maybe.sum()),
            (*found.notes, *_notes(release, weighed)),
            (),
            query.people,
            *sure,
        )


def open_release(folder: str | Path, plan: AnyPlan | None = None) -> OpenRelease:
    """Open a release folder for several queries; see `query`."""
    return OpenRelease(Interpreter(open_folder(folder), None if plan is None else Plan.of(plan)))


def query(folder: str | Path, text: str, plan: AnyPlan | None = None) -> Answer:
    """Answer a query from the files of a release folder.

    `plan` (a Plan, a mapping or a path) explains what the files do not: the leaves of hierarchies,
    the order of ordinals, declared domains. Raises QueryError where the text cannot be understood
    or the release does not have what it names, DataError where the folder is not a release.
    """
    parsed = parse(text)
    return open_release(folder, plan).answer(parsed)


def _of_group(query: Query, value: str | None) -> Query:
    """The query for one value of the attribute that it is grouped by."""
    assert query.group is not None
    place = query.group_position
    condition = QueryCondition(query.group, "missing", (), place)
    if value is not None:
        condition = QueryCondition(query.group, "=", (Value(value, None, place),), place)
    return replace(query, conditions=(*query.conditions, condition), group=None)


def _by_person(rows: Shares, person: Codes) -> Shares:
    """The chance that a person counts: that of the row of theirs that is likeliest to.

    A person's rows show the same quasi-identifiers, so this is the chance of these where a row
    satisfies the other conditions, and 0 elsewhere (the identity paper, eq. 19).
    """
    n_people = int(person.max(initial=-1)) + 1

    def likeliest(part: Floats) -> Floats:
        most = np.zeros(n_people)
        np.maximum.at(most, person, part)
        return most

    lower, estimate, upper = map(likeliest, (rows.lower, rows.estimate, rows.upper))
    surely, maybe = (likeliest(part.astype(np.float64)) > 0 for part in (rows.surely, rows.maybe))
    return Shares(lower, estimate, upper, surely, maybe)


def _count(rows: Shares) -> UncertainNumber:
    """COUNT(*): all rows are one crowd, so only the last row is rounded."""
    lower, estimate, upper = (part.sum() for part in (rows.lower, rows.estimate, rows.upper))
    least, most = float(at_least(lower)), float(at_most(upper))
    # Where nothing is uncertain, a sum of shares may come out a hair beyond its whole number.
    return UncertainNumber(least, min(max(float(estimate), least), most), most)


def _result(
    function: Function, total: UncertainNumber | None, count: UncertainNumber
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
    release: ReleaseFolder, view: AttributeView, weighed: WeighedNumbers, rows: Shares
) -> tuple[UncertainNumber, UncertainNumber, bool]:
    """The sum, how many rows it is over, and whether nothing about the numbers is guessed."""
    codes = view.labels.codes
    public = np.ones(len(codes), dtype=np.bool_) if view.bids is None else view.bids < 0
    every = rows & weighed.labels.take(codes)
    counting = np.flatnonzero(public & (every.upper > 0))
    ends = Amounts(*(part[codes[counting]] for part in weighed.amounts))
    total, count = _public_total(release, every.take(counting), ends, counting)
    certain = not weighed.loose[codes[public & every.maybe]].any()
    certain &= bool(np.array_equal(every.surely[public], every.maybe[public]))
    certain &= _has_sure_ends(weighed, codes[public & every.maybe])
    if view.bids is None:
        return total, count, certain
    more, further, even = _secret_total(view.bids, weighed, rows)
    return total + more, count + further, certain and even


def _has_sure_ends(weighed: WeighedNumbers, codes: Codes) -> bool:
    """Whether the ends of these labels are the same if there are fractions behind them."""
    pairs = zip(weighed.amounts, weighed.sure_amounts, strict=True)
    least, _, greatest = (bool((a[codes] == b[codes]).all()) for a, b in pairs)
    return least and greatest


def _public_total(
    release: ReleaseFolder, rows: Shares, ends: Amounts, places: Integers
) -> tuple[UncertainNumber, UncertainNumber]:
    """Rows that show a number or a range: those that surely count, and the rest by classes."""
    whole = rows.lower >= 1.0
    n_whole = float(whole.sum())
    total = UncertainNumber(
        float(ends.least[whole].sum()),
        float((rows.estimate * ends.mean).sum()),
        float(ends.greatest[whole].sum()),
    )
    count = UncertainNumber(n_whole, float(rows.estimate.sum()), n_whole)
    if whole.all():
        return total, count
    rest = ~whole
    crowd = release.classes[places[rest]]
    fewest = at_least(per_crowd(crowd, rows.lower[rest]))
    most = at_most(per_crowd(crowd, rows.upper[rest]))
    low = least_sum(*in_order(crowd, ends.least[rest]), fewest, most)
    high = greatest_sum(*in_order(crowd, ends.greatest[rest]), fewest, most)
    return (
        total + UncertainNumber(low, 0.0, high),
        count + UncertainNumber(float(fewest.sum()), 0.0, float(most.sum())),
    )


def _secret_total(
    bids: Codes, weighed: WeighedNumbers, rows: Shares
) -> tuple[UncertainNumber, UncertainNumber, bool]:
    """Rows whose number is one of a bucket; those of its values that do not match never count.

    Of a bucket's rows that satisfy all else, the share of its matching values is expected to
    satisfy the conditions on the number itself.
    """
    secret, shares = bids >= 0, weighed.buckets
    bids, n = bids[secret], len(shares)
    owners, numbers = weighed.owners[weighed.matches], weighed.values[weighed.matches]
    lower, expected, upper, surely, maybe = (per_crowd(bids, part[secret], n) for part in rows)
    fewest, most = at_least(lower * shares), at_most(upper * shares)
    sizes = np.bincount(owners, minlength=n)
    means = per_crowd(owners, numbers, n) / np.maximum(sizes, 1)
    total = UncertainNumber(
        least_sum(owners, numbers, fewest, most),
        float((expected * shares) @ means),
        greatest_sum(owners, numbers, fewest, most),
    )
    count = UncertainNumber(
        float(fewest.sum()), float((expected * shares).sum()), float(most.sum())
    )
    even = (shares == 1) | (shares == 0) | (surely == np.bincount(bids, minlength=n)) | (maybe == 0)
    return total, count, bool(even.all())


def _notes(release: ReleaseFolder, weighed: Mapping[str, Weighed]) -> Iterator[str]:
    for name, one in weighed.items():
        view = release.view(name)
        if hidden := view.count(one.hidden):
            yield (
                f"{counted(hidden, 'row shows', 'rows show')} nothing of {name!r}: taken as "
                "spread evenly over the range or values that the release or the plan gives for it."
            )
        if unknown := view.count(one.unknown):
            yield (
                f"{counted(unknown, 'row shows', 'rows show')} a value of {name!r} that the files "
                "do not explain: the lower bound leaves it out, and the upper bound includes it. "
                "--plan PLAN may explain it."
            )
    if release.n_suppressed:
        rows = counted(release.n_suppressed, "row")
        verb = "was" if release.n_suppressed == 1 else "were"
        yield f"{rows} of the original {verb} suppressed, and no answer counts them."
