"""The weighted graph of rows: distances, errors, its picture, and errors of queries on a release.

Section 3.3 and Definitions 3, 4 and 6 of the graph paper, its Figs. 4, 5 and 8 to 10, and 16 to 18.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, PlanError
from shoal.measure.query import alike_queries, relative_errors
from shoal.plan import parse_schema, require_columns
from shoal.release.outcome import Outcome
from shoal.report.graph import MOST_DRAWN, draw_graph
from shoal.schema import Schema
from shoal.schema.wording import counted
from shoal.source import AnyTable, read
from shoal.table import Table, encode
from shoal.table.form import settle_forms
from shoal.table.space import distance_matrix, set_distances

__all__ = [
    "adjacency_matrix",
    "class_error",
    "draw",
    "insert",
    "query_errors",
    "release_error",
    "set_distance",
]

# A matrix of so many rows takes 800 MB.
_MOST_ROWS = 10_000


def adjacency_matrix(
    data: AnyTable, attributes: Mapping[str, Any] | Schema, normalise: bool = False
) -> NDArray[np.int64 | np.float64]:
    """The distances of all pairs of rows, in row order (Figs. 5 and 10); whole numbers as integers.

    The distance between two rows is the sum, over the quasi-identifiers, of what one class of both
    would have to hide: for numbers the difference, for dates the days between, with a hierarchy the
    level of the lowest common ancestor (one above the top if there is none), otherwise 1 if they
    differ. `normalise` divides a difference by the length of the domain, a level by the hierarchy's
    height. A missing cell is as far from every number as the domain is long (1 if that is zero); in
    other columns it is a value like any other. `attributes` is what a plan declares, or a Schema.
    Raises DataError for more than 10,000 rows, whose matrix would not fit into memory.

    >>> people = pl.DataFrame({"age": [45, 46, 47], "sex": ["M", "F", "M"]})
    >>> adjacency_matrix(people, {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}})
    array([[0, 2, 2],
           [2, 0, 2],
           [2, 2, 0]])
    """
    frame = read(data)
    _refuse_many(frame, _MOST_ROWS, "A matrix of distances")
    table = _code(frame, attributes)
    return distance_matrix(table, normalise)


def insert(
    matrix: NDArray[np.int64 | np.float64], data: AnyTable, attributes: Mapping[str, Any] | Schema
) -> NDArray[np.int64 | np.float64]:
    """The matrix of a table to which rows were added, from the matrix of the old table (Fig. 10).

    `data` has all rows, with the new ones at its end: only their distances are computed. If a
    number is missing, all distances are computed, since it is as far from others as the domain is
    long, which may have grown. The matrix must hold the distances as they are, not normalised.
    Raises DataError if it is not square, or larger than that of all rows.

    >>> people = pl.DataFrame({"age": [45, 46, 47], "sex": ["M", "F", "M"]})
    >>> asked = {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}}
    >>> insert(adjacency_matrix(people.head(2), asked), people, asked)
    array([[0, 2, 2],
           [2, 0, 2],
           [2, 2, 0]])
    """
    frame = read(data)
    _refuse_many(frame, _MOST_ROWS, "A matrix of distances")
    n_before, n = len(matrix), frame.height
    if matrix.shape != (n_before, n_before) or n_before > n:
        raise DataError(
            f"The matrix must be the square matrix of the table's first rows, got {matrix.shape} "
            f"for {counted(n, 'row')}.",
        )
    table = _code(frame, attributes)
    if any(domain.is_range and domain.missing >= 0 for domain in table.quasi):
        return distance_matrix(table)
    pairs = [np.array([one, new]) for new in range(n_before, n) for one in range(new)]
    found = set_distances(table, pairs)
    whole = matrix.dtype == np.int64 and bool((found == np.rint(found)).all())
    grown: NDArray[Any] = np.zeros((n, n), dtype=np.int64 if whole else np.float64)
    grown[:n_before, :n_before] = matrix
    for (one, new), value in zip(pairs, found.tolist(), strict=True):
        grown[one, new] = grown[new, one] = value
    return grown


def set_distance(
    data: AnyTable,
    attributes: Mapping[str, Any] | Schema,
    rows: Iterable[int] | None = None,
    *,
    normalise: bool = False,
) -> float:
    """f_DIS of a set of rows (section 3.3): what one class of all of them would have to hide.

    The sum over the quasi-identifiers of the range of their numbers, or the level at which their
    values meet (see `adjacency_matrix`). `rows` are numbers from 0; left out, all rows.

    >>> people = pl.DataFrame({"age": [45, 46, 47], "sex": ["M", "F", "M"]})
    >>> asked = {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}}
    >>> set_distance(people, asked), set_distance(people, asked, [0, 2])
    (3.0, 2.0)
    """
    frame = read(data)
    members = list(range(frame.height)) if rows is None else [int(row) for row in rows]
    if not members or not 0 <= min(members) <= max(members) < frame.height:
        raise DataError(
            f"'rows' must be one or more row numbers, all from 0 to {frame.height - 1}."
        )
    table = _code(frame, attributes)
    return float(set_distances(table, [np.array(members)], normalise)[0])


def class_error(
    data: AnyTable,
    attributes: Mapping[str, Any] | Schema,
    rows: Iterable[int] | None = None,
    *,
    normalise: bool = False,
) -> float:
    """The error of a class of rows (Definition 6): f_DIS times their number.

    >>> people = pl.DataFrame({"age": [45, 46, 47], "sex": ["M", "F", "M"]})
    >>> class_error(people, {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}})
    9.0
    """
    frame = read(data)
    # The error multiplies by their number, so a row that is given twice must not count twice.
    members = sorted(set(range(frame.height) if rows is None else rows))
    return set_distance(frame, attributes, members, normalise=normalise) * len(members)


def release_error(
    data: AnyTable,
    attributes: Mapping[str, Any] | Schema,
    classes: Iterable[int | None],
    *,
    normalise: bool = False,
) -> float:
    """The error of a release (section 3.4.1): the sum over its classes; suppressed rows add none.

    `classes` has the class of every row, None for a suppressed one: `release.rows["class"]`.

    >>> people = pl.DataFrame({"age": [45, 46, 47, 47], "sex": ["M", "F", "M", "M"]})
    >>> asked = {"age": "quasi", "sex": {"role": "quasi", "hierarchy": "flat"}}
    >>> release_error(people, asked, [1, 1, 2, 2])
    4.0
    """
    frame = read(data)
    groups = _groups(list(classes), frame.height)
    sets = [np.array(rows) for number, rows in groups.items() if number is not None]
    table = _code(frame, attributes)
    found = set_distances(table, sets, normalise)
    return float(sum(one * len(rows) for one, rows in zip(found.tolist(), sets, strict=True)))


def draw(
    data: AnyTable,
    attributes: Mapping[str, Any] | Schema,
    classes: Iterable[int | None] | None = None,
    path: str | Path | None = None,
    *,
    normalise: bool = False,
    title: str = "",
) -> str:
    """A picture of the graph as SVG (Figs. 4, 8 and 9), also written to `path` if that is given.

    A vertex is a row, numbered from 1; near rows are near (classical multidimensional scaling). An
    edge has its distance next to it where it fits, and shows it when pointed at. `classes`
    has the class of every row, None for a suppressed one: then the edges inside classes are drawn
    and, for up to 12 rows, the others faintly. Without it, all edges are drawn for up to 12 rows;
    for more, those from each row to its three nearest. No cell is shown, but distances reveal much
    about the rows: the picture is for the publisher only. Raises DataError for more than 60
    rows.
    """
    frame = read(data)
    _refuse_many(frame, MOST_DRAWN, "A picture of the graph")
    groups = {} if classes is None else _groups(list(classes), frame.height)
    matrix = adjacency_matrix(frame, attributes, normalise)
    svg = draw_graph(matrix, groups, title)
    if path is not None:
        Path(path).write_text(svg, encoding="utf-8")
    return svg


def query_errors(
    release: Outcome,
    kinds: Sequence[Literal["and", "or", "range"]] = ("and", "or", "range"),
    n_queries: int = 1000,
    seed: int = 1,
) -> pl.DataFrame:
    """The relative error of COUNT queries on a release, by kind and number of attributes.

    `and` and `or` ask for one value of each attribute, taken from a row drawn from the input;
    `range` asks for a range of a tenth to half of the numbers of each, or a set of up to half of
    its categories, joined by AND. The answer from the release adds up, over its rows, the product
    (or 1 minus the product of the complements) of the share of each published value that satisfies
    its predicate. Queries whose true answer is 0 are left out. Columns: kind, attributes, error
    (the mean), and queries (how many there were).
    """
    view = release.measures.view
    found = []
    for kind in kinds:
        for n in range(1, len(view.table.quasi) + 1):
            queries = list(alike_queries(view, kind, n, n_queries, seed))
            errors = relative_errors(view, queries, np.ones(view.n_rows))
            mean = float(np.mean(errors)) if errors else None
            found.append({"kind": kind, "attributes": n, "error": mean, "queries": len(errors)})
    return pl.DataFrame(found)


def _groups(classes: Sequence[int | None], n_rows: int) -> dict[int | None, list[int]]:
    """The rows of every class, in the order of their numbers, the suppressed last."""
    if len(classes) != n_rows:
        raise DataError(f"'classes' must have one entry per row, {n_rows}, got {len(classes)}.")
    wrong = [str(row + 1) for row, number in enumerate(classes) if not _is_class(number)]
    if wrong:
        raise DataError(
            "'classes' must hold whole numbers, or None for a suppressed row; "
            f"{len(wrong)} are neither (first: row {wrong[0]})."
        )
    order = sorted(set(classes), key=lambda n: (n is None, n or 0))
    return {n: [row for row, own in enumerate(classes) if own == n] for n in order}


def _is_class(number: Any) -> bool:
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    return number is None or whole


def _refuse_many(frame: pl.DataFrame, most: int, what: str) -> None:
    if frame.height > most:
        raise DataError(
            f"{what} can have at most {most:,} rows, got {frame.height:,} instead.",
            hint="Hand over a part of the table.",
        )


def _code(frame: pl.DataFrame, attributes: Mapping[str, Any] | Schema) -> Table:
    """The quasi-identifiers alone, coded; the other columns need not be there."""
    schema = parse_schema(attributes)
    if not schema.quasi:
        raise PlanError("No attribute is a quasi-identifier, so rows have no distance.")
    require_columns(frame.columns, [a.name for a in schema.quasi])
    quasi = replace(schema, attributes=schema.quasi, individual=None)
    return encode(settle_forms(frame, quasi)[0], quasi)
