"""How far the answers that a reader gets from the release are from the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.measure.truth import AggregateQuery, Predicate, true_answers
from shoal.schema import Kind
from shoal.table import Column, Domain
from shoal.table.partition import SUPPRESSED

N_QUERIES = 200
SEED = 20_070_415


def workload(
    domains: tuple[Domain, ...], n: int = N_QUERIES, seed: int = SEED
) -> Iterator[AggregateQuery]:
    """Seeded random queries: 1 to all quasi-identifiers, joined by AND or OR.

    For a number or a date, a range of 10 to 50 % of its values; for a category, a random set of up
    to half of them.
    """
    draw = np.random.default_rng(seed)
    for _ in range(n):
        n_predicates = int(draw.integers(1, len(domains) + 1))
        chosen = np.sort(draw.choice(len(domains), n_predicates, replace=False))
        joined: Literal["and", "or"] = "and" if draw.random() < 0.5 else "or"
        yield AggregateQuery(tuple(_predicate(draw, int(j), domains[j]) for j in chosen), joined)


def alike_queries(
    view: View, kind: Literal["and", "or", "range"], n_attributes: int, n: int, seed: int
) -> Iterator[AggregateQuery]:
    """Seeded queries of one kind, each over `n_attributes` (the graph paper, Figs. 16 to 18).

    `and` and `or` take the values of a random row; `range` joins ranges and sets by AND.
    """
    draw = np.random.default_rng(seed)
    domains = view.table.quasi
    for _ in range(n):
        chosen = np.sort(draw.choice(len(domains), n_attributes, replace=False)).tolist()
        if kind == "range":
            yield AggregateQuery(tuple(_predicate(draw, j, domains[j]) for j in chosen), "and")
        else:
            row = int(draw.integers(view.n_rows))
            yield AggregateQuery(tuple(_equals(view, j, row) for j in chosen), kind)


def _equals(view: View, j: int, row: int) -> Predicate:
    """The value of a row, even where it is missing."""
    domain = view.table.quasi[j]
    code = int(view.table.columns[domain.attribute.name].codes[row])
    matches = np.zeros(len(domain), dtype=np.bool_)
    matches[code] = True
    if domain.numbers is None or code == domain.missing:
        return Predicate(j, matches)
    return Predicate(j, matches, (float(domain.numbers[code]), float(domain.numbers[code])))


def _predicate(draw: np.random.Generator, j: int, domain: Domain) -> Predicate:
    present = np.array([text is not None for text in domain.texts])
    measured = domain.attribute.kind in (Kind.NUMERIC, Kind.DATE)
    # Where all cells are missing, there is no range to ask for.
    if domain.numbers is not None and measured and present.any():
        numbers = np.sort(domain.numbers[present])
        length = max(1, int(len(numbers) * draw.uniform(0.1, 0.5)))
        start = int(draw.integers(0, max(len(numbers) - length, 0) + 1))
        low, high = numbers[start], numbers[min(start + length, len(numbers)) - 1]
        matches = present & (domain.numbers >= low) & (domain.numbers <= high)
        return Predicate(j, matches, (float(low), float(high)))
    codes = np.flatnonzero(present)
    size = int(draw.integers(1, max(len(codes) // 2, 1) + 1))
    matches = np.zeros(len(domain), dtype=np.bool_)
    matches[draw.choice(codes, min(size, len(codes)), replace=False)] = True
    return Predicate(j, matches)


class _QueryError(Measure):
    """The mean relative error of a seeded workload, over queries whose true answer is not 0."""

    costly: ClassVar[bool] = True
    with_buckets: ClassVar[bool] = True

    def weights(self, view: View) -> NDArray[np.float64] | None:
        """What each row adds to the true answer."""
        raise NotImplementedError

    def shown(self, view: View) -> NDArray[np.float64] | None:
        """What each row adds for a reader, where that is something else."""
        return None

    def applies(self, view: View) -> bool:
        return bool(view.labels) and view.n_rows > 0 and self.weights(view) is not None

    def summarise(self, view: View) -> NDArray[np.float64]:
        weights = self.weights(view)
        assert weights is not None
        queries = list(workload(view.table.quasi))
        errors = relative_errors(view, queries, weights, self.shown(view))
        return np.array([sum(errors), len(errors)], dtype=np.float64)


def relative_errors(
    view: View,
    queries: Sequence[AggregateQuery],
    weights: NDArray[np.float64],
    shown: NDArray[np.float64] | None = None,
) -> list[float]:
    """The relative error of every query whose true answer is not 0.

    `weights` is what each row adds to the true answer: 1 for COUNT, its number for SUM; `shown`
    what it adds for a reader, if that is something else.
    """
    parts = _parts(view, weights if shown is None else shown)
    true_ones = true_answers(view.table, queries, weights).tolist()
    return [
        abs(_answer(view, query, parts) - true) / abs(true)
        for query, true in zip(queries, true_ones, strict=True)
        if true
    ]


@dataclass(frozen=True)
class _Parts:
    """What a reader adds up: classes, or single rows where rows of a class differ in their buckets.

    `rows` are those of the input, where they are single.
    """

    classes: NDArray[np.int32] | NDArray[np.int64]
    weights: NDArray[np.float64]
    rows: NDArray[np.int64] | None = None


def _parts(view: View, shown: NDArray[np.float64]) -> _Parts:
    kept = np.flatnonzero(view.row_class != SUPPRESSED)
    if view.buckets is not None:
        return _Parts(view.row_class[kept], shown[kept], kept)
    n = view.partition.n_classes
    sums = np.bincount(view.row_class[kept], weights=shown[kept], minlength=n)
    return _Parts(np.arange(n), sums.astype(np.float64))


def _answer(view: View, query: AggregateQuery, parts: _Parts) -> float:
    """The answer from the release."""
    shares = []
    for predicate in query.predicates:
        label = view.labels[predicate.attribute]
        of_part = label.of_class if parts.rows is None else label.of_class[parts.classes]
        share = predicate.share(label)[of_part]
        _share_hidden(view, predicate, parts, share)
        shares.append(share)
    return float(query.combine(shares) @ parts.weights)


def _share_hidden(
    view: View, predicate: Predicate, parts: _Parts, out: NDArray[np.float64]
) -> None:
    """A secret cell matches as often as the values of its bucket do, a withheld one as all do."""
    label = view.labels[predicate.attribute]
    if label.secret < 0 or parts.rows is None or view.buckets is None:
        return
    out[label.of_class[parts.classes] == label.withheld] = predicate.matches.mean()
    name = label.domain.attribute.name
    if name in view.buckets:
        buckets = view.buckets[name][parts.rows]
        inside = buckets >= 0
        codes = view.table.columns[name].codes[parts.rows][inside]
        means = _bucket_means(buckets[inside], predicate.matches[codes].astype(np.float64))
        out[inside] = means[buckets[inside]]


def _bucket_means(buckets: NDArray[np.int32], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each bucket's values."""
    sums, counts = np.bincount(buckets, weights=values), np.bincount(buckets)
    return np.asarray(sums / np.maximum(counts, 1))


