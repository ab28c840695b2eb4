"""Attributes that are declared outside of a plan."""

from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.plan import Plan, parse_schema, require_columns

WORDS = {
    "name": "identifier",
    "age": {"role": "quasi", "kind": "numeric", "domain": [0, 99]},
    "ill": {"role": "sensitive", "hierarchy": {"tree": {"*": ["a", "b"]}}},
}


def test_it_is_the_schema_of_a_plan() -> None:
    plan = Plan.parse({"attributes": WORDS, "privacy": [{"k-anonymity": {"k": 2}}]})
    assert parse_schema(WORDS) == plan.schema


def test_a_schema_is_taken_as_it_is() -> None:
    schema = parse_schema(WORDS)
    assert parse_schema(schema) == schema
    named = parse_schema(schema, "name").individual
    assert named is not None
    assert named.column == "name"


def test_the_column_that_names_people_need_not_be_declared() -> None:
    schema = parse_schema({"age": "quasi"}, "who")
    assert [a.name for a in schema.attributes] == ["who", "age"]
    assert schema.individual is not None


def test_every_problem_is_said_at_once() -> None:
    with pytest.raises(PlanError) as error:
        parse_schema({"age": "nonsense", "ill": {"role": "quasi", "kind": "none"}})
    assert len(error.value.problems) == 2


def test_columns_that_are_absent_are_named() -> None:
    require_columns(["age", "ill"], ["age"])
    with pytest.raises(PlanError, match="no column 'shoe'"):
        require_columns(["age"], ["age", "shoe"])
