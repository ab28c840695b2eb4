"""Identity-reserved anonymity: the distances of people and of classes (eq. 11 to 18)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError
from shoal.measure.query import alike_queries, relative_errors
from shoal.method.identity.danonyir import distances_to
from shoal.plan import parse_schema, require_columns
from shoal.release.outcome import Outcome
from shoal.schema import Schema
from shoal.source import AnyTable, read
from shoal.table import (
    Table,
    encode,
    people_named,
    published_contents,
    repeated_rows,
    settle_conflicts,
)
from shoal.table.form import settle_forms
from shoal.table.space import packed_codes, space_of

__all__ = ["class_distance", "distances", "query_errors"]


def distances(
    data: AnyTable, attributes: Mapping[str, Any] | Schema, individual: str, group: Iterable[Any]
) -> dict[Any, float]:
    """The distance of every person to a group of people, by person, in order of appearance.

    The loss of the rows of the person and of the group if all of them are generalised to one
    element: ranges of numbers and sets of categories (eq. 16 and 17). Rows of a person that are
    equal in every published column count once. A member of the group is at distance 0. `attributes`
    is what a plan declares, or a Schema; `individual` the column that names people.

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
        raise DataError("A distance needs a group, but this one is empty.")
    away = distances_to(table, members)
    away[members] = 0.0
    names = frame[individual].gather(table.people.first_row)
    return dict(zip(names.to_list(), away.tolist(), strict=True))


def class_distance(
    data: AnyTable,
    attributes: Mapping[str, Any] | Schema,
    individual: str,
    one: Iterable[Any],
    other: Iterable[Any],
) -> float:
    """The distance of two classes of people (Definition 4.7), by the loss that `danonyir` uses.

    The loss of the rows of both if all of them are generalised to one element (eq. 18); with one
    person in one class it is eq. 17, with one in each eq. 16. Parameters as in `distances`.

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
        raise DataError("A distance needs two classes, but one of them is empty.")
    if np.isin(classes[0], classes[1]).any():
        raise DataError("Two classes must not share a person, but these do.")
    rows = np.bincount(table.people.person, minlength=len(table.people))
    together = _lose(table, np.concatenate(classes))
    # Eq. 18: each side has its own rows, and its own way to go to the union.
    return float(sum(rows[own].sum() * (together - _lose(table, own)) for own in classes))


def query_errors(
    release: Outcome, attributes: Sequence[int] = (1,), n_queries: int = 1000, seed: int = 1
) -> pl.DataFrame:
    """The relative error of COUNT queries that count people, by number of attributes (eq. 19).

    A query is on that many quasi-identifiers, drawn by the seed, each within a range of a tenth to
    half of its numbers or a set of up to half of its categories, and on one sensitive value, taken
    from a row drawn from the input. A person counts once, whatever their number of rows. Queries
    whose true answer is 0 are left out. Columns: attributes, error (the mean), and queries.
    """
    view = release.measures.view
    codes = view.table.sensitive[0].codes
    # One row for each person and value.
    pairs = np.column_stack([view.table.unit_of_row(), codes])
    once = np.unique(pairs, axis=0, return_index=True)[1]
    found = []
    for n in attributes:
        asked = np.random.default_rng(seed).integers(view.n_rows, size=n_queries)
        errors: list[float] = []
        for query, row in zip(alike_queries(view, "range", n, n_queries, seed), asked, strict=True):
            weights = np.zeros(view.n_rows)
            weights[once[codes[once] == codes[row]]] = 1.0
            errors += relative_errors(view, [query], weights)
        mean = float(np.mean(errors)) if errors else None
        found.append({"attributes": n, "error": mean, "queries": len(errors)})
    return pl.DataFrame(found)


def _lose(table: Table, members: NDArray[np.int64]) -> float:
    """What a person's values lose when generalised to the element of these people (eq. 13)."""
    from shoal.kernels.box.space import lose_union

    space, codes = space_of(table.quasi), packed_codes(table)[members]
    unions = [(column.min(), column.max(), len(np.unique(column))) for column in codes.T]
    return float(sum(lose_union(space, j, *union) for j, union in enumerate(unions)))


def _merged(
    frame: pl.DataFrame, attributes: Mapping[str, Any] | Schema, individual: str
) -> tuple[pl.DataFrame, Table]:
    """The rows and their codes, without hierarchies and without repeated rows."""
    schema = parse_schema(attributes, individual)
    require_columns(frame.columns, [a.name for a in schema.attributes])
    frame, _ = settle_forms(frame, schema)
    frame, _ = settle_conflicts(frame, schema)
    schema = encode(frame, schema).schema
    # The paper knows ranges and sets alone (eq. 11 to 15), which danonyir publishes by default.
    table = encode(frame, schema.without_hierarchies())
    assert table.people is not None
    first = repeated_rows(table.people, published_contents(frame, table))
    if first is None:
        return frame, table
    kept = np.unique(first)
    return frame[kept], table.take(kept)
