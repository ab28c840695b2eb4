"""What a model on sensitive values can be asked of."""

from __future__ import annotations

from typing import Any

import pytest

from shoal.kernels import requirement as kernel
from shoal.model import KE, LDiversity
from shoal.model.base import Reach
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
        ({}, Role.INSENSITIVE, "needs a sensitive attribute, and none is declared"),
        ({"attribute": "s"}, Role.SENSITIVE, ""),
        ({"attribute": "s"}, Role.SEMI_SENSITIVE, ""),
        ({"attribute": "q"}, Role.SENSITIVE, "is asked of 'q', whose role is"),
        ({"attribute": "x"}, Role.SENSITIVE, "names no declared attribute"),
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
