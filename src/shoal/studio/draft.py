"""A plan while it is written: a text that every click changes, and what is wrong with it so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from shoal.errors import PlanError, Problem, ShoalError
from shoal.plan import Plan
from shoal.plan.canonical import dump
from shoal.plan.document import read_text
from shoal.plan.file import LONGEST
from shoal.schema import Role
from shoal.studio.place import Place

# Columns with these roles may be published coarser.
COARSER = (Role.QUASI, Role.SEMI_SENSITIVE, Role.SENSITIVE)
# Keys that make sense for some roles only.
_ONLY = {
    "hierarchy": COARSER,
    "flag": (Role.SEMI_SENSITIVE,),
    "flags": (Role.SENSITIVE,),
}


@dataclass(frozen=True)
class Draft:
    """The text of a plan, its content as plain data, and the plan if it is one already."""

    text: str
    content: dict[str, Any]
    plan: Plan | None
    problems: tuple[Problem, ...]

    @property
    def attributes(self) -> dict[str, dict[str, Any]]:
        """Every attribute in the long form."""
        given = self.content.get("attributes")
        found = given if isinstance(given, Mapping) else {}
        return {name: _long(body) for name, body in found.items()}

    @property
    def requirements(self) -> list[tuple[str, dict[str, Any]]]:
        """Every requirement, with its parameters."""
        given = self.content.get("privacy")
        return [_named(one) for one in given] if isinstance(given, list) else []

    @property
    def method(self) -> tuple[str, dict[str, Any]]:
        return _named(self.content.get("method", "auto"))

    @property
    def source(self) -> str | None:
        given = self.content.get("source")
        return given if isinstance(given, str) else None

    @property
    def individual(self) -> str:
        given = self.content.get("individual")
        return str(given.get("column", "")) if isinstance(given, Mapping) else str(given or "")

    def of_role(self, *roles: Role) -> list[str]:
        """The attributes with one of these roles."""
        return [name for name, one in self.attributes.items() if one.get("role") in roles]

    def changed(self, **keys: Any) -> str:
        """The text with these keys of the plan set; None removes one."""
        content = {**self.content, **keys}
        return dump({key: value for key, value in content.items() if value is not None})

    def with_attribute(self, name: str, **keys: Any) -> str:
        """The text with these keys of an attribute set; None removes one."""
        body = {**self.attributes.get(name, {}), **keys}
        role = body.get("role")
        kept = {
            key: value
            for key, value in body.items()
            if value is not None and (key not in _ONLY or role in _ONLY[key])
        }
        given = self.content.get("attributes")
        attributes = dict(given) if isinstance(given, Mapping) else {}
        attributes[name] = role if set(kept) == {"role"} else kept
        return self.changed(attributes=attributes)


def read_draft(text: str, place: Place) -> Draft:
    """Read the text of a plan as far as it can be read."""
    return _read(text, place, place.stamp())


@lru_cache(maxsize=64)
def _read(text: str, place: Place, stamp: str) -> Draft:
    """The same; it is read again only if a file changed that it may name."""
    if len(text.encode()) > LONGEST:
        raise PlanError(f"A plan must have at most {LONGEST:,} bytes, but this has more.")
    content = read_text(text).data
    if not isinstance(content, dict):
        raise PlanError(
            "A plan must be a mapping from keys to values, but this is not.",
            hint="Begin with 'source: FILE'.",
        )
    try:
        plan = Plan.parse(text, place.folder)
        place.confine(plan)
    except ShoalError as error:
        return Draft(text, content, None, error.problems)
    return Draft(text, content, plan, ())


def read_value(text: str) -> Any:
    """A value as YAML reads it; where it cannot be read, the text, so that the plan says why.

    >>> read_value("[1, x]"), read_value("[1")
    ([1, 'x'], '[1')
    """
    try:
        return read_text(f"value: {text}").data["value"]
    except PlanError:
        return text


def _long(body: Any) -> dict[str, Any]:
    return dict(body) if isinstance(body, Mapping) else {"role": body}


def _named(given: Any) -> tuple[str, dict[str, Any]]:
    if isinstance(given, Mapping) and len(given) == 1:
        [(name, parameters)] = given.items()
        return str(name), dict(parameters) if isinstance(parameters, Mapping) else {}
    return str(given), {}


def named(name: str, parameters: Mapping[str, Any]) -> Any:
    """A requirement or a method in the form of a plan."""
    return {name: dict(parameters)} if parameters else name
