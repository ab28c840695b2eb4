"""What every registered measure owes."""

from __future__ import annotations

import math

import pytest

import shoal
from shoal.measure import MEASURES
from shoal.method import METHODS
from tests.contract.standard import plan_for, standard_case


@pytest.mark.parametrize("method", sorted(METHODS))
def test_measures_are_finite_and_the_same_twice(method: str) -> None:
    case = standard_case()
    one, two = (shoal.run(plan_for(case, method), case.frame).measures for _ in range(2))
    assert set(one) <= set(MEASURES)
    assert dict(one) == dict(two)
    for name, value in one.items():
        assert math.isfinite(value), name
        assert value >= 0, name
        if MEASURES[name].unit == "share":
            assert value <= 1, name


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_the_registry_describes_it(name: str) -> None:
    [entry] = [m for m in shoal.measures() if m["name"] == name]
    assert entry["summary"].endswith(".")
    assert entry["unit"]


@pytest.mark.parametrize("name", ["glm", "ncp", "prec", "dm", "suppression"])
def test_a_release_as_it_was_costs_nothing_and_a_star_costs_all(name: str) -> None:
    case = standard_case(n=24)
    case.privacy = [{"k-anonymity": {"k": 1}}]
    nothing = shoal.run(plan_for(case, "ka"), case.frame).measures[name]
    case.privacy = [{"k-anonymity": {"k": 24}}]
    everything = shoal.run(plan_for(case, "ka"), case.frame).measures[name]
    if name == "dm":
        assert everything == 24 * 24
        assert 24 <= nothing < everything
    elif name == "suppression":
        assert nothing == everything == 0
    else:
        assert nothing == 0
        assert everything == 1
