"""Identity-reserved anonymity: the distance of people to a group (eq. 11 to 18)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.plan import parse_schema, require_columns
from shoal.schema import Schema
from shoal.source import read
from shoal.table import (
    Domain,
    Table,
    encode,
    people_named,
    published_contents,
    repeated_rows,
    settle_conflicts,
)

__all__ = ["distances"]


def distances(
    data: Any, attributes: Mapping[str, Any] | Schema, individual: str, group: Iterable[Any]
) -> dict[Any, float]:
    """The distance of every person to a group of people, by person, in order of appearance.

    What the rows of the person and the rows of the group lose when all of them are generalised to
    one element: ranges of numbers and sets of categories (eq. 16 and 17). Rows of a person that
    are equal in every published column count once. A member of the group is at distance 0.
    `attributes` is what a plan declares, or a Schema; `individual` the column that names people.

    >>> people = pl.DataFrame({"who": ["a", "b", "b", "c"], "age": [30, 33, 33, 39]})
    >>> asked = {"who": "identifier", "age": {"role": "quasi", "kind": "numeric"}}
    >>> distances(people, asked, "who", ["a"])
    {'a': 0.0, 'b': 0.6666666666666666, 'c': 2.0}
    """
    frame, table = _merged(read(data), attributes, individual)
    assert table.people is not None
    members = people_named(
        [str(name) for name in group], frame, individual, table.people, "the group"
    )
    if not len(members):
        raise DataError("A distance needs a group, and this one has nobody.")
    rows = np.bincount(table.people.person, minlength=len(table.people)).astype(np.float64)
    union, before = np.zeros(len(rows)), 0.0
    for attribute, domain in zip(table.schema.quasi, table.quasi, strict=True):
        codes = table.unit_codes(attribute.name)
        own = np.unique(codes[members])
        lost = _lose_numbers if domain.is_range else _lose_categories
        union += lost(domain, codes, own)
        before += float(lost(domain, own[:1], own)[0])
    away = rows * union + rows[members].sum() * (union - before)
    away[members] = 0.0
    names = frame[individual].gather(table.people.first_row)
    return dict(zip(names.to_list(), away.tolist(), strict=True))


def _merged(
    frame: pl.DataFrame, attributes: Mapping[str, Any] | Schema, individual: str
) -> tuple[pl.DataFrame, Table]:
    """The rows and their codes, without hierarchies and without repeated rows."""
    schema = parse_schema(attributes, individual)
    require_columns(frame.columns, [a.name for a in schema.attributes])
    frame, _ = settle_conflicts(frame, schema)
    schema = encode(frame, schema).schema
    table = encode(frame, schema.without_hierarchies())
    assert table.people is not None
    first = repeated_rows(table.people, published_contents(frame, table))
    if first is None:
        return frame, table
    kept = np.unique(first)
    return frame[kept], table.take(kept)


def _lose_numbers(domain: Domain, codes: NDArray[Any], own: NDArray[Any]) -> NDArray[np.float64]:
    """Of a range that covers the group and each code; missing beside numbers loses all."""
    assert domain.numbers is not None
    low, high = np.minimum(codes, own[0]).astype(int), np.maximum(codes, own[-1]).astype(int)
    span = domain.span or 1.0
    width = (domain.numbers[high] - domain.numbers[low]) / span
    mixed = (high == domain.missing) & (low != high)
    return np.where(mixed, 1.0, np.where(low == high, 0.0, np.nan_to_num(width)))


def _lose_categories(domain: Domain, codes: NDArray[Any], own: NDArray[Any]) -> NDArray[np.float64]:
    """Of the set that holds the group's values and each code."""
    size = len(own) + ~np.isin(codes, own)
    return (size - 1) / max(len(domain) - 1, 1)
