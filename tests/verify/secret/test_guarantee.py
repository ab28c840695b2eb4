"""An adversary may gain 1/k and 1/l, and a billionth of that for rounding."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.schema import Verdict
from shoal.verify.secret.adversary import Risks
from shoal.verify.secret.guarantee import risk_problems
from tests.verify.small import asked, said

K4 = asked("k-anonymity", k=4)


def found(requirement: Any, identity: float, posterior: float, holds: Any = True) -> str:
    risks = Risks(identity, True, {"s": posterior}, {"s": True}, 1)
    attribute = None if requirement.model == "k-anonymity" else "s"
    verdict = Verdict(str(requirement), holds, 4, attribute=attribute)
    return said(risk_problems(risks, [requirement], [verdict]))


def test_identity_at_its_edge() -> None:
    assert found(K4, 0.25, 1) == ""
    assert found(K4, 0.25 * (1 + 5e-10), 1) == ""
    assert "found with a probability of 0.25, but k-anonymity {k: 4} allows 0.25" in found(
        K4, 0.25 * (1 + 2e-9), 1
    )
    assert found(K4, 0.255, 1) != ""


@pytest.mark.parametrize("kind", ["distinct", "frequency"])
def test_posteriors_at_their_edge(kind: str) -> None:
    l4 = asked("l-diversity", l=4, kind=kind)
    assert found(l4, 1, 0.25) == ""
    assert found(l4, 1, 0.25 * (1 + 5e-10)) == ""
    assert "A secret in 's' is learned with a probability of 0.25" in found(
        l4, 1, 0.25 * (1 + 2e-9)
    )


def test_only_what_holds_and_bounds_a_share_is_compared() -> None:
    assert found(K4, 1, 1, holds=False) == ""
    assert found(asked("l-diversity", l=4), 1, 1, holds=False) == ""
    assert found(asked("l-diversity", l=4, kind="entropy"), 1, 1) == ""
    assert found(asked("t-closeness", t=0.1), 1, 1) == ""


def test_a_bound_is_not_a_fact() -> None:
    risks = Risks(0.1, True, {"s": 0.5, "t": 0.1}, {"s": False, "t": True}, 1)
    l4 = asked("l-diversity", l=4)
    verdicts = [Verdict(str(l4), True, 4, attribute=name) for name in ("s", "t")]
    problems = said(risk_problems(risks, [K4, l4], [Verdict(str(K4), True, 4), *verdicts]))
    assert problems.startswith("A secret in 's' may be learned")
    assert "'t'" not in problems
