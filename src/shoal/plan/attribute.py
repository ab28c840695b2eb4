"""The attributes of a plan: from what was declared to the schema's attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path as FilePath
from typing import Any

from shoal.errors import DataError, PlanError, Problem
from shoal.hierarchy import parse
from shoal.plan.document import Document, Path, text_of
from shoal.plan.field import AttributeFields, IndividualFields
from shoal.plan.validation import Place
from shoal.plan.wording import did_you_mean
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.table import rule_faults

_CLIMBING = (Role.QUASI, Role.SEMI_SENSITIVE, Role.SENSITIVE)
_KIND_OF_FORM = {"intervals": Kind.NUMERIC, "width": Kind.NUMERIC, "dates": Kind.DATE}
_ECHO = re.compile(r"got .*['\"].* instead", re.DOTALL)
_UNREAD = HierarchySpec("tree")  # stands for a hierarchy that is declared but wrong


def with_texts(document: Document) -> Any:
    """The data of the document, with texts where values of cells are meant, as they were typed."""
    data = dict(document.data)
    if "missing" in data:
        data["missing"] = _texts(document, ("missing",), data["missing"])
    attributes = data.get("attributes")
    if isinstance(attributes, dict):
        data["attributes"] = {
            name: _attribute_texts(document, ("attributes", name), given)
            for name, given in attributes.items()
        }
    return data


def _attribute_texts(document: Document, path: Path, given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    texts = dict(given)
    for key in ("values", "missing"):
        if key in given:
            texts[key] = _texts(document, (*path, key), given[key])
    hierarchy = given.get("hierarchy")
    if isinstance(hierarchy, dict):
        texts["hierarchy"] = {
            key: _texts(document, (*path, "hierarchy", key), value)
            if key in ("tree", "rows")
            else value
            for key, value in hierarchy.items()
        }
    return texts


def _texts(document: Document, path: Path, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(document, (*path, key), inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_texts(document, (*path, place), inner) for place, inner in enumerate(value)]
    return text_of(document, path, value)


@dataclass
class Drafts:
    """The attributes as far as they could be read; the role of a column in `unknown` is not."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)
    declared: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def schemas(self, individual: Individual | None) -> Iterator[Schema]:
        """Every schema that the plan may mean: one, unless there are columns of unknown role.

        Two such columns are enough to tell what depends on them; the others follow the second.
        """
        for first, second in product(Role, Role) if self.unknown else [(Role.QUASI, Role.QUASI)]:
            guessed = [
                Attribute(name, second if place else first)
                for place, name in enumerate(self.unknown)
            ]
            yield Schema((*self.attributes.values(), *guessed), individual)


def draft_attributes(
    fields: Mapping[str, AttributeFields],
    given: Mapping[str, Any],
    missing: list[str],
    document: Document,
    base: FilePath,
) -> Drafts:
    """Build the attributes one by one, then check what they say of one another."""
    drafts = Drafts(unknown=[name for name in given if name not in fields])
    for name, asked in fields.items():
        lost = isinstance(given[name], dict) and given[name].get("values") and not asked.values
        draft = _Draft(name, asked, Place(document), drafts.problems, bool(lost))
        drafts.attributes[name] = draft.build(missing, base)
        if asked.hierarchy is not None:
            drafts.declared[name] = asked.hierarchy
    for name, asked in fields.items():
        if asked.role is Role.SEMI_SENSITIVE and asked.flag is None:
            drafts.problems.append(_unflagged(name, Place(document)))
        if asked.flags is not None:
            drafts.problems += _check_rules(name, asked, Place(document))
        if asked.flag is not None:
            drafts.problems += _check_flag(name, asked.flag, drafts, Place(document))
            if asked.role not in (Role.SENSITIVE, Role.SEMI_SENSITIVE):
                drafts.problems.append(_misplaced(name, asked.role, Place(document)))
    return drafts


def _unflagged(name: str, place: Place) -> Problem:
    path: Path = ("attributes", name)
    text = f"{place.subject(path)} is semi-sensitive, and no column tells whose cells are secret."
    return place.problem(path, text, "Add 'flag: COLUMN', a column of role flag with yes or no.")


def _misplaced(name: str, role: Role, place: Place) -> Problem:
    path: Path = ("attributes", name, "flag")
    text = f"{place.subject(path)} is for sensitive and semi-sensitive attributes; the role is"
    return place.problem(path, f"{text} {role}.")


def _check_rules(name: str, asked: AttributeFields, place: Place) -> list[Problem]:
    path: Path = ("attributes", name, "flags")
    found = []
    if asked.role is not Role.SENSITIVE:
        text = f"{place.subject(path)} is for sensitive attributes; the role is {asked.role}."
        found.append(place.problem(path, text))
    if asked.flag is not None:
        text = f"Attribute {name!r} has 'flag' and 'flags': cells take their flags from one."
        found.append(place.problem(path, text, "Keep the column or the rules."))
    for key, fault in rule_faults(asked.flags or {}):
        inside: Path = (*path, key)
        found.append(place.problem(inside, f"{place.subject(inside)} {fault}"))
    return found


