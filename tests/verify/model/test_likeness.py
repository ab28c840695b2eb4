"""beta-likeness and delta-disclosure on exact cases, and on either side of their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from shoal.errors import VerificationError
from shoal.verify.model.likeness import check_beta_likeness, check_delta_disclosure
from tests.verify.model.test_recount import asked
from tests.verify.small import classes_of

# Of a 1/4 of the table, 1/2 of class 1 and none of class 2; of b 3/4, 1/2 and all.
HALF = {1: ["a", "a", "b", "b"], 2: ["b"] * 4}


def beta(limit: float, cells: dict[int, list[Any]] = HALF, **more: Any) -> Any:
    (verdict,) = check_beta_likeness(classes_of(cells), asked("beta-likeness", beta=limit, **more))
    return verdict


def test_the_gain_on_a_value() -> None:
    verdict = beta(0.9)
    assert (verdict.holds, verdict.reached, verdict.worst_class) == (False, 1.0, 1)
    assert verdict.offending == (1,)
    assert (beta(1.0).holds, beta(1.0).worst_class) == (True, 1)
    assert beta(1.0 - 1e-9).holds is True, "a quotient of differences is rounded"
    assert beta(1.0 - 2e-9).holds is False


def test_the_enhanced_kind_bounds_common_values() -> None:
    """b is 1/3 commoner in class 2, which is more than -ln(3/4) = 0.288."""
    verdict = beta(9, kind="enhanced")
    assert (verdict.holds, verdict.offending, verdict.reached) == (False, (2,), 1.0)
    assert verdict.worst_class == 2
    whole = {1: ["a", "b"], 2: ["b", "a"]}
    assert beta(9, whole, kind="enhanced").holds is True
    rare = {1: ["a", *"bbb"], 2: ["b"] * 4}  # a: 1/4 against 1/8, below ln 8; b: 1 against 7/8
    assert beta(9, rare, kind="enhanced").offending == (2,), "1/7 is above -ln(7/8) = 0.1335"
    ten = {1: [*"bbbbbbbbba"], 2: [*"aaaaaaaaab"]}  # 9/10 against 1/2 gains more than ln 2
    assert beta(9, ten, kind="enhanced").offending == (1, 2), "whatever the other value loses"
    with pytest.raises(VerificationError, match="kind 'other'"):
        beta(1, kind="other")


def test_the_logarithm_of_shares() -> None:
    def delta(limit: float, cells: dict[int, list[Any]] = HALF) -> Any:
        required = asked("delta-disclosure", delta=limit)
        (verdict,) = check_delta_disclosure(classes_of(cells), required)
        return verdict

    verdict = delta(0.7)
    assert (verdict.holds, verdict.worst_class) == (True, 1)
    assert verdict.reached == pytest.approx(math.log(2), rel=1e-15)
    assert delta(verdict.reached).holds is False, "it must stay below"
    assert delta(np.nextafter(verdict.reached, 1)).holds is True
    assert delta(0.1, {1: ["a"], 2: ["a"]}).reached == 0


@pytest.mark.parametrize("wrong", [0, None, "1", math.nan])
def test_thresholds(wrong: Any) -> None:
    with pytest.raises(VerificationError, match="'beta' parameter of beta-likeness must be"):
        beta(wrong)
