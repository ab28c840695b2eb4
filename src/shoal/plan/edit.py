"""An edit of a plan file that leaves every other byte as it was.

The file is composed to nodes, whose marks give their place in the text; only the text of what
changes is replaced. The result is read back and must mean what was intended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, SequenceNode

from shoal.errors import PlanError, ShoalError
from shoal.method import Method
from shoal.model import MultiLevelK
from shoal.plan.plan import Plan

_NAME = MultiLevelK.name
# A comment next to thresholds or levels that repeats their numbers, which are no longer true.
_STALE = re.compile(r"[ \t]+#[^\r\n]*(\blevel \d|[<>]=?[ \t]*[\d.])[^\r\n]*")
_AFTER = re.compile(r"[\]}, \t]*?(?=[ \t]+#)")


@dataclass(frozen=True)
class Edited:
    """The new text of a plan, and its changes in words."""

    text: str
    changes: tuple[str, ...]


class _Change(NamedTuple):
    start: int
    end: int
    text: str


def with_levels(plan: Plan, model: MultiLevelK, method: Method) -> Edited:
    """The text of a plan with this method, and this multi-level-k in place of its own, if any.

    >>> text = "attributes:  # two\\n  age: {role: quasi, hierarchy: flat}\\n  f: sensitivity\\n"
    >>> plan = Plan.parse(text + "privacy: [{k-anonymity: {k: 2}}]\\nmethod: ka  # for now\\n")
    >>> from shoal.method import ECEMKS3WD
    >>> model = MultiLevelK(thresholds=[(0.5, 0.5)], levels=[(4, 1)])
    >>> print(with_levels(plan, model, ECEMKS3WD()).text.splitlines()[-1])
    method: ece-mks3wd  # for now
    """
    if plan.text is None:
        raise PlanError("Only a plan that was read from text can be edited.")
    # JSON may be indented with tabs, which YAML refuses. One blank for each keeps all places.
    root = YAML(typ="rt", pure=True).compose(plan.text.replace("\t", " "))
    assert isinstance(root, MappingNode)
    edit = _Edit(plan.text, root)
    words = [edit.require(model), *edit.choose(plan.method, method)]
    text = edit.done()
    models = [model if isinstance(m, MultiLevelK) else m for m in plan.models]
    models += [] if model in models else [model]
    try:
        read = Plan.parse(text, plan.base)
    except ShoalError:
        read = None
    # An edit is by place, but YAML can be written in ways that no place tells: only reading
    # the text again shows that it says what was meant.
    if read != replace(plan, models=tuple(models), method=method):
        raise PlanError(
            "The plan cannot be edited safely because of the way it is written; it is unchanged.",
            f"Put this under 'privacy' by hand: {_NAME}: {_flow(_parameters(model))}, and this as "
            f"the method: {_flow(_named(method))}.",
        )
    return Edited(text, tuple(words))


class _Edit:
    """Collects changes to a text by the places of its nodes."""

    def __init__(self, text: str, root: MappingNode) -> None:
        self._text, self._root = text, root
        # A line that is added must end as the others do.
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._changes: list[_Change] = []

    def require(self, model: MultiLevelK) -> str:
        """Change the parameters of multi-level-k, or add it as the last requirement."""
        parameters = _parameters(model)
        privacy = self._privacy
        for item in privacy.value:
            found = _entry(item, _NAME) if isinstance(item, MappingNode) else None
            if found is not None and isinstance(found[1], MappingNode):
                self._set(found[1], parameters)
                return f"{_NAME}: new {' and '.join(parameters)}"
        self._append(privacy, parameters)
        return f"{_NAME} added to 'privacy'"

    def choose(self, old: Method, new: Method) -> list[str]:
        """Change the method, or add it after the requirements."""
        found = _entry(self._root, "method")
        if found is None:
            end = _end(self._privacy)
            if self._root.flow_style:
                self._changes.append(_Change(end, end, f', "method": {json.dumps(_named(new))}'))
            else:
                indent = " " * self._root.start_mark.column
                self._new_line(end, f"{indent}method: {_flow(_named(new))}")
            return [f"method: {new.name} added"]
        if old == new:
            return []
        quoted = json.dumps(_named(new)) if self._root.flow_style else _flow(_named(new))
        self._replace(*found, quoted)
        return [f"method: {old.name} is now {new.name}"]

    def done(self) -> str:
        """The text with all changes made."""
        text = self._text
        # From the end, so that the places of the changes before are still right.
        for place in sorted({change.start for change in self._changes}, reverse=True):
            here = [change for change in self._changes if change.start == place]
            text = text[:place] + "".join(c.text for c in here) + text[max(c.end for c in here) :]
        return text

    @property
    def _privacy(self) -> SequenceNode:
        found = _entry(self._root, "privacy")
        assert found is not None
        assert isinstance(found[1], SequenceNode)
        return found[1]

    def _set(self, node: MappingNode, parameters: Mapping[str, Any]) -> None:
        for name, value in parameters.items():
            found = _entry(node, name)
            assert found is not None
            # JSON is YAML as well, wherever it stands.
            self._replace(*found, json.dumps(value))
            self._drop_stale(_end(found[1]))

    def _drop_stale(self, end: int) -> None:
        """Take away the comment behind a value if it repeats the old numbers."""
        after = _AFTER.match(self._text, end)
        stale = _STALE.match(self._text, after.end()) if after else None
        if stale:
            self._changes.append(_Change(stale.start(), stale.end(), ""))

    def _append(self, privacy: SequenceNode, parameters: Mapping[str, Any]) -> None:
        end = _end(privacy.value[-1])
        if privacy.flow_style:
            self._changes.append(_Change(end, end, f", {json.dumps({_NAME: parameters})}"))
            return
        indent = " " * privacy.start_mark.column
        lines = [f"{indent}- {_NAME}:"]
        lines += [f"{indent}    {name}: {json.dumps(value)}" for name, value in parameters.items()]
        self._new_line(end, self._newline.join(lines))

    def _new_line(self, after: int, text: str) -> None:
        """Put a line below the one with this place and its comment."""
        place = self._text.find("\n", after)
        place = len(self._text) if place < 0 else place
        if self._text[:place].endswith("\r"):
            place -= 1
        self._changes.append(_Change(place, place, self._newline + text))

    def _replace(self, key: Node, value: Node, text: str) -> None:
        start, end = value.start_mark.index, _end(value)
        if _is_inline(value):
            self._changes.append(_Change(start, end, text if end > start else f" {text}"))
            return
        # A block below its key: the new value goes next to the key, before the comment of the key.
        colon = self._text.index(":", key.end_mark.index) + 1
        between = _STALE.sub("", self._text[colon:start]).rstrip()
        self._changes.append(_Change(colon, end, f" {text}{between}"))


def _entry(mapping: MappingNode, name: str) -> tuple[Node, Node] | None:
    return next(((key, value) for key, value in mapping.value if key.value == name), None)


def _is_inline(node: Node) -> bool:
    return not isinstance(node, (MappingNode, SequenceNode)) or bool(node.flow_style)


def _end(node: Node) -> int:
    """Where the text of a node ends; the mark of a block is after the comments that follow."""
    if _is_inline(node) or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(node, MappingNode) else last)


def _parameters(model: MultiLevelK) -> dict[str, Any]:
    given = model.parameters()
    return {"thresholds": given["thresholds"], "levels": given["levels"]}


def _named(method: Method) -> Any:
    given = method.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {method.name: given} if given else method.name


def _flow(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
