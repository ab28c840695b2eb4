"""The four readings of l-diversity, and how near to a whole number is whole."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verify.model.diversity import (
    DIVERSITY,
    count_distinct,
    measure_entropy,
    measure_frequency,
    reach_recursive,
)
from tests.verify.small import runs_of


def almost_even(n: int) -> float:
    """The entropy reading of n + 1 rows of one value and n - 1 of another: 2 - 1/n², nearly."""
    return float(measure_entropy(*runs_of([n + 1, n - 1]))[0])


def test_every_reading_of_two_classes() -> None:
    two = runs_of([2, 1, 1], [5])
    assert count_distinct(*two).tolist() == [3, 1]
    assert measure_frequency(*two).tolist() == [2.0, 1.0]
    assert measure_entropy(*two).tolist() == pytest.approx([np.exp(1.5 * np.log(2)), 1.0])
    assert reach_recursive(*two, 1.5).tolist() == [2, 1]
    assert list(DIVERSITY) == ["distinct", "frequency", "entropy", "recursive"]


def test_entropy_is_whole_within_a_billionth_and_not_beyond() -> None:
    assert almost_even(40_000) == 2.0  # 3.1e-10 of 2 below it
    assert almost_even(25_000) == 2.0  # 8e-10 of 2: the tolerance is relative
    assert almost_even(20_000) < 2.0  # 1.25e-9
    assert almost_even(5_000) < 2.0
    assert almost_even(8) == pytest.approx(2 - 1 / 64, abs=1e-4)


def test_the_tail_of_the_recursive_reading_must_weigh_more() -> None:
    """r1 < c (r_l + … + r_m) is strict: 6 against 1.5 · 4 and 3 · 2 are not enough."""
    six = [6, 2, 2]
    assert reach_recursive(*runs_of(six), 1.5).tolist() == [1]
    assert reach_recursive(*runs_of(six), np.nextafter(1.5, 2)).tolist() == [2]
    assert reach_recursive(*runs_of(six), 3.0).tolist() == [2]
    assert reach_recursive(*runs_of(six), np.nextafter(3.0, 4)).tolist() == [3]
    assert reach_recursive(*runs_of(six, [1]), 0.6).tolist() == [0, 0]
    assert reach_recursive(*runs_of([2, 6, 2], [1, 1, 1]), 3.1).tolist() == [3, 3]
