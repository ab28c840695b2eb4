"""k-map and delta-presence on either side of their limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shoal.errors import VerificationError
from shoal.verify.model.population import check_delta_presence, check_k_map
from shoal.verify.text.classes import Classes
from tests.verify.model.test_recount import asked
from tests.verify.small import classes_of


def two(*fitting: int) -> Classes:
    """Two people in class 1 and one in class 2, with how many of the population fit each."""
    return replace(classes_of({1: ["a", "b"], 2: ["a"]}), fitting=np.array(fitting))


def test_those_who_fit() -> None:
    (verdict,) = check_k_map(two(8, 5), asked("k-map", k=6))
    assert (verdict.holds, verdict.reached, verdict.offending) == (False, 5, (2,))
    (verdict,) = check_k_map(two(8, 5), asked("k-map", k=5))
    assert verdict.holds is True


@pytest.mark.parametrize(
    ("low", "high", "offending"),
    [
        (0, 0.25, ()),
        (0, np.nextafter(0.25, 0), (1,)),
        (0.2, 0.25, ()),
        (np.nextafter(0.2, 1), 0.25, (2,)),
    ],
)
def test_the_share_who_are_in_the_data(low: float, high: float, offending: Any) -> None:
    (verdict,) = check_delta_presence(two(8, 5), asked("delta-presence", low=low, high=high))
    assert verdict.reached == {"low": 0.2, "high": 0.25}
    assert verdict.offending == offending


def test_the_worst_class_has_the_largest_share_in_the_data() -> None:
    (verdict,) = check_delta_presence(two(8, 5), asked("delta-presence", low=0, high=1))
    assert (verdict.holds, verdict.worst_class) == (True, 1)
    (verdict,) = check_delta_presence(two(12, 5), asked("delta-presence", low=0, high=1))
    assert (verdict.holds, verdict.worst_class) == (True, 2)


def test_people_whom_the_population_lacks_are_in_the_data_for_certain() -> None:
    (verdict,) = check_delta_presence(two(0, 5), asked("delta-presence", low=0, high=0.9))
    assert (verdict.holds, verdict.reached["high"], verdict.worst_class) == (False, 1.0, 1)


def test_without_a_population() -> None:
    with pytest.raises(VerificationError, match="only be checked with the population"):
        list(check_k_map(classes_of({1: ["a"]}), asked("k-map", k=1)))