def _check_flag(name: str, flag: str, drafts: Drafts, place: Place) -> list[Problem]:
    path: Path = ("attributes", name, "flag")
    if flag in drafts.unknown:
        return []
    if flag not in drafts.attributes:
        text = f"{place.subject(path)} names no declared attribute."
        return [place.problem(path, text, did_you_mean(flag, drafts.attributes))]
    role = drafts.attributes[flag].role
    if role is Role.FLAG:
        return []
    text = f"{place.subject(path)} must name a column with role flag; the role is {role}."
    return [place.problem(path, text)]


def check_individual(
    fields: IndividualFields, drafts: Drafts, place: Place
) -> tuple[Individual, list[Problem]]:
    """The column must be declared, and must be one that is never published."""
    individual = Individual(fields.column, fields.conflict)
    if fields.column in drafts.unknown:
        return individual, []
    path: Path = ("individual",)
    if fields.column not in drafts.attributes:
        hint = did_you_mean(fields.column, drafts.attributes)
        text = "The column of 'individual' is not a declared attribute."
        return individual, [place.problem(path, text, hint)]
    role = drafts.attributes[fields.column].role
    if role is Role.IDENTIFIER:
        return individual, []
    text = f"The column of 'individual' must have the role identifier, got {role} instead."
    return individual, [place.problem(path, text, "It tells people apart and is never published.")]


@dataclass
class _Draft:
    """One attribute on its way from the fields to the schema."""

    name: str
    asked: AttributeFields
    place: Place
    problems: list[Problem]
    values_lost: bool

    def build(self, missing: list[str], base: FilePath) -> Attribute:
        asked = self.asked
        self._check_domain()
        self._check_values()
        hierarchy = self._hierarchy(base)
        own = [text for text in asked.missing if text not in missing]
        return Attribute(
            self.name,
            asked.role,
            self._kind(hierarchy),
            asked.domain,
            None if asked.values is None else tuple(asked.values),
            hierarchy,
            asked.flag,
            asked.flags,
            tuple(dict.fromkeys([*own, *missing])),
        )

    def _report(self, key: str, text: str, hint: str = "") -> None:
        """Report a problem of one key; `text` goes on after the key's name."""
        path: Path = ("attributes", self.name, key)
        self.problems.append(self.place.problem(path, f"{self.place.subject(path)} {text}", hint))

    def _check_domain(self) -> None:
        domain, kind = self.asked.domain, self.asked.kind
        if domain is None:
            return
        if domain[0] >= domain[1]:
            got = f"[{domain[0]:g}, {domain[1]:g}]"
            text = f"must be a list of two numbers, the lower one first, got {got} instead."
            self._report("domain", text)
        if kind not in (None, Kind.NUMERIC):
            hint = "Use 'values' to declare what can occur."
            self._report("domain", f"is for numeric attributes; the kind is {kind}.", hint)

    def _check_values(self) -> None:
        values = self.asked.values
        if values is None:
            if self.asked.kind is Kind.ORDINAL and not self.values_lost:
                text = "is required where the kind is ordinal."
                self._report("values", text, "List every value, the lowest first.")
            return
        first: dict[str, int] = {}
        for place, value in enumerate(values):
            if first.setdefault(value, place) != place:
                text = f"must hold each value once; items {first[value]} and {place} are equal."
                self._report("values", text)

    def _hierarchy(self, base: FilePath) -> HierarchySpec | None:
        declared = self.asked.hierarchy
        if declared is None:
            return None
        if self.asked.role not in _CLIMBING:
            roles = "quasi, sensitive and semi-sensitive attributes"
            self._report("hierarchy", f"is for {roles}; the role is {self.asked.role}.")
        try:
            return parse(declared, base).spec
        except (PlanError, DataError) as error:
            path: Path = ("attributes", self.name, "hierarchy")
            self.problems += [_placed(problem, path, self.place) for problem in error.problems]
            return _UNREAD

    def _kind(self, hierarchy: HierarchySpec | None) -> Kind | None:
        """The kind that is given, or that the hierarchy or the domain implies."""
        implied = _KIND_OF_FORM.get(hierarchy.form) if hierarchy is not None else None
        kind = self.asked.kind
        if implied is None:
            return kind or (Kind.NUMERIC if self.asked.domain is not None else None)
        if kind not in (None, implied):
            text = f"must be {implied} for this hierarchy, got {kind} instead."
            self._report("kind", text, "Change the kind or the hierarchy.")
        elif implied is Kind.DATE and self.asked.domain is not None and kind is None:
            self._report("domain", "is for numeric attributes; the hierarchy is of dates.")
        return implied


def _placed(problem: Problem, path: Path, place: Place) -> Problem:
    """A problem of a hierarchy, at its place in the plan; what it says of a file stays."""
    text = _ECHO.sub("got something else instead", problem.text)
    inside = problem.where + (f", line {problem.line}" if problem.line else "")
    placed = place.problem(path, f"{inside}: {text}" if inside else text, problem.hint)
    named = re.match(r"The '(\w+)", text)
    if named and (*place.path, *path, named[1]) in place.document.lines:
        return replace(placed, line=place.document.line((*path, named[1])))
    return placed
