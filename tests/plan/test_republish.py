"""What m-invariance can keep, by plan."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan
from tests.plan.cases import SMALL

PLAN: dict[str, Any] = {
    "attributes": {"id": "identifier", "age": "quasi", "ill": "sensitive"},
    "individual": "id",
    "privacy": [{"l-diversity": {"l": 2}}],
    "republish": "m-invariance",
}


def test_it_reads_back_and_is_part_of_the_meaning() -> None:
    plan = Plan.parse(PLAN)
    assert plan.republish == "m-invariance"
    assert Plan.parse(plan.to_yaml()) == plan
    assert Plan.parse({**PLAN, "republish": None}).digest() != plan.digest()
    assert Plan.parse(SMALL).republish is None


@pytest.mark.parametrize("method", ["mondrian", "k-member", "adjacency", "hilbert", "auto"])
def test_methods_that_make_classes(method: str) -> None:
    assert Plan.parse({**PLAN, "method": method}).republish


def test_all_problems_at_once() -> None:
    joined = {"lgb-mdp": {"tables": "joined"}}
    change = {"individual": None, "privacy": [{"t-closeness": {"t": 0.2}}], "method": joined}
    with pytest.raises(PlanError) as caught:
        Plan.parse({**PLAN, **change})
    texts = " ".join(problem.text for problem in caught.value.problems)
    for words in (
        ("must recognise people"),
        "requires no l-diversity",
        "t-closeness",
        "no row can show them",
    ):
        assert words in texts


def test_symbols_are_refused() -> None:
    flagged = {"role": "sensitive", "flags": {"high": [{"in": ["a"]}]}}
    attributes = {**PLAN["attributes"], "ill": flagged}
    with pytest.raises(PlanError, match=r"symbols|flags"):
        Plan.parse({**PLAN, "attributes": attributes, "method": "qi-mhsa"})


@pytest.mark.parametrize("kind", ["distinct", "frequency"])
def test_buckets_have_all_their_values_once(kind: str) -> None:
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2, "kind": kind}}]
    assert Plan.parse({**PLAN, "method": "lgb-ncp", "privacy": privacy}).republish
    with pytest.raises(PlanError, match="only l-diversity of kind distinct"):
        Plan.parse({**PLAN, "privacy": [{"l-diversity": {"l": 2, "kind": "entropy"}}]})


def test_a_personal_l_is_refused() -> None:
    attributes = {**PLAN["attributes"], "own": "flag"}
    privacy = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2, "personal": "own"}}]
    with pytest.raises(PlanError, match="one l for everybody"):
        Plan.parse({**PLAN, "attributes": attributes, "method": "lgb-mdp", "privacy": privacy})
