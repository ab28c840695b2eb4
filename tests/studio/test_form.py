from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.studio.form import first_parameters, form_of, method_of, model_of, parameters_of


@pytest.mark.parametrize("name", [*MODELS, *METHODS])
def test_a_form_has_every_parameter_with_its_meaning(name: str) -> None:
    kind = MODELS.get(name) or METHODS[name]
    form = form_of(kind, {}, {})
    assert {field.name for field in form.fields} == set(kind.describe()["parameters"])
    assert form.summary
    for field in form.fields:
        assert field.meaning, field.name


@pytest.mark.parametrize("name", MODELS)
def test_what_a_form_shows_reads_back(name: str) -> None:
    kind = MODELS[name]
    first = first_parameters(kind)
    form = form_of(kind, first, {})
    shown = {field.name: field.shown for field in form.fields}
    assert parameters_of(kind, shown) == first
    assert kind(**first)


@pytest.mark.parametrize("name", METHODS)
def test_a_method_left_alone_has_no_parameters(name: str) -> None:
    kind = METHODS[name]
    shown = {field.name: field.shown for field in form_of(kind, {}, {}).fields}
    assert parameters_of(kind, shown) == {}


def test_limits_and_choices_come_from_the_registry() -> None:
    fields = {
        f.name: f for f in form_of(MODELS["l-diversity"], {"l": 3}, {"attribute": ["x"]}).fields
    }
    assert fields["l"].least == 1
    assert fields["kind"].choices[0][0] == "distinct"
    assert [value for value, _ in fields["attribute"].choices] == ["", "x"]
    assert fields["l"].required


def test_a_number_that_is_none_is_kept_as_text() -> None:
    assert parameters_of(MODELS["k-anonymity"], {"k": "many"}) == {"k": "many"}


@pytest.mark.parametrize("find", [model_of, method_of])
def test_an_unknown_name_says_what_there_is(find: object) -> None:
    with pytest.raises(PlanError, match="Known"):
        find("nothing")  # type: ignore[operator]
