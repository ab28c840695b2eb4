"""The attributes of a plan: from the declared fields to the schema."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path as FilePath
from typing import Any

from shoal.errors import DataError, PlanError, Problem
from shoal.hierarchy import parse
from shoal.plan.document import Document, Path
from shoal.plan.field import AttributeFields, PlanFields
from shoal.plan.validation import DocumentPart
from shoal.plan.wording import did_you_mean
from shoal.schema import Attribute, HierarchySpec, Individual, Kind, Role, Schema
from shoal.table import rule_faults

_CLIMBING = (Role.QUASI, Role.SEMI_SENSITIVE, Role.SENSITIVE)
_KIND_OF_FORM = {"intervals": Kind.NUMERIC, "width": Kind.NUMERIC, "dates": Kind.DATE}
# A hierarchy says what it got instead, which may be a value of a cell.
_ECHO = re.compile(r"got .*['\"].* instead", re.DOTALL)
_UNREAD = HierarchySpec("tree")  # in place of a hierarchy that is declared but wrong


def with_texts(document: Document) -> Any:
    """The data of the document; numbers that are values of cells are texts, as they were typed."""
    return _texts(document, (), document.data)


def _texts(document: Document, path: Path, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(document, (*path, key), inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_texts(document, (*path, place), inner) for place, inner in enumerate(value)]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not _is_cell(path):
        return value
    return document.typed.get(path, str(value) if math.isfinite(value) else value)


def _is_cell(path: Path) -> bool:
    match path:
        case ("missing", *_) | ("attributes", _, "values" | "missing", *_):
            return True
        case ("attributes", _, "hierarchy", "tree" | "rows", *_):
            return True
    return False


@dataclass
class Drafts:
    """The attributes as far as they could be read; the role of a column in `unknown` is not."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    individual: Individual | None = None
    unknown: list[str] = field(default_factory=list)
    declared: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def schema(self) -> Schema:
        return Schema(tuple(self.attributes.values()), self.individual)

    def schemas(self) -> Iterator[Schema]:
        """Every schema that the plan may mean: one, unless there are columns of unknown role.

        Two such columns are enough to find what depends on them; the others follow the second.
        """
        for first, second in product(Role, Role) if self.unknown else [(Role.QUASI, Role.QUASI)]:
            guessed = [
                Attribute(name, second if place else first)
                for place, name in enumerate(self.unknown)
            ]
            yield Schema((*self.attributes.values(), *guessed), self.individual)


def draft_attributes(plan: PlanFields, given: Any, document: Document, base: FilePath) -> Drafts:
    """Build the attributes one by one, then check how they refer to one another.

    `given` is what the document has under `attributes`, even if `plan` lacks it.
    """
    columns: dict[str, Any] = given if isinstance(given, dict) else {}
    place = DocumentPart(document)
    drafts = Drafts(unknown=[name for name in columns if name not in plan.attributes])
    each = []
    for name, fields in plan.attributes.items():
        # Values that are wrong are reported as such, not as absent.
        lost = isinstance(columns[name], dict) and columns[name].get("values") and not fields.values
        draft = _Draft(name, fields, place, drafts.problems, bool(lost))
        drafts.attributes[name] = draft.build(plan.missing, base)
        if fields.hierarchy is not None:
            drafts.declared[name] = fields.hierarchy
        each.append(draft)
    for draft in each:
        draft.check_flags(drafts)
    if given is None or given == {}:
        hint = "List every column of the data with its role under 'attributes'."
        text = "The plan must declare at least one attribute."
        drafts.problems.append(place.problem(("attributes",), text, hint))
    if plan.individual is not None and columns:
        drafts.individual = Individual(plan.individual.column, plan.individual.conflict)
        drafts.problems += _check_individual(plan.individual.column, drafts, place)
    return drafts


def _check_individual(column: str, drafts: Drafts, place: DocumentPart) -> list[Problem]:
    """The column must be declared, and must be one that is never published."""
    # Its role is a problem already; what the role should be would only follow from it.
    if column in drafts.unknown:
        return []
    if column not in drafts.attributes:
        text = "The column of 'individual' must be a declared attribute."
        hint = did_you_mean(column, drafts.attributes)
    else:
        role = drafts.attributes[column].role
        if role is Role.IDENTIFIER:
            return []
        text = f"The column of 'individual' must have the role identifier, got {role} instead."
        hint = "It identifies people and is never published."
    return [place.problem(("individual",), text, hint)]


