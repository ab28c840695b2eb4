"""The models, the method and the engine that a plan names, each with its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from shoal.errors import Problem
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.plan.document import Document, Path
from shoal.plan.field import LocalFields
from shoal.plan.validation import Checked, Place, check
from shoal.plan.wording import did_you_mean, one_of, shown
from shoal.schema import Schema
from shoal.schema.specification import Specification

S = TypeVar("S", bound=Specification)

_NAMED = re.compile(r"The '([^']+)'")

LATER_METHODS = (
    "ka", "sd-mks3wd", "se-mks3wd", "ece-mks3wd", "lgb-mdp", "lgb-ncp", "danonyir", "geneir",
    "adjacency", "weighted-graph", "k-member", "mondrian", "qi-mhsa", "top-down", "hilbert", "auto",
)  # fmt: skip


class Placed(NamedTuple):
    """A model or method, and where the plan asks for it."""

    specification: Specification
    path: Path


class _Named(NamedTuple):
    name: str
    parameters: dict[str, Any]
    path: Path


def read_models(document: Document, given: Any) -> tuple[list[Placed], list[Problem]]:
    """Every model under `privacy` that can be read, and what is wrong with the others."""
    path: Path = ("privacy",)
    if given is None or given == [] or given == {}:
        text = "The plan names no model under 'privacy': say what must hold."
        return [], [document.problem(path, text, "For example '- k-anonymity: {k: 5}'.")]
    if not isinstance(given, list):
        text = f"The 'privacy' parameter of the plan must be a list, got {shown(given)} instead."
        hint = "Begin each model in a line of its own with '- '."
        return [], [document.problem(path, text, hint)]
    models: list[Placed] = []
    problems: list[Problem] = []
    for place, item in enumerate(given):
        read = _read(document, item, (*path, place), "model", MODELS, ())
        models += [read] if isinstance(read, Placed) else []
        problems += read if isinstance(read, list) else []
    return models, problems


def read_method(document: Document, given: Any) -> tuple[Placed | None, list[Problem]]:
    """The method, or what is wrong with it."""
    read = _read(document, given, ("method",), "method", METHODS, LATER_METHODS)
    return (read, []) if isinstance(read, Placed) else (None, read)


def read_engine(document: Document, given: Any) -> tuple[LocalFields, list[Problem]]:
    """The options of the local engine, or what is wrong with what is asked for."""
    named = _named(document, given, ("engine",), "engine")
    if isinstance(named, Problem):
        return LocalFields(), [named]
    if named.name == "local":
        checked = check(LocalFields, named.parameters, Place(document, named.path, "engine local"))
        return checked.part or LocalFields(), checked.problems
    if named.name == "spark":
        text = "The engine 'spark' is not available in this version."
        return LocalFields(), [document.problem(named.path, text, "Available is 'local'.")]
    text = "The 'engine' parameter of the plan must be 'local', got another word instead."
    hint = did_you_mean(named.name, ("local", "spark"))
    return LocalFields(), [document.problem(("engine",), text, hint)]


def _read(
    document: Document,
    given: Any,
    path: Path,
    what: str,
    known: Mapping[str, type[S]],
    later: Iterable[str],
) -> Placed | list[Problem]:
    named = _named(document, given, path, what)
    if isinstance(named, Problem):
        return [named]
    if named.name not in known:
        return [document.problem(named.path, *_unknown(named.name, what, known, later))]
    place = Place(document, named.path, named.name)
    checked: Checked[S] = check(known[named.name], named.parameters, place)
    if checked.problems or checked.part is None:
        return checked.problems
    return Placed(checked.part, named.path)


def _named(document: Document, given: Any, path: Path, what: str) -> _Named | Problem:
    """A word, or a mapping from one word to its parameters."""
    if isinstance(given, str):
        return _Named(given, {}, path)
    if not isinstance(given, dict):
        text = f"This must be a {what}, or a mapping from it to its parameters, got {shown(given)}"
        return document.problem(path, f"{text} instead.")
    if len(given) != 1:
        hint = "Begin each model with '- ', and indent its parameters." if what == "model" else ""
        return document.problem(path, f"One {what} must stand here, got {len(given)} keys.", hint)
    [(name, parameters)] = given.items()
    if parameters is not None and not isinstance(parameters, dict):
        text = f"The parameters of {name} must be a mapping, got {shown(parameters)} instead."
        return document.problem((*path, name), text, f"Write '{name}: {{parameter: value}}'.")
    return _Named(name, parameters or {}, (*path, name))


def _unknown(
    name: str, what: str, known: Mapping[str, Any], later: Iterable[str]
) -> tuple[str, str]:
    """The text and the hint for a name that is not in the registry."""
    available = f"Available are {one_of(known, last='and')}."
    if name in later:
        return f"The {what} {name!r} is not available in this version.", available
    return f"{name!r} is not a {what}.", did_you_mean(name, known) or available


def find_misfits(placed: Placed, document: Document, schemas: Sequence[Schema]) -> list[Problem]:
    """What does not fit between a specification and the attributes, whichever schema is meant."""
    found = [placed.specification.problems(schema) for schema in schemas]
    columns = [attribute.name for attribute in schemas[0].attributes]
    return [
        _at_parameter(problem, placed, document, columns)
        for problem in found[0]
        if all(problem in others for others in found[1:])
    ]


def _at_parameter(
    problem: Problem, placed: Placed, document: Document, columns: Sequence[str]
) -> Problem:
    """The problem, at the parameter that it names; where that is to be a column, the nearest."""
    named = _NAMED.match(problem.text)
    parameters = placed.specification.parameters()
    if named is None or named[1] not in parameters:
        return document.problem(placed.path, problem.text, problem.hint)
    hint = problem.hint or did_you_mean(parameters[named[1]], columns)
    return document.problem((*placed.path, named[1]), problem.text, hint)
