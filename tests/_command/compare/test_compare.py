"""Plans side by side: risk by its definition, the front, and plans that fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal._command.compare import Comparison, Rehearsal, compare
from shoal._command.compare.risk import LinkageRisk
from shoal.errors import DataError, PlanError, Problem
from tests.papers.lgb.cases import PATIENT_ATTRIBUTES, PATIENTS
from tests.report.sample import PLAN, people


def plan(k: int, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "privacy": [{"k-anonymity": {"k": k}}], **changes}


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare([plan(20), plan(3), plan(4000), plan(8)], people())


def test_plans_are_sorted_by_loss_and_failures_come_last(found: Comparison) -> None:
    frame = found.frame
    assert frame["plan"].to_list() == ["plan 2", "plan 4", "plan 1", "plan 3"]
    assert frame["glm"].drop_nulls().is_sorted()
    assert frame["mean_risk"].drop_nulls().is_sorted(descending=True)
    assert frame["front"].to_list() == [True, True, True, False]
    assert frame["holds"].to_list() == [True, True, True, False]
    assert "4000" in frame["error"][3]
    assert frame["smallest"][3] is None
    assert not found.holds


def test_numbers_are_those_of_a_run(found: Comparison) -> None:
    release = shoal.run(plan(8), people())
    outcome = next(o for o in found.outcomes if o.plan == "plan 4")
    assert outcome.loss == release.measures["glm"]
    assert outcome.query_error == release.measures["query-count"]
    assert outcome.verdicts == release.verdicts
    assert outcome.suppressed == 0


def outcome(loss: float, risk: float, holds: bool = True) -> Rehearsal:
    problems = () if holds else (Problem("no"),)
    return Rehearsal("p", risk=LinkageRisk(1, 1, risk, risk), loss=loss, problems=problems)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_the_front_is_what_no_other_beats(places: list[tuple[int, int]]) -> None:
    outcomes = [outcome(x / 4, y / 4) for x, y in places]
    front = Comparison(tuple(outcomes)).front
    beaten = [any(a <= x and b <= y and (a, b) != (x, y) for a, b in places) for x, y in places]
    assert [any(o is f for f in front) for o in outcomes] == [not b for b in beaten]


def test_a_plan_that_does_not_hold_beats_nobody() -> None:
    bad, good = outcome(0.1, 0.1, holds=False), outcome(0.2, 0.2)
    assert Comparison((bad, good)).front == (good,)


def test_nothing_is_written_whatever_the_plans_say(tmp_path: Path) -> None:
    found = compare([plan(3, output=str(tmp_path / "release"))], people())
    assert found.holds
    assert list(tmp_path.iterdir()) == []


def test_plans_are_named_by_their_files(tmp_path: Path) -> None:
    files = [tmp_path / "a" / "k.yaml", tmp_path / "b" / "k.yaml", tmp_path / "other.yaml"]
    found = compare([*files, plan(3)], people())
    names = {outcome.plan for outcome in found.outcomes}
    assert names == {str(files[0]), str(files[1]), "other", "plan 4"}
    named = compare([plan(3)], people(), names=["mine"])
    assert named.outcomes[0].plan == "mine"
    with pytest.raises(PlanError, match="1 plans and 2 names"):
        compare([plan(3)], people(), names=["a", "b"])


def test_data_that_cannot_be_read_is_nobodys_failure_but_the_callers() -> None:
    with pytest.raises(DataError):
        compare([plan(3)], "nothing.csv")


def test_what_does_not_compare_is_noted(found: Comparison) -> None:
    assert found.notes == ()
    assert found.first == "plan 1"
    first, *rest = found.outcomes
    other = replace(first, input_digest="other", quasi=frozenset({"age"}))
    notes = " ".join(Comparison((other, *rest), "").notes)
    assert "different tables" in notes
    assert "different quasi-identifiers" in notes


def test_a_plan_that_publishes_what_another_keeps_secret_gets_no_star() -> None:
    k = {"k-anonymity": {"k": 2}}
    diverse = [{"l-diversity": {"l": 2, "attribute": n}} for n in ("disease", "age", "zip")]
    plans = [
        {
            "attributes": PATIENT_ATTRIBUTES,
            "privacy": [k, *diverse],
            "method": "lgb-mdp",
            "seed": 1,
        },
        {
            "attributes": {
                **PATIENT_ATTRIBUTES,
                **dict.fromkeys(("age", "zip"), "quasi"),
                **dict.fromkeys(("age_secret", "zip_secret"), "identifier"),
            },
            "privacy": [k],
            "seed": 1,
        },
    ]
    found = compare(plans, PATIENTS, names=["secret", "public"])
    posterior = {o.plan: o.posterior for o in found.outcomes}
    assert found.comparable
    assert [o.plan for o in found.front] == ["secret"]
    assert "public publishes age and zip openly" in " ".join(found.notes)
    assert found.telling == ("posterior",)
    assert 0 < (posterior["secret"] or 0) <= 1 / 2
    assert posterior["public"] is None


def test_v_tells_ir_from_eir() -> None:
    frame = pl.DataFrame({"who": [0, 0, 1, 1, 2, 3], "q": [1] * 6, "s": list("ababab")})
    attributes = {"who": "identifier", "q": "quasi", "s": "sensitive"}
    plans = [
        {
            "individual": "who",
            "attributes": attributes,
            "method": "danonyir",
            "privacy": [requirement],
            "seed": 1,
        }
        for requirement in ({"ir-kl": {"k": 2, "l": 2}}, {"eir-l": {"l": 2}})
    ]
    found = compare(plans, frame, names=["ir", "eir"])
    assert found.telling == ("v",)
    assert {o.plan: o.v for o in found.outcomes}["eir"] == 0
    assert found.frame["v"].null_count() == 0
