"""What a plan's author reads first: the one problem there is, and how to write it."""

from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan

ATTRIBUTES = "attributes: {a: quasi, b: sensitive}\n"
PRIVACY = "privacy: [k-anonymity: {k: 5}]\n"
NO_QUASI = "attributes: {a: insensitive, b: sensitive}\n"
WIDTH = "attributes: {a: {role: quasi, hierarchy: {width: 10}}}\n"


@pytest.mark.parametrize(
    ("text", "where", "says", "hint"),
    [
        (
            NO_QUASI + PRIVACY,
            "attributes",
            "The plan declares no quasi-identifier.",
            "Give the columns that others may know 'role: quasi'.",
        ),
        (
            NO_QUASI + PRIVACY + "method: mondrian\n",
            "method",
            "mondrian needs a quasi-identifier, but the plan declares none.",
            "Give the columns that others may know 'role: quasi'.",
        ),
        (
            WIDTH + PRIVACY,
            "attributes.a.hierarchy",
            "The 'levels' parameter of the hierarchy is required.",
            "For example {width: 5, levels: 3}.",
        ),
        (
            ATTRIBUTES + PRIVACY + "suppression: 5%\n",
            "suppression",
            "The 'suppression' parameter of the plan must be a mapping, got a text instead.",
            "For example {limit: 0.05}.",
        ),
        (
            ATTRIBUTES + "privacy: [k-anonymity: 5]\n",
            "privacy[0].k-anonymity",
            "The parameters of k-anonymity must be a mapping, got 5 instead.",
            "Write 'k-anonymity: {k: 5}'.",
        ),
        (
            ATTRIBUTES + "privacy: [t-closeness: near]\n",
            "privacy[0].t-closeness",
            "The parameters of t-closeness must be a mapping, got a text instead.",
            "Write 't-closeness: {t: value}'.",
        ),
        (
            ATTRIBUTES + PRIVACY + "method: {mondrian: 3}\n",
            "method.mondrian",
            "The parameters of mondrian must be a mapping, got 3 instead.",
            "Write 'mondrian: {cut: value}'.",
        ),
        (
            ATTRIBUTES + "privcy: [k-anonymity: {k: 5}]\n",
            "privcy",
            "'privcy' is not a key of the plan.",
            "Did you mean 'privacy'?",
        ),
    ],
)
def test_the_one_problem_of_a_plan(text: str, where: str, says: str, hint: str) -> None:
    with pytest.raises(PlanError) as caught:
        Plan.parse(text)
    assert [(p.where, p.text, p.hint) for p in caught.value.problems] == [(where, says, hint)]
