"""The kind of a column, as far as the plan or what is published tells it.

A kind that only hidden values decide would tell of them: a column of numbers is categorical if one
suppressed row has a word in it.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from shoal.reading.label import RANGE, STAR
from shoal.reading.line import read_line
from shoal.schema import Attribute, Kind, Requirement, Role
from shoal.table.column import declared_kind, guess_kind

# From this many digits on, the type of the input decides whether they are a number or a code.
_LONG = r"\A\s*[+-]?\d{16,}\s*\z"


def kind_by_plan(attribute: Attribute, requirements: Iterable[Requirement]) -> Kind | None:
    """The kind that the plan declares, or that follows from what else it declares."""
    kind = declared_kind(attribute)
    if kind is not None:
        return kind
    spec = attribute.hierarchy
    if any(r.model == "k-e" and _is_about(r, attribute) for r in requirements):
        return Kind.NUMERIC
    if spec is None or not spec.rows:
        return None
    kinds = {guess_kind(pl.String(), [row[0]], attribute) for row in spec.rows if row[0]}
    return kinds.pop() if len(kinds) == 1 else None


def kind_by_cells(
    attribute: Attribute, cells: pl.Series, *, whole: bool, split: bool
) -> Kind | None:
    """The kind that follows from what is shown of an attribute; None where it does not.

    `whole`: no cell of it was left out. `split`: numbers would have two columns of ends.

    >>> from shoal.schema import Role
    >>> age = Attribute("age", Role.QUASI)
    >>> kind_by_cells(age, pl.Series(["[20, 34]", "*"]), whole=False, split=False)
    <Kind.NUMERIC: 'numeric'>
    >>> kind_by_cells(age, pl.Series(["20", "34"]), whole=False, split=False) is None
    True
    """
    if attribute.hierarchy is not None and attribute.hierarchy.rows:
        return None
    texts = cells.drop_nulls().unique()
    shown = texts.filter(texts != STAR)
    if shown.is_empty() or shown.str.contains(_LONG).any():
        return None
    kind = guess_kind(pl.String(), shown.to_list(), attribute)
    whole = whole and len(shown) == len(texts)
    if kind is Kind.CATEGORICAL and attribute.role is not Role.SENSITIVE:
        kind, whole = _kind_of_ranges(shown) or kind, True
    if kind is Kind.NUMERIC and split and attribute.hierarchy is None:
        return Kind.CATEGORICAL
    return kind if whole or kind is Kind.CATEGORICAL else None


def _kind_of_ranges(shown: pl.Series) -> Kind | None:
    """Only numbers and dates have ranges."""
    if not shown.str.contains(RANGE).any():
        return None
    return next(
        (k for k in (Kind.NUMERIC, Kind.DATE) if read_line(shown, k).known[:-1].all()), None
    )


def _is_about(requirement: Requirement, attribute: Attribute) -> bool:
    name = requirement.parameters.get("attribute")
    return name == attribute.name or (name is None and attribute.role is Role.SENSITIVE)
