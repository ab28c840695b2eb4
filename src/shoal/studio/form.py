"""Forms made from the registries: a field for each parameter, with its meaning and its limits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.errors import PlanError, Problem
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.schema.specification import Specification
from shoal.studio.draft import read_value


@dataclass(frozen=True)
class Field:
    """One parameter as an input of a form; `shown` is its value as text."""

    name: str
    meaning: str
    control: str
    shown: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    least: float | None = None
    most: float | None = None
    step: str = "any"
    required: bool = False
    placeholder: str = ""


@dataclass(frozen=True)
class ParameterForm:
    """A requirement or a method with its fields."""

    name: str
    summary: str
    limits: str
    source: str
    fields: tuple[Field, ...]


def form_of(
    kind: type[Specification], given: Mapping[str, Any], columns: Mapping[str, Sequence[str]]
) -> ParameterForm:
    """The form of a model or method with these parameters; `columns` are those to choose from.

    >>> form = form_of(MODELS["k-anonymity"], {"k": 5}, {})
    >>> [(field.name, field.control, field.shown, field.least) for field in form.fields]
    [('k', 'number', '5', 1)]
    """
    schema = kind.model_json_schema(by_alias=True)
    required = set(schema.get("required", ()))
    fields = [
        _field(name, body, given.get(name), name in required, columns)
        for name, body in schema["properties"].items()
    ]
    fields.sort(key=lambda field: (not field.required, field.name == "attribute"))
    about = kind.describe()
    return ParameterForm(
        kind.name, about["summary"], about["limits"], about["source"], tuple(fields)
    )


def _field(
    name: str,
    body: Mapping[str, Any],
    value: Any,
    required: bool,
    columns: Mapping[str, Sequence[str]],
) -> Field:
    options = [one for one in body.get("anyOf", [body]) if one.get("type") != "null"]
    first = {**body, **options[0]}
    meaning, default = body.get("description", ""), body.get("default")
    if name in columns:
        choices = [("", "each of them" if name == "attribute" else "none")]
        choices += [(column, column) for column in columns[name]]
        return Field(name, meaning, "choice", _text(value), tuple(choices))
    if "enum" in first:
        words = [(word, f"{word} (default)" if word == default else word) for word in first["enum"]]
        blank = [] if default in first["enum"] else [("", "chosen by the kind of the column")]
        return Field(name, meaning, "choice", _text(value or default), (*blank, *words))
    if first.get("type") == "boolean":
        chosen = default if value is None else value
        words = [("false", "no"), ("true", "yes")]
        return Field(name, meaning, "choice", "true" if chosen else "false", tuple(words))
    kinds = {one.get("type") for one in options}
    if kinds <= {"integer", "number"}:
        least = first.get("minimum", first.get("exclusiveMinimum", body.get("ge")))
        return Field(
            name, meaning, "number", _text(value), (), least, first.get("maximum"),
            "1" if kinds == {"integer"} else "any", required,
            "" if default is None else f"{default} if left empty",
        )  # fmt: skip
    return Field(name, meaning, "text", _text(value), required=required)


def _text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def parameters_of(kind: type[Specification], given: Mapping[str, str]) -> dict[str, Any]:
    """The parameters that a form was filled with; those left empty or at their default are absent.

    A number that cannot be read is kept as text, so that the plan says what is wrong with it.
    """
    schema = kind.model_json_schema(by_alias=True)["properties"]
    found: dict[str, Any] = {}
    for name, body in schema.items():
        text = given.get(name, "").strip()
        if not text:
            continue
        value = _value(text, body)
        if value != body.get("default"):
            found[name] = value
    return found


def _value(text: str, body: Mapping[str, Any]) -> Any:
    options = [one for one in body.get("anyOf", [body]) if one.get("type") != "null"]
    # As typed: YAML would take the name of a column such as 2005 for a number.
    return text if any(one.get("type") == "string" for one in options) else read_value(text)


def model_of(name: str) -> type[Specification]:
    """The model with this name."""
    return _known(name, MODELS, "requirement")


def method_of(name: str) -> type[Specification]:
    """The method with this name."""
    return _known(name, METHODS, "method")


def _known(name: str, known: Mapping[str, type[Any]], what: str) -> type[Specification]:
    if name not in known:
        raise PlanError(Problem(f"There is no such {what}.", hint=f"Known: {', '.join(known)}."))
    found: type[Specification] = known[name]
    return found


# What a new requirement begins with, so that it can be tried at once.
FIRST: dict[str, Any] = {
    "k": 5, "l": 3, "t": 0.3, "alpha": 0.5, "beta": 0.5, "e": 1,
    "thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[8, 2], [6, 3]],
    "m": 2, "p": 2, "c": 0.5, "delta": 1, "high": 0.5, "population": "population.csv",
}  # fmt: skip


def first_parameters(kind: type[Specification]) -> dict[str, Any]:
    """A start for a requirement that is added."""
    fields = kind.model_fields.items()
    names = [field.alias or name for name, field in fields if field.is_required()]
    return {name: FIRST.get(name, 1) for name in names}
