"""What commands show: words and numbers for people, JSON for programs.

Light enough to be imported for a help text: what draws on a terminal is in `terminal`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.cli import standard
from shoal.cli.text import number, plain
from shoal.schema.wording import counted as count
from shoal.schema.wording import percent

if TYPE_CHECKING:
    from shoal.cli.terminal import Terminal
    from shoal.errors import Problem
    from shoal.schema import Verdict

__all__ = [
    "count",
    "err",
    "number",
    "out",
    "percent",
    "plain",
    "print_json",
    "print_line",
    "problem_data",
    "verdict_data",
]


def out() -> Terminal:
    """The terminal of results."""
    from shoal.cli.terminal import Terminal

    return Terminal(sys.stdout)


def err() -> Terminal:
    """The terminal of messages."""
    from shoal.cli.terminal import Terminal

    return Terminal(sys.stderr)


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict for a JSON document, without the classes that fail."""
    return {
        "requirement": verdict.requirement,
        "attribute": verdict.attribute,
        "holds": verdict.holds,
        "asked": verdict.asked,
        "reached": verdict.reached,
        "failing": len(verdict.offending),
        **({"levels": [level._asdict() for level in verdict.levels]} if verdict.levels else {}),
        **({} if verdict.posterior is None else {"posterior": verdict.posterior}),
        **({"note": verdict.note} if verdict.note else {}),
    }


def problem_data(problem: Problem) -> dict[str, Any]:
    """A problem for a JSON document."""
    return {"text": problem.text, "where": problem.where or None, "hint": problem.hint or None}


def print_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print the one document that a command with `--json` prints."""
    every = standard.is_unicode(sys.stdout)
    text = json.dumps(_jsonable(document), indent=indent, ensure_ascii=not every, allow_nan=False)
    standard.write(sys.stdout, text + "\n")


def print_line(document: Mapping[str, Any]) -> None:
    """Print a document in one line: what a command that goes on prints, one after the other."""
    print_json(document, indent=None)


def _jsonable(value: Any) -> Any:
    """Plain Python for JSON; what JSON has no number for is null."""
    if isinstance(value, Mapping):
        return {str(name): _jsonable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(part) for part in value]
    # Numbers of numpy, which json does not write.
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)
