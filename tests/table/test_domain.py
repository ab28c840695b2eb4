"""What the codes of a column stand for."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.schema import Attribute, HierarchySpec, Kind, Role
from shoal.table import Domain, encode_column, number_text
from tests.papers import naive


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back(number: float) -> None:
    assert float(number_text(number)) == number
    assert number_text(number) == naive.number_text(number)


def _domain(cells: list[str | None], **options: object) -> Domain:
    series = pl.Series("x", cells, dtype=pl.String)
    return encode_column(series, Attribute("x", Role.QUASI, **options)).domain  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "declared", "ends"),
    [
        (["3", "-1", None], None, (-1.0, 3.0)),
        (["3"], None, (3.0, 3.0)),
        (["3"], (0.0, 10.0), (0.0, 10.0)),
        ([None], None, (0.0, 0.0)),
    ],
)
def test_ends_are_declared_or_those_of_the_values_present(
    cells: list[str | None], declared: tuple[float, float] | None, ends: tuple[float, float]
) -> None:
    domain = _domain(cells, kind=Kind.NUMERIC, domain=declared)
    assert domain.ends == ends
    assert domain.span == ends[1] - ends[0]


def test_a_hierarchy_orders_codes_but_not_the_natural_order() -> None:
    rows = (("1", "odd"), ("2", "even"), ("3", "odd"))
    domain = _domain(
        ["3", "1", None, "2"], kind=Kind.NUMERIC, hierarchy=HierarchySpec("file", rows)
    )
    assert domain.texts == ("1", "3", "2", None)
    assert [domain.texts[code] for code in domain.natural] == ["1", "2", "3", None]
    assert domain.missing == 3
    assert not domain.is_range


@pytest.mark.parametrize(
    ("kind", "values", "order"),
    [(Kind.CATEGORICAL, None, ["a", "b", None]), (Kind.ORDINAL, ("b", "a"), ["b", "a", None])],
)
def test_the_natural_order_of_words(
    kind: Kind, values: tuple[str, ...] | None, order: list[str | None]
) -> None:
    domain = _domain(["b", None, "a"], kind=kind, values=values)
    assert [domain.texts[code] for code in domain.natural] == order
    assert not domain.is_range
    assert domain.span == 0
