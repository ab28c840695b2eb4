"""The answer of the original table to a query, next to which that of the release is shown."""

from __future__ import annotations

from functools import reduce
from operator import and_

import polars as pl

from shoal._command.query.grammar import Query, QueryCondition, QueryError
from shoal.schema import Kind, Schema

_BY_SIGN = {
    "=": pl.Expr.eq, "<": pl.Expr.lt, "<=": pl.Expr.le, ">": pl.Expr.gt, ">=": pl.Expr.ge,
}  # fmt: skip


def answer_exactly(
    query: Query, frame: pl.DataFrame, schema: Schema
) -> list[tuple[str | None, float | None]]:
    """One pair of a group and its number; without GROUP BY the group is None.

    `frame` is the input of a run, in which numbers and dates have their usual form.
    """
    kinds = {a.name: a.kind for a in schema.attributes}
    for name in [query.attribute, query.group, *(c.attribute for c in query.conditions)]:
        if name is not None and name not in frame.columns:
            raise QueryError(f"The original has no column {name!r}.")
    tests = [_test(condition, frame, kinds) for condition in query.conditions]
    found = frame.filter(reduce(and_, tests)) if tests else frame
    if query.group is None:
        return [(None, _number(query, found, schema))]
    parts = found.partition_by(query.group, as_dict=True, include_key=True)
    named = {None if key[0] is None else str(key[0]): part for key, part in parts.items()}
    return [(name, _number(query, part, schema)) for name, part in named.items()]


def _number(query: Query, rows: pl.DataFrame, schema: Schema) -> float | None:
    if query.attribute is None:
        if query.people and schema.individual is not None:
            return float(rows[schema.individual.column].n_unique())
        return float(rows.height)
    numbers = rows[query.attribute].cast(pl.Float64, strict=False)
    found = numbers.sum() if query.function == "SUM" else numbers.mean()
    return None if found is None else float(found)  # type: ignore[arg-type]


def _test(condition: QueryCondition, frame: pl.DataFrame, kinds: dict[str, Kind | None]) -> pl.Expr:
    column = pl.col(condition.attribute)
    operator, values = condition.operator, condition.values
    if operator in ("missing", "present"):
        empty = column.is_null() | (column.cast(pl.String) == "")
        return empty if operator == "missing" else ~empty
    by_number = all(value.number is not None for value in values) and (
        frame.schema[condition.attribute].is_numeric()
        or kinds.get(condition.attribute) is Kind.NUMERIC
    )
    cells = column.cast(pl.Float64, strict=False) if by_number else column.cast(pl.String)
    given = [pl.lit(value.number if by_number else value.text) for value in values]
    if operator == "in":
        return reduce(pl.Expr.or_, [cells == one for one in given])
    if operator == "between":
        return (cells >= given[0]) & (cells <= given[1])
    if operator == "!=":
        return cells.is_not_null() & (cells != given[0])
    return _BY_SIGN[operator](cells, given[0])
