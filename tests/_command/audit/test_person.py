"""The risk of one person against its limits; whole commands are in tests/cli/test_lgb.py."""

from __future__ import annotations

import pytest

from shoal._command.audit.person import PersonAtRisk, _limits
from shoal.schema import Attribute, Requirement, Role, Schema


@pytest.mark.parametrize(
    ("identity", "posterior", "within"),
    [(0.25, 0.5, True), (0.2500001, 0.5, False), (0.25, 0.5000001, False), (0.0, 0.0, True)],
)
def test_a_risk_may_reach_its_limit_but_not_exceed_it(
    identity: float, posterior: float, within: bool
) -> None:
    person = PersonAtRisk(1, False, (1,), identity, {"ill": posterior}, 0.25, {"ill": 0.5})
    assert person.within is within


def test_what_has_no_limit_is_within() -> None:
    assert PersonAtRisk(1, False, (1,), 1.0, {"ill": 1.0}).within


@pytest.mark.parametrize(
    ("requirements", "limits"),
    [
        ([], (None, {})),
        ([("k-anonymity", {"k": 2}), ("k-anonymity", {"k": 4})], (0.25, {})),
        ([("l-diversity", {"l": 2})], (None, {"ill": 0.5, "zip": 0.5})),
        ([("l-diversity", {"l": 4, "attribute": "ill"}), ("l-diversity", {"l": 2})],
         (None, {"ill": 0.25, "zip": 0.5})),
        ([("l-diversity", {"l": 4, "kind": "entropy"})], (None, {})),
        ([("t-closeness", {"t": 0.1})], (None, {})),
    ],
)  # fmt: skip
def test_limits_are_the_strictest_that_bound_a_guess(
    requirements: list[tuple[str, dict[str, object]]],
    limits: tuple[float | None, dict[str, float]],
) -> None:
    schema = Schema(
        (
            Attribute("ill", Role.SENSITIVE),
            Attribute("zip", Role.SEMI_SENSITIVE),
            Attribute("age", Role.QUASI),
        )
    )
    assert _limits(schema, [Requirement(*pair) for pair in requirements]) == limits
