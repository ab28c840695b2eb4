"""beta-likeness and delta-disclosure can always be had: by the table as one class."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from shoal.model import BetaLikeness, DeltaDisclosure
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from tests.model.small import table_of


def test_bounds() -> None:
    schema = table_of("ab").schema
    assert BetaLikeness(beta=2).bounds(schema) == [Bound(Reach.GAIN, 2, "s")]
    enhanced = BetaLikeness(beta=2, kind="enhanced").bounds(schema)
    assert enhanced == [Bound(Reach.GAIN_ENHANCED, 2, "s")]
    assert DeltaDisclosure(delta=0.5).bounds(schema) == [Bound(Reach.RATIO, 0.5, "s")]
    assert not DeltaDisclosure(delta=0.5).infeasible(table_of("a"))


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), float("inf")])
def test_thresholds_are_above_nothing(wrong: float) -> None:
    with pytest.raises(ValidationError):
        BetaLikeness(beta=wrong)
    with pytest.raises(ValidationError):
        DeltaDisclosure(delta=wrong)


def test_two_classes_that_hold_may_fail_together() -> None:
    """Of a, half of the first as of the table, and none of the second: an eighth of both."""
    table = table_of([*"ab", *"bbbbbb", *"aaaaaa"])
    asked = Requirements.of([DeltaDisclosure(delta=1)], table)
    assert asked.holds(np.arange(2, dtype=np.int32))
    assert asked.holds(np.arange(2, 8, dtype=np.int32))
    assert not asked.holds(np.arange(8, dtype=np.int32))
