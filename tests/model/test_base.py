"""What a model on sensitive values applies to, and what it says of a table that is too small."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels import requirement as kernel
from shoal.model import KE, AlphaK, KAnonymity, LDiversity, Model
from shoal.model.base import Reach, safe_text
from shoal.schema import Attribute, Kind, Role, Schema
from tests.verify.small import said


def schema(role: Role, kind: Kind | None = None) -> Schema:
    return Schema((Attribute("q", Role.QUASI), Attribute("s", role, kind)))


def test_the_numbers_are_those_of_the_kernel() -> None:
    assert {reach.name: int(reach) for reach in Reach} == {
        reach.name: getattr(kernel, reach.name) for reach in Reach
    }


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
