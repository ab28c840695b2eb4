"""The models, the method and the engine that a plan names, each with its parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from shoal.errors import Problem
from shoal.method import METHODS, Method
from shoal.model import MODELS, Model
from shoal.plan.document import Document, Path
from shoal.plan.field import LocalFields, SparkFields
from shoal.plan.validation import Checked, DocumentPart, check
from shoal.plan.wording import describe, did_you_mean, one_of
from shoal.schema import Schema
from shoal.schema.specification import Specification

S = TypeVar("S", bound=Specification)

Engines = LocalFields | SparkFields
_ENGINES: dict[str, type[Engines]] = {"local": LocalFields, "spark": SparkFields}

_NAMED = re.compile(r"The '([^']+)'")


class Placed(NamedTuple, Generic[S]):
    """A model or method, and where the plan names it."""

    specification: S
    path: Path


class _Named(NamedTuple):
    name: str
    parameters: dict[str, Any]
    path: Path


def read_models(document: Document, given: Any) -> tuple[list[Placed[Model]], list[Problem]]:
    """Every model under `privacy` that can be read, and what is wrong with the others."""
    path: Path = ("privacy",)
    if given is None or given == [] or given == {}:
        text = "The plan must list at least one model under 'privacy'."
        return [], [document.problem(path, text, "For example '- k-anonymity: {k: 5}'.")]
    if not isinstance(given, list):
        text = f"The 'privacy' parameter of the plan must be a list, got {describe(given)} instead."
        hint = "Begin each model in a line of its own with '- '."
        return [], [document.problem(path, text, hint)]
    models: list[Placed[Model]] = []
    problems: list[Problem] = []
    for place, item in enumerate(given):
        model, wrong = _read(document, item, (*path, place), "model", MODELS)
        models += [] if model is None else [model]
        problems += wrong
    return models, problems


def read_method(document: Document, given: Any) -> tuple[Placed[Method] | None, list[Problem]]:
    """The method, or what is wrong with it."""
    return _read(document, given, ("method",), "method", METHODS)


def read_engine(document: Document, given: Any) -> tuple[Engines, list[Problem]]:
    """The options of the engine that the plan names, or what is wrong with it."""
    named = _named(document, given, ("engine",), "engine")
    if isinstance(named, Problem):
        # Any engine will do to look for the other problems.
        return LocalFields(), [named]
    if named.name not in _ENGINES:
        text = (
            "The 'engine' parameter of the plan must be 'local' or 'spark', got another word "
            "instead."
        )
        hint = did_you_mean(named.name, _ENGINES)
        return LocalFields(), [document.problem(("engine",), text, hint)]
    place = DocumentPart(document, named.path, f"engine {named.name}")
    checked: Checked[Engines] = check(_ENGINES[named.name], named.parameters, place)
    return checked.part or LocalFields(), checked.problems


def _read(
    document: Document, given: Any, path: Path, what: str, known: Mapping[str, type[S]]
) -> tuple[Placed[S] | None, list[Problem]]:
    named = _named(document, given, path, what)
    if isinstance(named, Problem):
        return None, [named]
    if named.name not in known:
        return None, [document.problem(named.path, *_unknown(named.name, what, known))]
    place = DocumentPart(document, named.path, named.name)
    checked: Checked[S] = check(known[named.name], named.parameters, place)
    if checked.problems or checked.part is None:
        return None, checked.problems
    return Placed(checked.part, named.path), []


def _named(document: Document, given: Any, path: Path, what: str) -> _Named | Problem:
    """A word, or a mapping from one word to its parameters."""
    if isinstance(given, str):
        return _Named(given, {}, path)
    if not isinstance(given, dict):
        text = (
            f"This must be a {what}, or a mapping from it to its parameters, got {describe(given)}"
        )
        return document.problem(path, f"{text} instead.")
    if len(given) != 1:
        hint = "Begin each model with '- ', and indent its parameters." if what == "model" else ""
        return document.problem(
            path, f"There must be one {what} here, got {len(given)} keys instead.", hint
        )
    [(name, parameters)] = given.items()
    if parameters is not None and not isinstance(parameters, dict):
        text = f"The parameters of {name} must be a mapping, got {describe(parameters)} instead."
        return document.problem((*path, name), text, _written(name, parameters))
    return _Named(name, parameters or {}, (*path, name))


def _written(name: str, given: Any) -> str:
    """How the parameters are written: with the first one of the model or method, if it has any."""
    known: type[Specification] | None = MODELS.get(name) or METHODS.get(name)
    parameters = {} if known is None else known.describe()["parameters"]
    required = [key for key, one in parameters.items() if one["required"]]
    first = next(iter([*required, *parameters]), "parameter")
    number = bool(required) and isinstance(given, (int, float)) and not isinstance(given, bool)
    return f"Write '{name}: {{{first}: {describe(given) if number else 'value'}}}'."


def _unknown(name: str, what: str, known: Mapping[str, Any]) -> tuple[str, str]:
    """The text and the hint for a name that is not in the registry."""
    available = f"Available are {one_of(known, last='and')}."
    return f"{name!r} is not a {what}.", did_you_mean(name, known) or available


def find_misfits(
    placed: Placed[Any], document: Document, schemas: Sequence[Schema]
) -> list[Problem]:
    """Where a specification does not fit the attributes, whichever of the schemas is meant."""
    found = [placed.specification.problems(schema) for schema in schemas]
    columns = [attribute.name for attribute in schemas[0].attributes]
    return [
        _at_parameter(problem, placed, document, columns)
        for problem in found[0]
        if all(problem in others for others in found[1:])
    ]


def _at_parameter(
    problem: Problem, placed: Placed[Any], document: Document, columns: Sequence[str]
) -> Problem:
    """The problem at the parameter that it names, with the nearest column as a hint."""
    named = _NAMED.match(problem.text)
    parameters = placed.specification.parameters()
    if named is None or named[1] not in parameters:
        return document.problem(placed.path, problem.text, problem.hint)
    hint = problem.hint or did_you_mean(parameters[named[1]], columns)
    return document.problem((*placed.path, named[1]), problem.text, hint)
