"""Rates with their intervals, and what an attack reports."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.attack.base import Gain, Rate, gain


def test_the_interval_of_a_rate() -> None:
    """Wilson's interval of 1 in 20, as tables give it."""
    rate = Rate.of(1, 20)
    assert (rate.share, rate.n) == (0.05, 20)
    assert rate.low == pytest.approx(0.00888, abs=1e-4)
    assert rate.high == pytest.approx(0.23613, abs=1e-4)
    assert Rate.of(0, 0) == Rate(0.0, 0.0, 1.0, 0)
    assert Rate.of(3, 3).high == 1.0


def test_a_gain_has_a_worst_person_and_a_spread() -> None:
    rate = Rate.of(1, 2)
    found = gain("x", "y", np.array([0.2, 0.5, 0.1]), rate, rate, None)
    assert (found.worst, found.person, found.quantiles[0.5]) == (0.5, 1, 0.2)
    assert found.holds is None
    assert Gain("x", "y", rate, rate, None, 0.5, bound=0.5).holds is True
    assert Gain("x", "y", rate, rate, None, 0.6, bound=0.5).holds is False
    assert gain("x", "y", np.zeros(0), rate, rate, None).worst == 0.0
    assert gain("x", "y", np.array([0.1, 0.2]), rate, rate, None, np.array([7, 9])).person == 9


def test_a_bound_that_was_promised_against_less_is_not_broken() -> None:
    rate = Rate.of(1, 2)
    assert Gain("x", "y", rate, rate, None, 0.9, bound=0.5, beside=True).holds is None
