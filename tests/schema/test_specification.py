"""The base of everything that a plan names."""

from __future__ import annotations

from typing import ClassVar

import pytest
from pydantic import Field, ValidationError

from shoal import papers
from shoal.schema import Schema
from shoal.schema.specification import Count, Share, Specification


class Example(Specification):
    """What it is for.

    More about it.
    """

    name: ClassVar[str] = "example"
    cite: ClassVar[papers.Citations] = (papers.cite("samarati"),)
    attribute: str | None = None
    k: Count = Field(description="how many")
    alpha: Share = 0.5
    where: str = Field("here", alias="place")


def test_parameters_have_the_names_of_a_plan_and_the_attribute_is_last() -> None:
    given = Example(k=3, place="there")
    assert list(given.parameters().items()) == [
        ("k", 3),
        ("alpha", 0.5),
        ("place", "there"),
        ("attribute", None),
    ]
    assert given == Example(k=3, where="there")


def test_a_specification_describes_itself() -> None:
    described = Example.describe()
    assert (described["name"], described["summary"]) == ("example", "What it is for.")
    assert described["references"] == [papers.cite("samarati").reference]
    assert list(described["parameters"]) == ["k", "alpha", "place", "attribute"]
    assert described["parameters"]["k"] == {
        "default": None,
        "required": True,
        "meaning": "how many",
    }
    assert described["parameters"]["place"]["default"] == "here"
    assert Example(k=1).problems(Schema(())) == []


@pytest.mark.parametrize("given", [{"k": 1, "alpha": 1}, {"k": 1, "alpha": 1e-300}])
def test_the_ends_of_a_range_are_allowed(given: dict[str, float]) -> None:
    assert Example.model_validate(given).k == 1


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"k": 0},
        {"k": 1.0},
        {"k": "1"},
        {"k": 1, "alpha": 0},
        {"k": 1, "alpha": 1.01},
        {"k": 1, "alpha": float("nan")},
        {"k": 1, "beta": 1},
    ],
)
def test_what_is_wrong_is_refused_without_its_value(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as caught:
        Example.model_validate({**given, "place": "S3CRET"})
    assert "S3CRET" not in str(caught.value)


def test_a_specification_is_frozen() -> None:
    with pytest.raises(ValidationError):
        Example(k=1).k = 2
