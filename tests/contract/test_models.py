"""What every registered model owes."""

from __future__ import annotations

from typing import Any

import pytest

import shoal
from shoal.method import METHODS
from shoal.model import MODELS, Reach, SensitiveModel
from shoal.plan import Plan
from shoal.schema.wording import model_of, threshold_of
from tests.cases import combinations_hold, rows_hold
from tests.contract.standard import (
    MODEL_PARAMETERS,
    OF_PEOPLE,
    check,
    excuse,
    plan_for,
    standard_case,
)

ASKED = [
    pytest.param({name: parameters}, id=f"{name}-{place}")
    for name, several in sorted(MODEL_PARAMETERS.items())
    for place, parameters in enumerate(several)
]


def test_every_model_is_tried() -> None:
    assert set(MODEL_PARAMETERS) == set(MODELS), "give the new model parameters in standard.py"


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("people", [False, True], ids=["rows", "people"])
@pytest.mark.parametrize("asked", ASKED)
def test_every_model_holds_by_every_method(asked: Any, people: bool, method: str) -> None:
    of_people = not set(asked).isdisjoint(OF_PEOPLE)
    if of_people and not people:
        pytest.skip("asked of people")
    excuse(method, people=people, asked=asked)
    case = standard_case(people=people, complete=of_people)
    case.privacy = [asked]
    release = shoal.run(plan_for(case, method), case.frame)
    check(case, method, release)
    assert release.verdicts
    assert all(verdict.holds for verdict in release.verdicts)
    if method != "top-down":  # one rare combination keeps its nodes closed for all
        assert release.counts.classes > 1, "the standard table can be cut"


@pytest.mark.parametrize("asked", ASKED)
def test_check_agrees_with_the_brute_force(asked: Any) -> None:
    """On tables as they are: some hold, most do not."""
    [(model, given)] = asked.items()
    for seed in range(8):
        case = standard_case(n=12, seed=seed, people=model in OF_PEOPLE)
        case.privacy = [asked]
        found = shoal.check(case.frame, plan=case.plan())
        vectors: dict[tuple, list[int]] = {}
        for row in range(case.n_rows):
            vectors.setdefault(tuple(q.cells[row] for q in case.quasi), []).append(row)
        judge = _combine if model in ("lkc", "km") else _holds
        holds = {rows[0]: judge(case, rows) for rows in vectors.values()}
        assert found.holds == all(holds.values()), (model, given, seed)
        failing = {rows[0] for rows in vectors.values() if not holds[rows[0]]}
        assert set(found.offending()["first_row"].to_list()) == failing


def _holds(case: Any, rows: list[int]) -> bool:
    return rows_hold(case, len(rows), rows)


def _combine(case: Any, rows: list[int]) -> bool:
    [(model, given)] = case.privacy[0].items()
    return combinations_hold(case, rows, model, given)


@pytest.mark.parametrize("asked", ASKED)
def test_one_number_is_the_first_parameter(asked: Any) -> None:
    """Reports, and verdicts of shards that are put together, name a threshold by its place."""
    of_people = not set(asked).isdisjoint(OF_PEOPLE)
    case = standard_case(n=12, people=of_people, complete=of_people)
    case.privacy = [asked]
    for verdict in shoal.check(case.frame, plan=case.plan()).verdicts:
        model, name = model_of(verdict.requirement), threshold_of(verdict.requirement)
        assert isinstance(verdict.asked, dict) or asked[model][name] == verdict.asked


def test_models_of_sensitive_values_say_how_they_count() -> None:
    by = {name: model.counts_values_by for name, model in MODELS.items()}
    of_values = {name for name, model in MODELS.items() if issubclass(model, SensitiveModel)}
    assert {name for name, counting in by.items() if counting} == of_values
    schema = Plan.parse(standard_case(people=True).plan()).schema
    for name, several in MODEL_PARAMETERS.items():
        reaches = [b.reach for b in MODELS[name](**several[0]).bounds(schema)]
        people = Reach.HITTING in reaches or Reach.VALUE_PEOPLE in reaches
        assert people == (by[name] == "people"), name


@pytest.mark.parametrize("asked", ASKED)
def test_the_plan_reads_back(asked: Any) -> None:
    case = standard_case(people=not set(asked).isdisjoint(OF_PEOPLE))
    case.privacy = [asked]
    plan = Plan.parse(case.plan())
    assert Plan.parse(plan.to_dict()) == plan
    [(model, given)] = asked.items()
    [requirement] = plan.requirements
    assert requirement.model == model
    public = {k: v for k, v in given.items() if k != "population"}
    assert {k: v for k, v in requirement.parameters.items() if k in given} == public


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_registry_describes_it(name: str) -> None:
    [entry] = [m for m in shoal.models() if m["name"] == name]
    assert entry["summary"].endswith(".")
    assert entry["source"]
    assert all(parameter["meaning"] for parameter in entry["parameters"].values())
    required = {n for n, parameter in entry["parameters"].items() if parameter["required"]}
    for given in MODEL_PARAMETERS[name]:
        assert required <= set(given) <= set(entry["parameters"])
