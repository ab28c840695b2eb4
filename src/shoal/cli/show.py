"""What commands show: words and numbers for people, JSON for programs.

Light enough to be imported for a help text: what draws on a terminal is in `terminal`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shoal.cli import stream

if TYPE_CHECKING:
    from shoal.cli.terminal import Terminal
    from shoal.errors import Problem
    from shoal.schema import Verdict

_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], "\N{REPLACEMENT CHARACTER}") | {10: " "}


def out() -> Terminal:
    """The terminal of results."""
    from shoal.cli.terminal import Terminal

    return Terminal(sys.stdout)


def err() -> Terminal:
    """The terminal of messages."""
    from shoal.cli.terminal import Terminal

    return Terminal(sys.stderr)


def plain(text: object) -> str:
    r"""Text on one line, without characters that steer a terminal.

    >>> plain("age\x1b[31m")
    'age\ufffd[31m'
    """
    return str(text).translate(_CONTROLS)


def number(value: Any) -> str:
    """A number as people read it; several of them by name.

    >>> number(30162), number(0.25), number({"k": 5, "alpha": 0.5}), number(None)
    ('30,162', '0.25', 'k 5, alpha 0.5', '–')
    """
    value = value.item() if hasattr(value, "item") else value
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        return ", ".join(f"{plain(name)} {number(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(number, value))
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{int(value):,}"
    return plain(value)


def share(value: float | None) -> str:
    """A share in percent.

    >>> share(0.0567), share(None)
    ('5.7%', '–')
    """
    return "–" if value is None else f"{value:.1%}"


def count(n: int, one: str, several: str = "") -> str:
    """A number of things.

    >>> count(1, "row"), count(1500, "row"), count(0, "class", "classes")
    ('1 row', '1,500 rows', '0 classes')
    """
    return f"{n:,} {one if n == 1 else several or f'{one}s'}"


def verdict_data(verdict: Verdict) -> dict[str, Any]:
    """A verdict for a JSON document, without the classes that fail."""
    return {
        "requirement": verdict.requirement,
        "attribute": verdict.attribute,
        "holds": verdict.holds,
        "asked": verdict.asked,
        "reached": verdict.reached,
        "failing": len(verdict.offending),
        **({"note": verdict.note} if verdict.note else {}),
    }


def problem_data(problem: Problem) -> dict[str, Any]:
    """A problem for a JSON document."""
    return {"text": problem.text, "where": problem.where or None, "hint": problem.hint or None}


def print_json(document: Mapping[str, Any]) -> None:
    """Print the one document that a command with `--json` prints."""
    every = stream.is_unicode(sys.stdout)
    text = json.dumps(_jsonable(document), indent=2, ensure_ascii=not every, allow_nan=False)
    stream.write(sys.stdout, text + "\n")


def _jsonable(value: Any) -> Any:
    """Plain Python for JSON; what JSON has no number for is null."""
    if isinstance(value, Mapping):
        return {str(name): _jsonable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_jsonable(part) for part in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, (bool, int, float)):
        return value
    return str(value)