@dataclass
class _Draft:
    """One attribute on its way from the fields to the schema."""

    name: str
    fields: AttributeFields
    place: DocumentPart
    problems: list[Problem]
    values_lost: bool

    def build(self, missing: list[str], base: FilePath) -> Attribute:
        fields = self.fields
        self._check_domain()
        self._check_values()
        hierarchy = self._hierarchy(base)
        own = [text for text in fields.missing if text not in missing]
        return Attribute(
            self.name,
            fields.role,
            self._kind(hierarchy),
            fields.domain,
            None if fields.values is None else tuple(fields.values),
            hierarchy,
            fields.flag,
            fields.flags,
            tuple(dict.fromkeys([*own, *missing])),
        )

    def check_flags(self, drafts: Drafts) -> None:
        """Whose cells are secret: by a column of role flag, or by rules."""
        fields, role = self.fields, self.fields.role
        if role is Role.SEMI_SENSITIVE and fields.flag is None:
            hint = "Add 'flag: COLUMN', a column of role flag with yes or no."
            self._report((), "is semi-sensitive and needs a flag column, but has none.", hint)
        if fields.flags is not None:
            if role is not Role.SENSITIVE:
                self._report(("flags",), f"is for sensitive attributes, but the role is {role}.")
            if fields.flag is not None:
                text = "must not be given together with 'flag'."
                self._report(("flags",), text, "Keep the column or the rules.")
            for key, fault in rule_faults(fields.flags, drafts.attributes[self.name].kind):
                self._report(("flags", key), fault)
        if fields.flag is None:
            return
        if fields.flag not in drafts.unknown:
            self._check_flag(fields.flag, drafts.attributes)
        if role not in (Role.SENSITIVE, Role.SEMI_SENSITIVE):
            text = f"is for sensitive and semi-sensitive attributes, but the role is {role}."
            self._report(("flag",), text)

    def _check_flag(self, flag: str, attributes: Mapping[str, Attribute]) -> None:
        if flag not in attributes:
            hint = did_you_mean(flag, attributes)
            self._report(("flag",), "must name a declared attribute.", hint)
        elif (role := attributes[flag].role) is not Role.FLAG:
            self._report(("flag",), f"must name a column with role flag, but its role is {role}.")

    def _report(self, inside: Path, text: str, hint: str = "") -> None:
        """Report a problem at a key of the attribute; `text` continues the name of the key."""
        path: Path = ("attributes", self.name, *inside)
        self.problems.append(self.place.problem(path, f"{self.place.subject(path)} {text}", hint))

    def _check_domain(self) -> None:
        domain, kind = self.fields.domain, self.fields.kind
        if domain is None:
            return
        if domain[0] >= domain[1]:
            got = f"[{domain[0]:g}, {domain[1]:g}]"
            text = f"must be a list of two numbers, the lower one first, got {got} instead."
            self._report(("domain",), text)
        if kind not in (None, Kind.NUMERIC):
            hint = "Use 'values' to declare what can occur."
            self._report(("domain",), f"is for numeric attributes, but the kind is {kind}.", hint)

    def _check_values(self) -> None:
        values = self.fields.values
        if values is None:
            if self.fields.kind is Kind.ORDINAL and not self.values_lost:
                hint = "List every value, the lowest first."
                self._report(("values",), "is required for the kind ordinal.", hint)
            return
        first: dict[str, int] = {}
        for place, value in enumerate(values):
            if first.setdefault(value, place) != place:
                text = f"must list each value once, but items {first[value]} and {place} are equal."
                self._report(("values",), text)

    def _hierarchy(self, base: FilePath) -> HierarchySpec | None:
        declared = self.fields.hierarchy
        if declared is None:
            return None
        if self.fields.role not in _CLIMBING:
            roles = "quasi, sensitive and semi-sensitive attributes"
            self._report(("hierarchy",), f"is for {roles}, but the role is {self.fields.role}.")
        try:
            return parse(declared, base).spec
        except (PlanError, DataError) as error:
            path: Path = ("attributes", self.name, "hierarchy")
            self.problems += [_placed(problem, path, self.place) for problem in error.problems]
            return _UNREAD

    def _kind(self, hierarchy: HierarchySpec | None) -> Kind | None:
        """The kind that is given, or that the hierarchy or the domain implies."""
        implied = _KIND_OF_FORM.get(hierarchy.form) if hierarchy is not None else None
        kind = self.fields.kind
        if implied is None:
            return kind or (Kind.NUMERIC if self.fields.domain is not None else None)
        if kind not in (None, implied):
            text = f"must be {implied} for this hierarchy, got {kind} instead."
            self._report(("kind",), text, "Change the kind or the hierarchy.")
        elif implied is Kind.DATE and self.fields.domain is not None and kind is None:
            self._report(("domain",), "is for numeric attributes, but the hierarchy is of dates.")
        return implied


def _placed(problem: Problem, path: Path, place: DocumentPart) -> Problem:
    """A problem of a hierarchy, at its place in the plan; the line of a file stays in the text."""
    text = _ECHO.sub("got something else instead", problem.text)
    inside = problem.where + (f", line {problem.line}" if problem.line else "")
    placed = place.problem(path, f"{inside}: {text}" if inside else text, problem.hint)
    named = re.match(r"The '(\w+)", text)
    if named and (*place.path, *path, named[1]) in place.document.lines:
        return replace(placed, line=place.document.line((*path, named[1])))
    return placed
