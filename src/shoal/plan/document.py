"""A plan as it was written: plain data, the line of every entry, and numbers as they were typed.

YAML 1.2 is composed to nodes, and the nodes are read here; no object is ever built from a tag.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from os import PathLike, fspath
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.composer import Composer
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from shoal.errors import PlanError, Problem
from shoal.hierarchy import Hierarchy
from shoal.schema import HierarchySpec

Path = tuple[str | int, ...]

_CORE = "tag:yaml.org,2002:"
_MOST_NODES = 200_000  # an alias of an alias of an alias … grows without end
# Brackets nest without end, too, and each takes Python several calls deeper.
_DEEPEST = 60
_WORDING = (
    ("found character '\\t'", "YAML needs spaces here, but there is a tab.", "Indent with spaces."),
    ("found character", "A text begins with a character that YAML reserves.", "Quote the text."),
    ("mapping values are not allowed", "There is a ':' where no key can be.",
     "Check the indentation, or quote a text that contains ': '."),
    ("expected <block end>", "The indentation does not fit the lines above.",
     "Entries that belong together begin in the same column."),
    ("expected ',' or", "A '[' or '{' is not closed, or a ',' is missing.", ""),
    ("found unexpected end of stream", "A quote is not closed.", ""),
    ("could not find expected ':'", "A key has no ':' after it.", ""),
    ("found undefined alias", "An alias names no anchor.", "Quote a text that begins with '*'."),
    ("but found another document", "The plan contains a second document.", "Remove the '---'."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Document:
    """`data` is made of dict, list, str, int, float, bool and None; the keys are texts.

    `lines` maps the path of an entry to its line (1-based), `typed` the path of a number to its
    text. Both are empty for a plan that was given as a mapping.

    >>> document = read_text("attributes:\\n  2005: {values: [1.50, NO]}")
    >>> document.data, document.lines["attributes", "2005"]
    ({'attributes': {'2005': {'values': [1.5, 'NO']}}}, 2)
    >>> document.typed["attributes", "2005", "values", 0]
    '1.50'
    """

    data: Any
    text: str | None = None
    lines: dict[Path, int] = field(default_factory=dict)
    typed: dict[Path, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line(self, path: Path) -> int | None:
        """The line of the entry, or of the nearest one around it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None

    def problem(self, path: Path, text: str, hint: str = "") -> Problem:
        """A problem of the entry at this path."""
        return Problem(text, where(path), hint, self.line(path))


def where(path: Path) -> str:
    """A path as text.

    >>> where(("privacy", 1, "l-diversity", "l"))
    'privacy[1].l-diversity.l'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += ("." if text else "") + (step if step.isprintable() else repr(step))
    return text


def read_text(text: str) -> Document:
    """Read YAML 1.2, which includes JSON; raises PlanError with the line if that fails."""
    document = Document(None, text)
    try:
        root = _compose(text)
        data = None if root is None else _Reader(document).read(root, ())
    except MarkedYAMLError as error:
        raise PlanError(_explain(error)) from None
    except YAMLError:
        raise PlanError(
            "The plan contains a control character.", "Remove it, or write it as an escape."
        ) from None
    return replace(document, data=data)


def read_mapping(mapping: Mapping[Any, Any]) -> Document:
    """Copy a mapping to plain data: tuples become lists, dates and paths text."""
    problems: list[Problem] = []
    return Document(_copy(mapping, (), problems), problems=problems)


def _compose(text: str) -> Node | None:
    if text.lstrip().startswith("{") and _is_json(text):
        text = text.replace("\t", " ")  # JSON has no bare tab inside a text
    yaml = YAML(typ="rt", pure=True)
    yaml.Composer = _Composer
    node: Node | None = yaml.compose(text)
    return node


class _Composer(Composer):
    """Stops at a depth that no plan has, and does not warn of anchors that are used again."""

    _depth = 0

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise PlanError("The plan is nested too deeply.")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _explain(error: MarkedYAMLError) -> Problem:
    line = error.problem_mark.line + 1 if error.problem_mark is not None else None
    for beginning, text, hint in _WORDING:
        if str(error.problem).startswith(beginning):
            # Found at the end of the text, but to be mended where it opens.
            if "not closed" in text and error.context_mark is not None:
                hint = f"It opens in line {error.context_mark.line + 1}."
            return Problem(text, hint=hint, line=line)
    return Problem("This is not valid YAML.", line=line)


class _Reader:
    """Turns nodes into plain data, and notes lines, typed numbers and problems."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._n_nodes = 0

    def read(self, node: Node, path: Path) -> Any:
        self._n_nodes += 1
        if self._n_nodes > _MOST_NODES or len(path) > _DEEPEST:
            raise PlanError(
                "The plan is too large, or its aliases refer to one another in a circle."
            )
        # The value of a key may begin lines below it; the line of the key is noted already.
        self._document.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, MappingNode) and str(node.tag) == f"{_CORE}map":
            return self._mapping(node, path)
        if isinstance(node, SequenceNode) and str(node.tag) == f"{_CORE}seq":
            return [self.read(item, (*path, place)) for place, item in enumerate(node.value)]
        if isinstance(node, ScalarNode):
            return self._scalar(node, path)
        return self._refuse(path)

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, ScalarNode) or str(key_node.tag) == f"{_CORE}merge":
                text = "A key must be plain text; a plan does not support '<<'."
                self._document.problems.append(Problem(text, where(path), line=line))
                continue
            key = _whole(key_node.value)
            if key in read:
                first = self._document.lines[(*path, key)]
                text = f"The key {key!r} is given twice, in lines {first} and {line}."
                self._document.problems.append(Problem(text, where((*path, key)), line=line))
                continue
            self._document.lines[(*path, key)] = line
            read[key] = self.read(value_node, (*path, key))
        return read

    def _scalar(self, node: ScalarNode, path: Path) -> Any:
        tag, text = str(node.tag).removeprefix(_CORE), _whole(node.value)
        if tag in ("str", "timestamp"):
            return text
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() in ("true", "yes", "on", "y")
        if tag in ("int", "float"):
            number = _number(tag, text.replace("_", ""))
            if number is None:
                return text
            # A value of a cell is compared as text: 1.50 and 007 must stay as they are.
            self._document.typed[path] = text
            return number
        return self._refuse(path)

    def _refuse(self, path: Path) -> None:
        problem = self._document.problem(
            path, "A plan must not contain YAML tags.", "Remove the '!' tag."
        )
        self._document.problems.append(problem)


