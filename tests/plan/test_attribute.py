"""The attributes of a plan, and what may be wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.plan.cases import only_problem, problems_of


@pytest.mark.parametrize(
    ("changes", "where", "text"),
    [
        ({"attributes": {}}, "attributes", "The plan must declare at least one attribute."),
        ({"attributes": ["age"]}, "attributes",
         "The 'attributes' parameter of the plan must be a mapping from columns to a role or a "
         "mapping, got a list of 1 instead."),
        ({"age": {"kind": "numeric"}}, "attributes.age.role",
         "The 'role' parameter of attribute 'age' is required."),
        ({"age": 5}, "attributes.age",
         "Attribute 'age' must be a role, or a mapping with a role, got 5 instead."),
        ({"age": {"role": "quasi", "colour": 1}}, "attributes.age.colour",
         "'colour' is not a key of attribute 'age'."),
        ({"age": {"role": "quasi", "domain": [1, 1]}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' must be a list of two numbers, the lower one "
         "first, got [1, 1] instead."),
        ({"age": {"role": "quasi", "domain": [1, 2, 3]}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' must be a list of two numbers, the lower one "
         "first, got a list of 3 instead."),
        ({"age": {"role": "quasi", "domain": [1, float("inf")]}}, "attributes.age.domain[1]",
         "The 'domain[1]' parameter of attribute 'age' must be a number, got inf instead."),
        ({"age": {"role": "quasi", "domain": [1, 2], "kind": "date"}}, "attributes.age.domain",
         "The 'domain' parameter of attribute 'age' is for numeric attributes, but the kind is "
         "date."),
        ({"age": {"role": "quasi", "values": ["a", "b", "a"]}}, "attributes.age.values",
         "The 'values' parameter of attribute 'age' must list each value once, but items 0 and 2 "
         "are equal."),
        ({"age": {"role": "quasi", "values": [True]}}, "attributes.age.values[0]",
         "The 'values[0]' parameter of attribute 'age' must be a text, got true instead."),
        ({"age": {"role": "quasi", "kind": "ordinal"}}, "attributes.age.values",
         "The 'values' parameter of attribute 'age' is required for the kind ordinal."),
        ({"age": {"role": "quasi", "kind": "date", "hierarchy": {"width": 5, "levels": 1}}},
         "attributes.age.kind",
         "The 'kind' parameter of attribute 'age' must be numeric for this hierarchy, got date "
         "instead."),
        ({"disease": {"role": "sensitive", "flag": "name"}}, "attributes.disease.flag",
         "The 'flag' parameter of attribute 'disease' must name a column with role flag, but "
         "its role is identifier."),
        ({"age": {"role": "quasi", "flags": {"default": "low"}}}, "attributes.age.flags",
         "The 'flags' parameter of attribute 'age' is for sensitive attributes, but the role is "
         "quasi."),
        ({"disease": {"role": "semi-sensitive"}, "method": "lgb-mdp"}, "attributes.disease",
         "Attribute 'disease' is semi-sensitive and needs a flag column, but has none."),
        ({"disease": {"role": "sensitive", "flags": {"high": "x <"}}},
         "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must compare x with numbers or dates, "
         "as in 'x >= 50000'."),
        ({"disease": {"role": "sensitive", "kind": "date", "flags": {"high": "x >= 2019"}}},
         "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must compare x with dates, as in "
         "'x >= 2019-05-01', since the kind is date."),
        ({"disease": {"role": "sensitive", "flags": {"high": ["a"], "low": ["b", "a"]}}},
         "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must not list item 1, which low lists "
         "too."),
        ({"disease": {"role": "sensitive", "flags": {"highest": ["a"]}}},
         "attributes.disease.flags.highest",
         "The 'flags.highest' parameter of attribute 'disease' must be one of low, middle, high "
         "and default."),
        ({"disease": {"role": "sensitive", "flags": {"default": "none"}}},
         "attributes.disease.flags.default",
         "The 'flags.default' parameter of attribute 'disease' must be low, middle or high."),
        ({"disease": {"role": "sensitive", "flags": {"high": 3}}}, "attributes.disease.flags.high",
         "The 'flags.high' parameter of attribute 'disease' must be a list of values, or a "
         "condition on x."),
        ({"age": {"role": "quasi", "flags": "x"}}, "attributes.age.flags",
         "The 'flags' parameter of attribute 'age' must be a mapping, got a text instead."),
        ({"individual": "age"}, "individual",
         "The column of 'individual' must have the role identifier, got quasi instead."),
        ({"individual": {"column": "name", "conflict": "last"}}, "individual.conflict",
         "The 'conflict' parameter of individual must be one of 'error', 'first' or 'mode', got "
         "another word instead."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(changes: dict[str, Any], where: str, text: str) -> None:
    problem = only_problem(**changes)
    assert (problem.where, problem.text) == (where, text)


@pytest.mark.parametrize("role", ["identifier", "insensitive", "flag", "sensitivity"])
def test_only_some_roles_have_a_hierarchy(role: str) -> None:
    [problem] = problems_of(
        {
            "attributes": {"age": "quasi", "other": {"role": role, "hierarchy": "flat"}},
            "privacy": [{"k-anonymity": {"k": 2}}],
        }
    )
    assert problem.where == "attributes.other.hierarchy"


def test_problems_of_a_hierarchy_file_name_its_line_and_the_plan_s(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a;A;*\nb;B;*\na;B;*\n")
    plan = (
        "attributes:\n  age:\n    role: quasi\n    hierarchy: h.csv\n"
        "privacy:\n  - k-anonymity: {k: 2}\n"
    )
    problems = problems_of(plan, tmp_path)
    assert {(problem.line, problem.where) for problem in problems} == {
        (4, "attributes.age.hierarchy")
    }
    assert any("h.csv" in problem.text and "lines 1 and 3" in problem.text for problem in problems)


def test_wrong_values_do_not_count_as_none() -> None:
    problem = only_problem(age={"role": "quasi", "kind": "ordinal", "values": ["a", None]})
    assert problem.where == "attributes.age.values[1]"


def test_a_wrong_hierarchy_does_not_count_as_none() -> None:
    plan = {
        "attributes": {
            "age": {"role": "quasi", "hierarchy": {"width": 0, "levels": 1}},
            "disease": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": "ka",
    }
    [problem] = problems_of(plan)
    assert problem.where == "attributes.age.hierarchy"
