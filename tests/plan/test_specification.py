"""The models, the method and the engine of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plan.cases import only_problem, problems_of


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"privacy": [{"k-anonymity": {"k": 0}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got 0 instead."),
        ({"privacy": [{"k-anonymity": {"k": "5"}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got a text instead."),
        ({"privacy": [{"k-anonymity": {"k": True}}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity must be an integer of at least 1, got true instead."),
        ({"privacy": ["k-anonymity"]}, "privacy[0].k",
         "The 'k' parameter of k-anonymity is required."),
        ({"privacy": [{"k-anonymity": None}]}, "privacy[0].k-anonymity.k",
         "The 'k' parameter of k-anonymity is required."),
        ({"privacy": [{"t-closeness": {"t": "0.5"}}]}, "privacy[0].t-closeness.t",
         "The 't' parameter of t-closeness must be a number of at least 0 and at most 1, "
         "got a text instead."),
        ({"privacy": [{"t-closeness": {"t": float("nan")}}]}, "privacy[0].t-closeness.t",
         "The 't' parameter of t-closeness must be a number of at least 0 and at most 1, "
         "got nan instead."),
        ({"privacy": [{"l-diversity": {"l": 2.5}}]}, "privacy[0].l-diversity.l",
         "The 'l' parameter of distinct l-diversity must be an integer of at least 1, "
         "got 2.5 instead."),
        ({"privacy": [{"l-diversity": {"l": 2, "kind": "recursive"}}]}, "privacy[0].l-diversity",
         "The 'c' parameter of l-diversity is required for kind: recursive."),
        ({"privacy": [{"k-anonymity": 5}]}, "privacy[0].k-anonymity",
         "The parameters of k-anonymity must be a mapping, got 5 instead."),
        ({"privacy": [{"k-anonymity": {"k": 2}, "k-e": {}}]}, "privacy[0]",
         "There must be one model here, got 2 keys instead."),
        ({"privacy": [5]}, "privacy[0]",
         "This must be a model, or a mapping from it to its parameters, got 5 instead."),
        ({"privacy": []}, "privacy",
         "The plan must list at least one model under 'privacy'."),
        ({"privacy": None}, "privacy",
         "The plan must list at least one model under 'privacy'."),
        ({"privacy": {"k-anonymity": {"k": 2}}}, "privacy",
         "The 'privacy' parameter of the plan must be a list, got a mapping instead."),
        ({"privacy": [{"ir-k": {"k": 2}}]}, "privacy[0].ir-k",
         "ir-k counts people with all their rows, but the plan names no individual."),
        ({"method": {"modrian": {}}}, "method.modrian", "'modrian' is not a method."),
        ({"method": {"mondrian": {"cut": "best"}}}, "method.mondrian.cut",
         "The 'cut' parameter of mondrian must be one of 'loss', 'balanced' or 'median', "
         "got another word instead."),
        ({"method": 5}, "method",
         "This must be a method, or a mapping from it to its parameters, got 5 instead."),
        ({"engine": {"spark": {"cores": 3}}}, "engine.spark.cores",
         "'cores' is not a parameter of engine spark."),
        ({"engine": {"spark": {"conf": {"spark.cores.max": [3]}}}},
         "engine.spark.conf.spark.cores.max",
         "The 'conf.spark.cores.max' parameter of engine spark must be a text or true or "
         "false or an integer or a number, got a list of 1 instead."),
        ({"engine": "cloud"}, "engine",
         "The 'engine' parameter of the plan must be 'local' or 'spark', got another word "
         "instead."),
        ({"engine": {"local": {"workers": 0}}}, "engine.local.workers",
         "The 'workers' parameter of engine local must be an integer of at least 1, got 0 "
         "instead."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes: dict[str, Any], where: str, text: str) -> None:
    problem = only_problem(**changes)
    assert (problem.where, problem.text) == (where, text)


def test_an_attribute_of_unknown_role_raises_no_false_alarm() -> None:
    plan = {
        "attributes": {"age": "quasi", "disease": "sensitiv"},
        "privacy": [{"l-diversity": {"l": 2}}, {"t-closeness": {"t": 0.1, "attribute": "disease"}}],
    }
    [problem] = problems_of(plan)
    assert problem.where == "attributes.disease.role"


def test_cross_checks_run_beside_an_attribute_of_unknown_role() -> None:
    plan = {
        "attributes": {"age": "quasi", "disease": "sensitiv"},
        "privacy": [{"l-diversity": {"l": 2, "attribute": "age"}}],
    }
    assert [problem.where for problem in problems_of(plan)] == [
        "attributes.disease.role",
        "privacy[0].l-diversity",
    ]
