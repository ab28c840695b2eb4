"""From a document to the checked parts of a plan, or to one error with every problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.method import Method
from shoal.method.polish import Polish
from shoal.model import Model
from shoal.plan.attribute import Drafts, draft_attributes, with_texts
from shoal.plan.database import check_databases
from shoal.plan.document import Document
from shoal.plan.field import PlanFields
from shoal.plan.republish import check_republish
from shoal.plan.seed import SeedFile, read_seed
from shoal.plan.specification import (
    Engines,
    Placed,
    find_misfits,
    read_engine,
    read_method,
    read_models,
)
from shoal.plan.validation import DocumentPart, check
from shoal.plan.wording import describe, nearest
from shoal.schema import Schema

MOST_ATTRIBUTES = 10_000


@dataclass(frozen=True)
class Parts:
    """What a plan consists of.

    A requirement that is listed twice is one model; `repeated` names it.
    """

    fields: PlanFields
    schema: Schema
    models: tuple[Model, ...]
    repeated: tuple[str, ...]
    method: Method
    engine: Engines
    seed: int | SeedFile | None
    declared: Mapping[str, Any]
    polish: Polish | None = None


def assemble(document: Document, base: Path) -> Parts:
    """Check everything, even if something else is wrong already."""
    if not isinstance(document.data, dict):
        raise PlanError(_not_a_mapping(document))
    fields, drafts, problems = _draft(document, base)
    problems += check_databases(fields, document)
    models, bad_models = read_models(document, fields.privacy)
    # 'privcy' is a problem of its own; that 'privacy' is absent only follows from it.
    if _misspelt("privacy", document.data):
        bad_models = []
    method, bad_method = read_method(document, fields.method)
    engine, bad_engine = read_engine(document, fields.engine)
    seed, bad_seed = read_seed(document, fields.seed)
    problems += [*bad_models, *bad_method, *bad_engine, *bad_seed]
    if method is not None:
        given = [placed.specification for placed in models]
        problems += _check_polish(fields, method.specification, given, document)
    # Without any attribute, that models and methods lack theirs only follows from it.
    if drafts.attributes or drafts.unknown:
        schemas = list(drafts.schemas())
        for placed in models:
            problems += find_misfits(placed, document, schemas)
        if method is not None:
            problems += _method_misfits(method, document, schemas, chosen="method" in document.data)
            if fields.republish is not None:
                bound = method.specification.bound(schemas[0], given)
                problems += check_republish(schemas[0], bound, given, document)
    _refuse(problems)
    assert method is not None, "a method that is wrong has a problem"
    once: dict[str, Model] = {}
    listed = [str(placed.specification.requirement()) for placed in models]
    for text, placed in zip(listed, models, strict=True):
        once.setdefault(text, placed.specification)
    return Parts(
        fields,
        drafts.schema,
        tuple(once.values()),
        tuple(text for text in once if listed.count(text) > 1),
        method.specification.bound(drafts.schema, list(once.values())),
        engine,
        seed,
        drafts.declared,
        _polish(fields),
    )


def _misspelt(key: str, data: Mapping[str, Any]) -> bool:
    """Whether a key that is not there was probably meant by one that has a problem of its own."""
    known = PlanFields.model_fields
    unknown = (other for other in data if other not in known)
    return key not in data and any(nearest(other, known) == key for other in unknown)


def _method_misfits(
    method: Placed[Method], document: Document, schemas: Sequence[Schema], chosen: bool
) -> list[Problem]:
    """Where the method does not fit; of a method that the plan does not name nothing is said."""
    if not chosen and not any(schema.quasi for schema in schemas):
        text = "The plan declares no quasi-identifier."
        hint = "Give the columns that others may know 'role: quasi'."
        return [document.problem(("attributes",), text, hint)]
    return find_misfits(method, document, schemas)


def _polish(fields: PlanFields) -> Polish | None:
    given = fields.polish
    return None if given is None else Polish(given.steps, given.seconds)


def _check_polish(
    fields: PlanFields, method: Method, models: Sequence[Model], document: Document
) -> list[Problem]:
    """Whether classes can be improved afterwards, and for how long."""
    if fields.polish is None:
        return []
    found = []
    # As written: a value that is wrong has a problem of its own already.
    written = document.data["polish"]
    if sum(written.get(key) is not None for key in ("seconds", "steps")) != 1:
        text = "The 'polish' parameter of the plan needs either seconds or steps."
        found.append((text, "For example 'polish: {seconds: 10}'."))
    if method.layout.keeps_secrets:
        text = f"polish does not support {method.name}, which publishes secrets in buckets."
        found.append((text, "Leave 'polish' out."))
    if any(m.asks_more_at_levels for m in models):
        text = "polish does not support levels of multi-level-k with requirements other than k."
        found.append((text, "Leave 'polish' out, or require it of everybody."))
    return [document.problem(("polish",), text, hint) for text, hint in found]


def assemble_schema(document: Document, base: Path) -> Schema:
    """The attributes alone, checked as those of a plan are."""
    _, drafts, problems = _draft(document, base)
    _refuse(problems)
    return drafts.schema


def _draft(document: Document, base: Path) -> tuple[PlanFields, Drafts, list[Problem]]:
    """The keys of the plan, its attributes, and what is wrong with either."""
    data = with_texts(document)
    _limit_attributes(data.get("attributes"), document)
    checked = check(PlanFields, data, DocumentPart(document))
    assert checked.part is not None, "every key of a plan may be left out"
    drafts = draft_attributes(checked.part, data.get("attributes"), document, base)
    return checked.part, drafts, [*document.problems, *checked.problems, *drafts.problems]


def _limit_attributes(attributes: object, document: Document) -> None:
    if isinstance(attributes, Mapping) and len(attributes) > MOST_ATTRIBUTES:
        n = len(attributes)
        text = f"A plan may declare at most {MOST_ATTRIBUTES:,} attributes, got {n:,} instead."
        hint = "Leave out columns that nobody needs."
        raise PlanError(document.problem(("attributes",), text, hint))


def _not_a_mapping(document: Document) -> Problem:
    if document.problems:
        return document.problems[0]
    hint = "A plan begins with a key, for example 'attributes:'."
    if document.data is None:
        return Problem("The plan is empty.", hint=hint)
    text = f"The plan must be a mapping, got {describe(document.data)} instead."
    return Problem(text, hint=hint, line=document.line(()))


def _refuse(problems: list[Problem]) -> None:
    """Raise if there are problems: each of them once, by line."""
    if problems:
        raise PlanError(sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0))
