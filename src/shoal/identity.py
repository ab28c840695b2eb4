"""Identity-reserved anonymity: the distances of people and of classes (eq. 11 to 18)."""

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
from shoal.table.space import SET, packed_codes, space_of

__all__ = ["class_distance", "distances"]


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


def class_distance(
    data: Any,
    attributes: Mapping[str, Any] | Schema,
    individual: str,
    one: Iterable[Any],
    other: Iterable[Any],
) -> float:
    """The distance of two classes of people (Definition 4.7), by the loss that `danonyir` uses.

    What the rows of both lose when all of them are generalised to one element (eq. 18); with one
    person in a class it is eq. 17, with one in each eq. 16. Parameters as in `distances`.

    >>> people = pl.DataFrame({"who": ["a", "b", "b", "c"], "age": [30, 33, 33, 39]})
    >>> asked = {"who": "identifier", "age": {"role": "quasi", "kind": "numeric"}}
    >>> class_distance(people, asked, "who", ["a"], ["b", "c"])
    1.6666666666666665
    """
    frame, table = _merged(read(data), attributes, individual)
    assert table.people is not None
    classes = [
        people_named([str(n) for n in names], frame, individual, table.people, f"the {which} class")
        for which, names in (("first", one), ("second", other))
    ]
    if not all(map(len, classes)):
        raise DataError("A distance needs two classes, but one of them has nobody.")
    if np.isin(classes[0], classes[1]).any():
        raise DataError("Two classes must not share a person, but these do.")
    rows = np.bincount(table.people.person, minlength=len(table.people))
    together = _lose(table, np.concatenate(classes))
    return float(sum(rows[own].sum() * (together - _lose(table, own)) for own in classes))


def _lose(table: Table, members: NDArray[np.int64]) -> float:
    """What a person's values lose when generalised to the element of these people (eq. 13)."""
    from shoal.kernels.box.element import lose_set
    from shoal.kernels.box.union import lose_between

    space, codes = space_of(table.quasi), packed_codes(table)[members]
    return float(
        sum(
            lose_set(space, j, len(np.unique(column)))
            if form == SET
            else lose_between(space, j, column.min(), column.max())
            for j, (form, column) in enumerate(zip(space.form, codes.T, strict=True))
        )
    )


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
