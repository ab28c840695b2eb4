"""From a document to the checked parts of a plan, or to one error with every problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.plan.attribute import Drafts, check_individual, draft_attributes, with_texts
from shoal.plan.document import Document
from shoal.plan.field import PlanFields
from shoal.plan.specification import (
    Placed,
    find_misfits,
    read_engine,
    read_method,
    read_models,
)
from shoal.plan.validation import Place, check
from shoal.plan.wording import shown
from shoal.schema import Individual, Schema
from shoal.schema.specification import Specification


@dataclass(frozen=True)
class Parts:
    """What a plan is made of."""

    fields: PlanFields
    schema: Schema
    models: tuple[Specification, ...]
    method: Specification
    workers: int | None
    declared: Mapping[str, Any]


def assemble(document: Document, base: Path) -> Parts:
    """Check everything, also where something else is wrong already."""
    if not isinstance(document.data, dict):
        raise PlanError(_not_a_mapping(document))
    data = with_texts(document)
    checked = check(PlanFields, data, Place(document))
    fields = checked.part
    assert fields is not None, "every key of a plan may be left out"
    problems = [*document.problems, *checked.problems, *_check_this_version(fields, document)]
    drafts, individual, misplaced = _draft(fields, data, document, base)
    models, bad_models = read_models(document, fields.privacy)
    method, bad_method = read_method(document, fields.method)
    local, bad_engine = read_engine(document, fields.engine)
    problems += [*drafts.problems, *misplaced, *bad_models, *bad_method, *bad_engine]
    if drafts.attributes or drafts.unknown:
        asked = models if method is None else [*models, method]
        problems += _misfits(asked, drafts, individual, document)
    if problems or method is None:
        raise PlanError(_in_order(problems))
    return Parts(
        fields,
        Schema(tuple(drafts.attributes.values()), individual),
        tuple(placed.specification for placed in models),
        method.specification,
        local.workers,
        drafts.declared,
    )


def _not_a_mapping(document: Document) -> Problem:
    hint = "A plan begins with a key, for example 'attributes:'."
    if document.data is None and not document.problems:
        return Problem("The plan is empty.", hint=hint)
    if document.problems:
        return document.problems[0]
    text = f"The plan must be a mapping, got {shown(document.data)} instead."
    return Problem(text, hint=hint, line=document.line(()))


def assemble_schema(document: Document, base: Path) -> Schema:
    """The attributes alone, checked as those of a plan are."""
    data = with_texts(document)
    checked = check(PlanFields, data, Place(document))
    assert checked.part is not None, "every key of a plan may be left out"
    drafts, individual, misplaced = _draft(checked.part, data, document, base)
    problems = [*document.problems, *checked.problems, *drafts.problems, *misplaced]
    if problems:
        raise PlanError(_in_order(problems))
    return Schema(tuple(drafts.attributes.values()), individual)


def _draft(
    fields: PlanFields, data: Any, document: Document, base: Path
) -> tuple[Drafts, Individual | None, list[Problem]]:
    """The attributes, the column that names people, and what is wrong with that column."""
    given = data.get("attributes")
    columns = given if isinstance(given, dict) else {}
    drafts = draft_attributes(fields.attributes, columns, fields.missing, document, base)
    if given is None or given == {}:
        text = "The plan declares no attribute."
        hint = "List every column of the data with its role under 'attributes'."
        drafts.problems.append(document.problem(("attributes",), text, hint))
    if fields.individual is None or not (drafts.attributes or drafts.unknown):
        return drafts, None, []
    return drafts, *check_individual(fields.individual, drafts, Place(document))


def _check_this_version(fields: PlanFields, document: Document) -> list[Problem]:
    """What the plan language has, and this version does not do yet."""
    problems = []
    export = "Export the table to a CSV or Parquet file, and name that as the source."
    for key in ("table", "query"):
        if getattr(fields, key) is not None:
            text = f"This version does not read databases, so {key!r} cannot be used."
            problems.append(document.problem((key,), text, export))
    if any("://" in source for source in fields.source or ()):
        text = "This version reads files only, not databases or other addresses."
        problems.append(document.problem(("source",), text, export))
    if fields.polish is not False:
        text = "The 'polish' parameter of the plan is not available in this version."
        problems.append(document.problem(("polish",), text, "Leave it out."))
    return problems


def _misfits(
    asked: list[Placed], drafts: Drafts, individual: Individual | None, document: Document
) -> list[Problem]:
    schemas = list(drafts.schemas(individual))
    return [problem for placed in asked for problem in find_misfits(placed, document, schemas)]


def _in_order(problems: list[Problem]) -> list[Problem]:
    """Each problem once, by line."""
    return sorted(dict.fromkeys(problems), key=lambda problem: problem.line or 0)
