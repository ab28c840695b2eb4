"""The check of a part of a plan against its fields, with every problem in plain words."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from shoal.errors import Problem
from shoal.plan.document import Document, Path, where
from shoal.plan.wording import Shape, describe, did_you_mean, one_of

M = TypeVar("M", bound=BaseModel)

_NAMED = re.compile(r"The '([^']+)' parameter")
_NUMBER = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?")


@dataclass(frozen=True)
class Checked(Generic[M]):
    """What could be read of a part, and what is wrong with the rest."""

    part: M | None
    problems: list[Problem]


@dataclass(frozen=True)
class DocumentPart:
    """A part of a document: where it is, and whose parameters it contains."""

    document: Document
    path: Path = ()
    owner: str = ""

    def subject(self, inside: Path) -> str:
        """The name of the entry at this path inside the part, for a message.

        >>> DocumentPart(Document(None)).subject(("attributes", "age", "kind"))
        "The 'kind' parameter of attribute 'age'"
        """
        if self.owner:
            return f"The {where(inside)!r} parameter of {self.owner}" if inside else self.owner
        match inside:
            case ("attributes", column):
                return f"Attribute {column!r}"
            case ("attributes", column, *rest):
                return f"The {where(tuple(rest))!r} parameter of attribute {column!r}"
            case (str(key), str(), *_):
                return f"The {where(inside[1:])!r} parameter of {key}"
            case _:
                return f"The {where(inside)!r} parameter of the plan"

    def holder(self, inside: Path) -> str:
        """The name of what contains the entry."""
        if self.owner:
            return self.owner
        match inside:
            case ("attributes", column, _, *_):
                return f"attribute {column!r}"
            case (str(key), str(), *_):
                return key
            case _:
                return "the plan"

    def problem(self, inside: Path, text: str, hint: str = "") -> Problem:
        return self.document.problem((*self.path, *inside), text, hint)


def check(model: type[M], data: Mapping[str, Any], place: DocumentPart) -> Checked[M]:
    """Build the model; if that fails, note why and try again without what is wrong."""
    problems: dict[Problem, None] = {}
    lost: set[Path] = set()
    # A copy, since what is wrong is taken out of it.
    left: Any = copy.deepcopy(data)
    shape = Shape.of(model)
    while True:
        part, faults = _try(model, left, shape)
        if not faults:
            return Checked(part, list(problems))
        for fault in faults:
            # What was taken out as wrong is missing only for that reason.
            if not (fault.kind == "missing" and fault.path in lost):
                problems[_problem(fault, shape, data, place)] = None
        lost |= {fault.path for fault in faults}
        culprits = {_culprit(left, fault.path) for fault in faults}
        if () in culprits:
            return Checked(None, list(problems))
        for culprit in culprits:
            _remove(left, culprit)


class ValidationFault(NamedTuple):
    """One thing that is wrong: pydantic's name for it, where, and what the model itself says."""

    kind: str
    path: Path
    text: str = ""


def _try(model: type[M], data: Any, shape: Shape) -> tuple[M | None, list[ValidationFault]]:
    faults = [ValidationFault("type", path) for path in _mistyped(data, shape, ())]
    try:
        return model.model_validate(data), faults
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            text = str(detail.get("ctx", {}).get("error", ""))
            faults.append(ValidationFault(detail["type"], _known_path(shape, detail), text))
        return None, faults


def _mistyped(value: Any, shape: Shape, path: Path) -> Iterator[Path]:
    """Texts and truth values in the place of a number; pydantic would convert them."""
    kind = shape.schema.get("type")
    if (kind in ("integer", "number") and isinstance(value, (str, bool))) or (
        kind == "boolean" and not isinstance(value, bool)
    ):
        yield path
    steps: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        steps = value.items()
    elif isinstance(value, list):
        steps = enumerate(value)
    for step, entry in steps:
        inner = shape.inside(step)
        if inner is not None:
            yield from _mistyped(entry, inner, (*path, step))


def _known_path(shape: Shape, detail: ErrorDetails) -> Path:
    """The part of the location that is in the plan; the rest is internal to pydantic."""
    location = detail["loc"]
    inner: Shape | None = shape
    for length, step in enumerate(location):
        inner = inner.inside(step) if inner is not None else None
        if inner is None:
            known = length + 1 if detail["type"] == "extra_forbidden" else length
            return location[:known]
    return location


def _culprit(data: Any, path: Path) -> Path:
    """The entry to leave out: the one at this path, or else the nearest one around it."""
    # A list goes as a whole: without one item, the places of those behind it would be wrong.
    whole = next((i for i, step in enumerate(path) if isinstance(step, int)), len(path))
    for length, step in enumerate(path[:whole]):
        if not isinstance(data, dict) or step not in data:
            return path[:length]
        data = data[step]
    return path[:whole]


def _remove(data: Any, path: Path) -> None:
    for step in path[:-1]:
        data = data.get(step, {})
    data.pop(path[-1], None)


def _problem(
    fault: ValidationFault, shape: Shape, data: Mapping[str, Any], place: DocumentPart
) -> Problem:
    path = fault.path
    if fault.kind in ("value_error", "assertion_error"):
        return _own_words(fault, data, place)
    if fault.kind == "extra_forbidden":
        return _unknown_key(path, shape, place)
    inner = _descend(shape, path)
    if fault.kind == "missing":
        hint = f"It must be {inner.words()}." if inner.choices else f"It is {inner.meaning}."
        return place.problem(path, f"{place.subject(path)} is required.", hint)
    value = _value_at(data, path)
    got = describe(value, choice=bool(inner.choices))
    text = f"{place.subject(path)} must be {inner.words()}, got {got} instead."
    return place.problem(path, text, _hint(value, inner))


def _own_words(fault: ValidationFault, data: Mapping[str, Any], place: DocumentPart) -> Problem:
    """A problem in the words of the specification, at the parameter that it names."""
    named = _NAMED.match(fault.text)
    # What a whole specification refuses has no place of its own.
    path = (named[1],) if not fault.path and named and named[1] in data else fault.path
    return place.problem(path, fault.text)


def _unknown_key(path: Path, shape: Shape, place: DocumentPart) -> Problem:
    keys = _descend(shape, path[:-1]).keys
    key = str(path[-1])
    hint = did_you_mean(key, keys) or f"Known are {one_of(keys, last='and')}."
    word = "parameter" if place.owner else "key"
    return place.problem(path, f"{key!r} is not a {word} of {place.holder(path)}.", hint)


def _hint(value: Any, shape: Shape) -> str:
    kind = shape.schema.get("type")
    if example := shape.schema.get("example"):
        return f"For example {example}."
    if shape.choices:
        return did_you_mean(value, shape.choices)
    if kind == "string" and isinstance(value, bool):
        return "Quote it if it is meant as a text."
    if kind == "string" and value is None:
        return "Write '' for the empty text."
    if kind in ("integer", "number") and isinstance(value, str) and _NUMBER.fullmatch(value):
        return "Write it without quotes."
    return ""


def _descend(shape: Shape, path: Path) -> Shape:
    for step in path:
        shape = shape.inside(step) or shape
    return shape


def _value_at(data: Any, path: Path) -> Any:
    """The value at this path, or the short form in the place of what is around it."""
    for step in path:
        if isinstance(data, str):
            return data
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return data
    return data