def _number(tag: str, text: str) -> int | float | None:
    try:
        if tag == "int":
            prefixed = text.lstrip("+-")[:2] in ("0x", "0o", "0b")
            return int(text, 0 if prefixed else 10)
        if text.lower().endswith((".inf", ".nan")):
            return float(text.replace(".", ""))
        return float(text)
    except ValueError:
        return None


def _whole(text: str) -> str:
    """The text with surrogate pairs (of JSON) joined; a single surrogate is replaced."""
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _copy(value: Any, path: Path, problems: list[Problem]) -> Any:
    """The same plain data from the objects of a Python caller."""
    if len(path) > _DEEPEST:
        raise PlanError("The plan is nested too deeply.")
    # Before numbers: to Python, True is one.
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Mapping):
        return _copy_mapping(value, path, problems)
    if isinstance(value, Hierarchy):
        return declared(value.spec)
    if isinstance(value, (str, PathLike)):
        return _whole(str(fspath(value)))
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (int, float)):
        return float(value) if isinstance(value, float) else int(value)
    if hasattr(value, "tolist"):  # an array or a scalar of numpy
        value = value.tolist()
        if not isinstance(value, list):
            return _copy(value, path, problems)
    # A set has no order, but the order of a list may matter.
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, set)):
        return [_copy(item, (*path, place), problems) for place, item in enumerate(value)]
    text = f"A plan must not contain an object of type {type(value).__name__}."
    problems.append(Problem(text, where(path)))
    return None


def _copy_mapping(
    mapping: Mapping[Any, Any], path: Path, problems: list[Problem]
) -> dict[str, Any]:
    copied: dict[str, Any] = {}
    for key, value in mapping.items():
        if isinstance(key, bool) or not isinstance(key, (str, int, float)):
            problems.append(Problem("A key must be a text.", where(path)))
            continue
        name = _whole(str(key))
        if name in copied:
            problems.append(Problem(f"The key {name!r} is given twice.", where((*path, name))))
            continue
        copied[name] = _copy(value, (*path, name), problems)
    return copied


def declared(spec: HierarchySpec) -> Any:
    """A hierarchy that was built in Python, in the form of a plan.

    >>> declared(Hierarchy.width(5, levels=3).spec)
    {'width': 5.0, 'levels': 3, 'origin': 0.0}
    """
    match spec.form:
        case "intervals":
            return {"intervals": list(spec.cuts)}
        case "width":
            return {"width": spec.width, "levels": spec.levels, "origin": spec.origin}
        case "mask":
            return {"mask": spec.mask}
        case "dates":
            return {"dates": list(spec.units)}
        case "flat":
            return "flat"
        case _:
            return {"rows": [list(row) for row in spec.rows]}
