"""Rates with their intervals, and who fits which published row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.attack.base import Gain, Rate, Target, find_crowd, gain, strangers
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
TOWN = Attribute("town", Role.QUASI, Kind.CATEGORICAL)


def target(labels: list[tuple[str, str]], people: list[tuple[int, str]]) -> Target:
    data = pl.DataFrame(labels, schema=["age", "town"], orient="row")
    known = pl.DataFrame(people, schema=["age", "town"], orient="row")
    return Target(data, Schema((AGE, TOWN)), (Requirement("k-anonymity", {"k": 2}),), known)


def test_the_interval_of_a_rate() -> None:
    """Wilson's interval of 1 in 20, as tables give it."""
    rate = Rate.of(1, 20)
    assert (rate.share, rate.n) == (0.05, 20)
    assert rate.low == pytest.approx(0.00888, abs=1e-4)
    assert rate.high == pytest.approx(0.23613, abs=1e-4)
    assert Rate.of(0, 0) == Rate(0.0, 0.0, 1.0, 0)
    assert Rate.of(3, 3).high == 1.0


def test_everybody_finds_the_rows_that_can_be_theirs() -> None:
    one = target(
        [("[1, 5]", "a"), ("[1, 5]", "a"), ("[4, 9]", "{a, b}"), ("*", "*")],
        [(3, "a"), (5, "a"), (9, "b"), (99, "c")],
    )
    assert one.crowd.matches.tolist() == [3, 4, 2, 1]
    assert one.crowd.sizes.sum() == 4


def test_people_with_several_records_are_found_by_how_many_they_have() -> None:
    data = pl.DataFrame({"Id_num": ["1", "1", "2", "3"], "age": ["*"] * 4, "ill": list("abac")})
    schema = Schema((Attribute("Id_num", Role.IDENTIFIER), AGE, Attribute("ill", Role.SENSITIVE)),
                    Individual("Id_num"))  # fmt: skip
    known = pl.DataFrame({"who": ["x", "x", "y", "z"], "age": [1, 1, 2, 3], "ill": list("abac")})
    found = Target(data, schema, (), known, person="who")
    assert found.crowd.matches.tolist() == [1, 2, 2]
    assert Target(data, schema, (), known).crowd.matches.tolist() == [3, 3, 3, 3]


def test_strangers_are_nobody_in_the_data() -> None:
    one = target([("*", "*")], [(i, "ab"[i % 2]) for i in range(40)])
    found = strangers(one)
    assert 0 < found.height < 40
    assert found.join(one.known, on=["age", "town"], how="inner").height == 0
    assert find_crowd(one, found).matches.tolist() == [1] * found.height


def test_a_gain_has_a_worst_person_and_a_spread() -> None:
    rate = Rate.of(1, 2)
    found = gain("x", "y", np.array([0.2, 0.5, 0.1]), rate, rate, None)
    assert (found.worst, found.person, found.quantiles[0.5]) == (0.5, 1, 0.2)
    assert found.holds is None
    assert Gain("x", "y", rate, rate, None, 0.5, bound=0.5).holds is True
    assert Gain("x", "y", rate, rate, None, 0.6, bound=0.5).holds is False
    assert gain("x", "y", np.zeros(0), rate, rate, None).worst == 0.0
