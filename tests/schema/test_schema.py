"""Attributes, roles and requirements."""

from __future__ import annotations

import pytest

from shoal.schema import Attribute, HierarchySpec, Individual, Requirement, Role, Schema

FLAT = HierarchySpec("flat")
SCHEMA = Schema(
    (
        Attribute("name", Role.IDENTIFIER),
        Attribute("ill", Role.SENSITIVE, hierarchy=FLAT),
        Attribute("age", Role.QUASI, hierarchy=FLAT),
        Attribute("zip", Role.SEMI_SENSITIVE, hierarchy=FLAT, flag="hidden"),
        Attribute("hidden", Role.FLAG),
        Attribute("f", Role.SENSITIVITY),
        Attribute("note", Role.INSENSITIVE),
    ),
    Individual("name"),
)


def names(attributes: tuple[Attribute, ...]) -> list[str]:
    return [attribute.name for attribute in attributes]


def test_roles_decide_what_is_known_and_published() -> None:
    assert names(SCHEMA.quasi) == ["age", "zip"]
    assert names(SCHEMA.secret) == ["ill", "zip"]
    assert names(SCHEMA.sensitive) == ["ill"]
    assert names(SCHEMA.published) == ["ill", "age", "zip", "note"]
    assert names(SCHEMA.of(Role.FLAG, Role.IDENTIFIER)) == ["name", "hidden"]
    assert SCHEMA.of() == Schema(()).published == ()


def test_an_attribute_is_found_by_name() -> None:
    assert SCHEMA["age"].role is Role.QUASI
    with pytest.raises(KeyError):
        SCHEMA["shoe"]


def test_only_quasi_identifiers_lose_their_hierarchies() -> None:
    bare = SCHEMA.without_hierarchies()
    assert [a.name for a in bare.attributes if a.hierarchy is not None] == ["ill"]
    assert names(bare.attributes) == names(SCHEMA.attributes)
    assert bare.individual == SCHEMA.individual
    assert SCHEMA["age"].hierarchy is FLAT


def test_a_requirement_shows_what_is_given() -> None:
    assert str(Requirement("l-diversity", {"l": 2, "c": None})) == "l-diversity {l: 2}"
    assert str(Requirement("k-map")) == "k-map {}"
