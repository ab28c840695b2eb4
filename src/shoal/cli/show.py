"""What a terminal shows: tables without boxes, marks with words, problems with hints, JSON.

Nothing here knows of a command. Text that comes from a plan or a file goes through `plain`, so
that no column name can steer the terminal.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.cli import stream
from shoal.cli.failure import Failure
from shoal.errors import Problem
from shoal.schema import Verdict

WORDS = {True: "holds", False: "does not hold", None: "cannot be told"}
_BLANK_END = re.compile(r" +((?:\x1b\[[\d;]*m)*)$", re.MULTILINE)
_WHOLE = re.compile(r"(\d)\.0\b")
_STYLES = {True: "green", False: "red", None: "yellow"}
_CONTROLS = dict.fromkeys([*range(32), *range(127, 160)], "\N{REPLACEMENT CHARACTER}") | {10: " "}


class _Terminal(Console):
    """A console whose lines end where their text does; quiet when nobody listens any more."""

    def print(self, *things: Any, **options: Any) -> None:
        """Print as rich does."""
        with self.capture() as captured:
            super().print(*things, **options)
        stream.write(cast(TextIO, self.file), _BLANK_END.sub(r"\1", captured.get()))


def out() -> Console:
    """The console of results."""
    return _Terminal(file=sys.stdout, highlight=False, markup=False, emoji=False)


def err() -> Console:
    """The console of messages and progress."""
    return _Terminal(file=sys.stderr, highlight=False, markup=False, emoji=False)


def marks(console: Console) -> dict[bool | None, str]:
    """The signs for yes, no and unknown that this console can show."""
    if stream.is_unicode(cast(TextIO, console.file)):
        return {True: "✓", False: "✗", None: "?"}
    return {True: "+", False: "x", None: "?"}


def plain(text: object) -> str:
    r"""Text on one line, without signs that a terminal would obey.

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


def asked_words(requirement: str) -> str:
    """A requirement; whole numbers without a fraction."""
    return _WHOLE.sub(r"\1", plain(requirement))


def mark(console: Console, holds: bool | None) -> Text:
    """A mark and its words; the colour only repeats them."""
    return Text(f"{marks(console)[holds]} {WORDS[holds]}", style=_STYLES[holds])


def columns(*names: str, right: Iterable[str] = ()) -> Table:
    """A table without a box; the columns in `right` hold numbers."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    right = set(right)
    for name in names:
        justify = "right" if name in right else "left"
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def facts(pairs: Mapping[str, str]) -> Table:
    """Names and what belongs to them, in two columns."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in pairs.items():
        table.add_row(name, Text(plain(text)))
    return table


def listing(console: Console, title: str, lines: Sequence[str], style: str = "") -> None:
    """Print lines under a title, wrapped and indented; nothing where there are none."""
    if not lines:
        return
    console.print()
    console.print(Text(title, style=f"bold {style}".strip()))
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for line in lines:
        table.add_row(Text("-", style=style), Text(plain(line)))
    console.print(table)


def verdict_table(console: Console, verdicts: Sequence[Verdict], failing: bool = False) -> Table:
    """What was asked and what is reached; with `failing` also in how many classes it fails."""
    about = any(v.attribute for v in verdicts)
    names = ["Requirement", *(["Of"] if about else []), "Asked", "Reached", "Verdict"]
    table = columns(
        *names, *(["Failing"] if failing else []), right=("Asked", "Reached", "Failing")
    )
    for v in verdicts:
        cells = [Text(asked_words(v.requirement))]
        cells += [Text(plain(v.attribute or ""))] if about else []
        cells += [Text(number(v.asked)), Text(number(v.reached)), mark(console, v.holds)]
        cells += [Text(number(len(v.offending)))] if failing else []
        table.add_row(*cells)
    return table


def print_failure(failure: Failure) -> None:
    """Say what went wrong on stderr: a headline, then every problem with its number."""
    console = err()
    n = len(failure.problems)
    count = f": {n} problems." if n > 1 else "."
    console.print(Text(f"{marks(console)[False]} {failure.headline}{count}", style="bold red"))
    if not n:
        return
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(overflow="fold")
    for i, problem in enumerate(failure.problems, 1):
        table.add_row(f"{i}." if n > 1 else "", _problem(problem))
    console.print(Padding(table, (0, 0, 0, 1)))


def _problem(problem: Problem) -> Text:
    place = [f"line {problem.line}"] if problem.line else []
    place += [plain(problem.where)] if problem.where else []
    text = Text()
    if place:
        text.append(", ".join(place) + "\n", style="dim")
    text.append(plain(problem.text))
    if problem.hint:
        text.append("\n" + plain(problem.hint), style="cyan")
    return text


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
