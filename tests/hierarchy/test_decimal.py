"""Numbers as exact decimals."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.decimal import (
    MOST_PLACES,
    decimal_of,
    places_of,
    plain,
    plain_all,
    plain_number,
    scaled,
)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_reads_back_as_it(number: float) -> None:
    text = plain_number(number)
    assert float(text) == number
    assert "e" not in text.lower()


@given(st.floats(-1e9, 1e9))
def test_a_number_is_its_units_by_its_places(number: float) -> None:
    places = places_of(number)
    assert Decimal(scaled(number, places)).scaleb(-places) == decimal_of(number)


@pytest.mark.parametrize(
    ("number", "places"), [(0.0, 0), (-0.0, 0), (100.0, 0), (0.5, 1), (1e-7, 7), (1e22, 0)]
)
def test_places(number: float, places: int) -> None:
    assert places_of(number) == places


@pytest.mark.parametrize("places", [0, 1, 3, MOST_PLACES, MOST_PLACES + 1])
def test_texts_of_many_are_those_of_each(places: int) -> None:
    units = np.array([0, 1, -1, 10, -10, 999, 1000, -(10**18), 2**63 - 1])
    assert plain_all(units, places).to_list() == [plain(unit, places) for unit in units.tolist()]


def test_texts_of_none() -> None:
    assert plain_all(np.array([], dtype=np.int64), 2).to_list() == []
