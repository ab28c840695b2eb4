"""What queries answer on the table itself, all of a workload in one pass over its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.table import Table

# Rows that are looked at together: their bits, one for each query, stay in the cache.
_STEP = 8192


class Condition(Protocol):
    """Which codes of one quasi-identifier match."""

    @property
    def attribute(self) -> int: ...
    @property
    def matches(self) -> NDArray[np.bool_]: ...


class Asked(Protocol):
    """All, or any, of some conditions."""

    @property
    def predicates(self) -> Sequence[Condition]: ...
    @property
    def joined(self) -> Literal["and", "or"]: ...


def true_answers(
    table: Table, queries: Sequence[Asked], weights: NDArray[np.float64]
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


def _bits(n_codes: int, attribute: int, queries: Sequence[Asked]) -> NDArray[np.uint64]:
    """For every code of an attribute the queries that it does not stand in the way of."""
    free = np.ones((n_codes, -(-len(queries) // 64) * 64), dtype=np.bool_)
    for place, query in enumerate(queries):
        for predicate in query.predicates:
            if predicate.attribute == attribute:
                free[:, place] &= predicate.matches ^ (query.joined == "or")
    return np.packbits(free, axis=1).view(np.uint64)
