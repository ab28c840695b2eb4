"""What a model on sensitive values applies to, and what it says of a table that is too small."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.errors import InfeasibleError
from shoal.kernels import requirement as kernel
from shoal.model import KE, AlphaK, KAnonymity, LDiversity, Model
from shoal.model.base import Bound, Reach, safe_text, too_few_spare
from shoal.schema import Attribute, Kind, Role, Schema
from tests.cases import random_case, task_of
from tests.verify.small import said


def schema(role: Role, kind: Kind | None = None) -> Schema:
    return Schema((Attribute("q", Role.QUASI), Attribute("s", role, kind)))


def test_the_numbers_are_those_of_the_kernel() -> None:
    """By all names: two members of one number would be one member of an enumeration."""
    assert {name: int(reach) for name, reach in Reach.__members__.items()} == {
        name: getattr(kernel, name) for name in Reach.__members__
    }
    assert len(Reach) == len(Reach.__members__)


def test_what_is_computed_of_people_and_of_a_population() -> None:
    people = {"VALUE_ROWS", "VALUE_PEOPLE", "HITTING"}
    assert {reach.name for reach in Reach if reach.of_people} == people
    assert {reach.name for reach in Reach if reach.of_population} == {"POPULATION", "PRESENCE"}


def test_a_bound_says_nothing_but_its_limit_unless_told() -> None:
    assert Bound(Reach.SIZE, 2.0) == (Reach.SIZE, 2.0, None, 0.0, False)


def test_a_table_of_k_people_is_just_large_enough() -> None:
    table = task_of(random_case(1, most_rows=12)).table
    n = table.n_units
    assert KAnonymity(k=n).too_few_units(n, table) == []
    problem = KAnonymity(k=n + 1).too_few_units(n + 1, table)
    assert said(problem).endswith(f"The largest possible k is {n}.")


def test_as_many_rows_as_may_be_left_out_are_no_problem() -> None:
    assert too_few_spare("l", 3, None, "s") == []
    assert too_few_spare("l", 3, 3, "s") == []
    assert "without at least 3 rows" in said(too_few_spare("l", 3, 2, "s"))


def test_a_model_must_say_what_it_bounds() -> None:
    with pytest.raises(NotImplementedError):
        Model().bounds(schema(Role.SENSITIVE))


@pytest.mark.parametrize(
    ("given", "role", "finding"),
    [
        ({}, Role.SENSITIVE, ""),
        ({}, Role.SEMI_SENSITIVE, ""),
        ({}, Role.INSENSITIVE, "needs a sensitive attribute, but none is declared"),
        ({"attribute": "s"}, Role.SENSITIVE, ""),
        ({"attribute": "s"}, Role.SEMI_SENSITIVE, ""),
        ({"attribute": "q"}, Role.SENSITIVE, "but the role of 'q' is quasi"),
        ({"attribute": "x"}, Role.SENSITIVE, "must name a declared attribute"),
    ],
)
def test_the_attribute_is_sensitive(given: Any, role: Role, finding: str) -> None:
    found = said(LDiversity(l=2, **given).problems(schema(role)))
    assert (found == "") == (finding == "")
    assert finding in found


@pytest.mark.parametrize("kind", [None, *Kind])
def test_the_kind_must_fit_where_it_is_known(kind: Kind | None) -> None:
    fits = kind in (None, Kind.NUMERIC)
    found = KE(k=2, e=1).problems(schema(Role.SENSITIVE, kind))
    assert (found == []) is fits
    assert LDiversity(l=2).problems(schema(Role.SENSITIVE, kind)) == []


def test_targets_are_all_or_the_one_that_is_named() -> None:
    two = Schema((Attribute("s", Role.SENSITIVE), Attribute("t", Role.SENSITIVE)))
    assert list(LDiversity(l=2).targets(two)) == ["s", "t"]
    assert list(LDiversity(l=2, attribute="t").targets(two)) == ["t"]


@pytest.mark.parametrize(
    ("model", "parameter", "limit", "text", "hint"),
    [
        (KAnonymity(k=10**6), "k", 30162, "k = 1000000", "largest possible k is 30162."),
        (AlphaK(alpha=0.1, k=2), "alpha", 1 / 3, "alpha = 0.1", "possible alpha is 0.3334."),
    ],
)  # fmt: skip
def test_out_of_reach(model: Model, parameter: str, limit: float, text: str, hint: str) -> None:
    problem = model.out_of_reach(parameter, "too few", limit, "s")
    assert text in problem.text
    assert problem.text.endswith("cannot be achieved for 's': too few.")
    assert problem.hint.endswith(hint)
    assert ("smallest" in problem.hint) is (parameter == "alpha")


@given(st.floats(1e-6, 1e6), st.booleans())
def test_a_hint_can_be_followed(limit: float, least: bool) -> None:
    """What is rounded is rounded to the side on which it holds, by less than a part in 1,000."""
    said = float(safe_text(limit, least=least))
    assert said >= limit if least else said <= limit
    assert abs(said - limit) <= limit / 1000


def test_a_hint_has_four_digits() -> None:
    assert safe_text(2 / 3, least=True) == "0.6667"
    assert safe_text(2 / 3, least=False) == "0.6666"
    assert safe_text(12.34567, least=False) == "12.34"


@pytest.mark.parametrize(("plan", "found"), [({}, "1 row"), ({"individual": "who"}, "1 person")])
def test_a_table_of_one_is_said_in_the_singular(plan: dict[str, Any], found: str) -> None:
    attributes = {"age": "quasi", "who": "identifier"}
    plan |= {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}], "method": "mondrian"}
    with pytest.raises(InfeasibleError, match=rf"the table has {found}\."):
        shoal.run(plan, pl.DataFrame({"age": [30], "who": ["Ann"]}))


def test_most_models_have_no_levels() -> None:
    for model in (KAnonymity(k=2), LDiversity(l=2), AlphaK(alpha=0.5, k=2)):
        assert not model.asks_more_at_levels
