"""Queries, and what they answer on the table itself: a whole workload in one pass over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shoal.recode import Generalised
from shoal.table import Table

# Rows that are looked at together: their bits, one for each query, stay in the cache.
_STEP = 8192


@dataclass(frozen=True)
class Predicate:
    """A condition on one quasi-identifier: which codes match, or for numbers an interval."""

    attribute: int
    matches: NDArray[np.bool_]
    interval: tuple[float, float] | None = None

    def share(self, label: Generalised) -> NDArray[np.float64]:
        """The part of each label that matches: of its values, of its integers, or of its length."""
        if self.interval is None or label.low is None or label.high is None:
            return label.total(self.matches.astype(np.float64)) / np.maximum(label.leaves, 1)
        inside = _inside(label, self.interval)
        everything = label.total(self.matches.astype(np.float64)) / len(label.domain)
        missing = np.array([text is None for text in label.texts])
        inside = np.where(np.isnan(label.low), everything, inside)
        return np.where(missing, 0.0, inside)


@dataclass(frozen=True)
class AggregateQuery:
    """COUNT or SUM over the rows that satisfy all, or any, of some predicates."""

    predicates: tuple[Predicate, ...]
    joined: Literal["and", "or"]

    def combine(self, shares: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        """The chance that a row satisfies the query, its cells taken as independent."""
        if self.joined == "and":
            return reduce(np.multiply, shares)
        return np.asarray(1 - reduce(np.multiply, [1 - share for share in shares]))


def true_answers(
    table: Table, queries: Sequence[AggregateQuery], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The sum of the weights of the rows that satisfy each query.

    Every value has a bit for each query, so a row satisfies all of a query's predicates where
    the bits of all its values are set. A row satisfies any of them unless it fails all: there the
    bits say that a value fails.
    """
    any_of = np.array([query.joined == "or" for query in queries], dtype=np.bool_)
    bits = [_bits(len(d), j, queries) for j, d in enumerate(table.quasi)]
    columns = [table.columns[d.attribute.name].codes for d in table.quasi]
    found = np.zeros(len(queries))
    for start in range(0, table.n_rows, _STEP):
        some = slice(start, start + _STEP)
        held = np.bitwise_and.reduce(
            [own[codes[some]] for own, codes in zip(bits, columns, strict=True)]
        )
        held = np.unpackbits(held.view(np.uint8), axis=1, count=len(queries))
        found += weights[some] @ (held ^ any_of).astype(np.float64)
    return found


def _bits(n_codes: int, attribute: int, queries: Sequence[AggregateQuery]) -> NDArray[np.uint64]:
    """For every code of an attribute the queries that it does not stand in the way of."""
    free = np.ones((n_codes, -(-len(queries) // 64) * 64), dtype=np.bool_)
    for place, query in enumerate(queries):
        for predicate in query.predicates:
            if predicate.attribute == attribute:
                free[:, place] &= predicate.matches ^ (query.joined == "or")
    return np.packbits(free, axis=1).view(np.uint64)


def _inside(label: Generalised, interval: tuple[float, float]) -> NDArray[np.float64]:
    """The part of each range that lies in an interval: of its integers, else of its length."""
    assert label.low is not None
    assert label.high is not None
    assert label.domain.numbers is not None
    low, high = np.maximum(label.low, interval[0]), np.minimum(label.high, interval[1])
    numbers = label.domain.numbers[np.isfinite(label.domain.numbers)]
    # |interval| of eq. 19 is how many values of the domain are inside: b - a + 1 whole numbers. Of
    # other numbers it is the length, and a point is in or out.
    if (numbers == np.round(numbers)).all():
        inside = np.floor(high) - np.ceil(low) + 1
        return np.asarray(np.clip(inside, 0, None) / (label.high - label.low + 1))
    point = label.high == label.low
    length = np.where(point, 1.0, label.high - label.low)
    return np.where(point, (high >= low).astype(np.float64), np.clip(high - low, 0, None) / length)
