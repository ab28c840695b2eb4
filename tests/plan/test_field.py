"""Short forms of keys, and what their types alone do not say."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from shoal.plan.field import AttributeFields, DelayFields, OutputFields, PlanFields
from tests.plan.cases import only_problem


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ({"attributes": {"age": "quasi"}}, {"attributes": {"age": {"role": "quasi"}}}),
        ({"individual": "name"}, {"individual": {"column": "name"}}),
        ({"output": "release"}, {"output": {"folder": "release"}}),
        ({"source": "people.csv"}, {"source": ["people.csv"]}),
        ({"missing": "?"}, {"missing": ["?"]}),
        ({"polish": False}, {}),
    ],
)
def test_a_short_form_is_unfolded(short: dict[str, Any], long: dict[str, Any]) -> None:
    assert PlanFields.model_validate(short) == PlanFields.model_validate(long)


def test_a_key_without_a_value_is_left_out_but_an_unknown_one_is_not() -> None:
    assert OutputFields.model_validate({"folder": None, "format": None}) == OutputFields()
    with pytest.raises(ValidationError, match="colour"):
        OutputFields.model_validate({"colour": None})


def test_a_batch_is_at_most_as_large_as_the_delay() -> None:
    assert DelayFields(rows=5, batch=5).batch == 5
    with pytest.raises(ValidationError, match="nobody may wait longer"):
        DelayFields(rows=5, batch=6)


@pytest.mark.parametrize("name", ["utf-8", "windows-1252", "LATIN1"])
def test_an_encoding_of_text_is_known_by_any_of_its_names(name: str) -> None:
    assert PlanFields.model_validate({"encoding": name}).encoding == name


@pytest.mark.parametrize("name", ["base64", "latin-99", ""])
def test_anything_else_is_no_encoding(name: str) -> None:
    with pytest.raises(ValidationError):
        PlanFields.model_validate({"encoding": name})


def test_the_problem_says_what_an_encoding_must_be() -> None:
    assert "must name an encoding that Python knows" in only_problem(encoding="base64").text


def test_no_error_repeats_what_was_given() -> None:
    with pytest.raises(ValidationError) as caught:
        AttributeFields.model_validate({"role": "secret-of-ann"})
    assert "secret-of-ann" not in str(caught.value)