class QueryCount(_QueryError):
    """The mean relative error of COUNT queries over the quasi-identifiers.

    200 seeded queries. The answer from the release is a sum over its rows. Each published value
    satisfies a predicate by a share (a secret cell by the share of its bucket's values); a row
    counts the product of its shares (AND), or one minus the product of their complements (OR).
    Queries whose true answer is 0 are left out.
    """

    name: ClassVar[str] = "query-count"
    limits: ClassVar[str] = (
        "A random workload: your own queries may fare better or worse. The cells of a row are "
        "treated as independent."
    )
    cite: ClassVar[papers.Citations] = (
        papers.cite("lefevre"),
        papers.cite("identity", "eq. 19"),
        papers.cite("graph", "section 4.3"),
    )

    def weights(self, view: View) -> NDArray[np.float64] | None:
        return np.ones(view.n_rows)


class QuerySum(_QueryError):
    """The mean relative error of SUM queries over the first numeric sensitive attribute.

    The same workload as query-count, each row weighted by its number, or by the mean of its bucket;
    missing numbers add nothing.
    """

    name: ClassVar[str] = "query-sum"
    limits: ClassVar[str] = (
        "Like query-count. Sensitive values outside buckets are exact, so all errors come "
        "from the predicates."
    )
    cite: ClassVar[papers.Citations] = (
        papers.cite("zhang"),
        papers.cite("lgb", "section 4.2"),
        papers.cite("graph", "eq. 4"),
    )

    def weights(self, view: View) -> NDArray[np.float64] | None:
        column = self._column(view)
        return None if column is None else _numbers(column)

    def shown(self, view: View) -> NDArray[np.float64] | None:
        column = self._column(view)
        if column is None or view.buckets is None or column.attribute.name not in view.buckets:
            return None
        # A reader sees which numbers a bucket has, but not whose they are.
        buckets, numbers = view.buckets[column.attribute.name], _numbers(column)
        inside = buckets >= 0
        means = _bucket_means(buckets[inside], numbers[inside])
        found = np.zeros(view.n_rows)
        found[inside] = means[buckets[inside]]
        return found

    def _column(self, view: View) -> Column | None:
        for column in view.exact_sensitive:
            if column.attribute.kind is Kind.NUMERIC and column.domain.numbers is not None:
                return column
        return None


def _numbers(column: Column) -> NDArray[np.float64]:
    assert column.domain.numbers is not None
    return np.asarray(np.nan_to_num(column.domain.numbers)[column.codes])
