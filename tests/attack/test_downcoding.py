"""Ranges whose ends are real, and sets whose members are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import polars as pl
import pytest

from shoal.attack import Downcoding, Target
from shoal.attack.downcoding import given_all_there
from shoal.schema import Attribute, Kind, Role, Schema

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
TOWN = Attribute("town", Role.QUASI, Kind.CATEGORICAL)


def released(attribute: Attribute, labels: list[str], values: list[object]) -> Target:
    name = attribute.name
    return Target(
        pl.DataFrame({name: labels}), Schema((attribute,)), (), pl.DataFrame({name: values})
    )


def test_the_ends_of_a_range_are_somebodys() -> None:
    """Ages 30 and 34 in a class of two; 32 is far commoner, but nobody of the class has it."""
    labels = ["[30, 34]"] * 2 + ["32"] * 6
    one = released(AGE, labels, [30, 34, *[32] * 6])
    (found,) = Downcoding().run(one)
    # Those of 32 fit the range as well, but rows that show 32 do not count.
    assert found.success.share == pytest.approx(1 / 8)
    assert found.control.share == pytest.approx(6 / 8)
    assert found.worst == pytest.approx(0.5)


def test_the_members_of_a_set_are_all_there() -> None:
    one = released(TOWN, ["{a, b}"] * 2 + ["{c, d}"] * 2 + ["e"], list("abcde"))
    (found,) = Downcoding().run(one)
    assert found.worst == pytest.approx(0.5)
    assert "80% of people" in found.note
    assert found.holds is None


@pytest.mark.parametrize("size", [2, 3, 5])
def test_against_all_classes_that_there_can_be(size: int) -> None:
    shares, needed = np.array([0.1, 0.6, 0.3]), np.array([0, 2])
    found = np.zeros(3)
    for rows in product(range(3), repeat=size):
        if set(needed.tolist()) <= set(rows):
            found[rows[0]] += shares[list(rows)].prod()
    assert given_all_there(shares, needed, size) == pytest.approx(found / found.sum())


def test_labels_that_need_not_be_narrow() -> None:
    one = released(AGE, ["[30, 34]"] * 2, [30, 34])
    assert list(Downcoding().run(replace(one, ranges="snapped"))) == []
    exact = released(AGE, ["30", "34"], [30, 34])
    assert list(Downcoding().run(exact)) == []
