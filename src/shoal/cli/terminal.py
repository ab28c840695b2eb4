"""A terminal: tables without boxes, marks with words, problems with hints.

Nothing here knows of a command. Text that comes from a plan or a file goes through `plain`, so
that no column name can steer the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TextIO, cast

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from shoal.cli import standard
from shoal.cli.failure import Failure
from shoal.cli.text import number, plain
from shoal.errors import Problem
from shoal.schema import Verdict
from shoal.schema.advice import Advice
from shoal.schema.wording import VERDICTS, brief, percent

# rich fills lines up with blanks, and may put the codes of colours behind them.
_BLANK_END = re.compile(r" +((?:\x1b\[[\d;]*m)*)$", re.MULTILINE)
_LISTED = 100
_STYLES = {True: "green", False: "red", None: "yellow"}


class Terminal(Console):
    """A console whose lines end where their text does, and that is quiet if nobody listens."""

    def __init__(self, file: TextIO) -> None:
        # Else rich would colour numbers, and take brackets in the name of a column for its markup.
        super().__init__(file=file, highlight=False, markup=False, emoji=False)
        self.signs = standard.signs(file)

    def print(self, *things: Any, **options: Any) -> None:
        """Print as rich does."""
        with self.capture() as captured:
            super().print(*things, **options)
        standard.write(cast(TextIO, self.file), _BLANK_END.sub(r"\1", captured.get()))

    def say(self, text: str = "", style: str = "", *, whole: bool = False, indent: int = 0) -> None:
        """Print a paragraph; a `whole` one is not broken into lines, so that it can be copied."""
        words = Text(plain(text), style=style)
        self.print(Padding(words, (0, 0, 0, indent)) if indent else words, soft_wrap=whole)

    def done(self, text: str) -> None:
        """Say that something was written, and where."""
        self.print(
            Text(f"{self.signs[True]} ", "green").append(plain(text), "bold"), soft_wrap=True
        )

    def conclude(self, holds: bool | None, text: str, rest: str = "") -> None:
        """Say how it ended: a mark and its words in colour, and what follows in plain."""
        words = Text(f"{self.signs[holds]} {plain(text)}", f"bold {_STYLES[holds]}")
        self.print(words.append(plain(rest), "not bold default"))

    def mark(self, holds: bool | None) -> Text:
        """A mark and its word; the colour only repeats them."""
        return Text(f"{self.signs[holds]} {VERDICTS[holds]}", style=_STYLES[holds])

    def sign(self, holds: bool | None) -> Text:
        """A mark without a word."""
        return Text(self.signs[holds], style=_STYLES[holds])

    def table(
        self,
        names: Sequence[str],
        rows: Iterable[Sequence[str | Text]],
        right: Iterable[str] = (),
        whole: Iterable[str] = (),
    ) -> None:
        """Print a table: the columns in `right` hold numbers, those in `whole` are not wrapped."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        right, whole = set(right), set(whole)
        for name in names:
            table.add_column(
                plain(name) if name not in right else name,
                justify="right" if name in right else "left",
                # Cut off, as rich would do, two long names might look alike.
                overflow="fold",
                no_wrap=name in whole,
                vertical="top",
            )
        for row in rows:
            table.add_row(*(Text(plain(cell)) if isinstance(cell, str) else cell for cell in row))
        self.print(table)

    def facts(self, pairs: Mapping[str, str]) -> None:
        """Print names and what belongs to them, in two columns."""
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=False)
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="fold")
        for name, text in pairs.items():
            table.add_row(plain(name), Text(plain(text)))
        self.print(table)

    def listing(self, title: str, lines: Sequence[str], style: str = "") -> None:
        """Print lines under a title, wrapped and indented; nothing if there are none."""
        if not lines:
            return
        self.print()
        self.say(title, f"bold {style}".strip())
        self._numbered([(Text("-", style=style), Text(plain(line))) for line in lines])

    def warnings(self, found: Sequence[Advice]) -> None:
        """What to look at before a release is handed out, each with its severity."""
        self.listing(
            "Warnings", [f"{one.severity.capitalize()}: {one.text}" for one in found], "yellow"
        )

    def verdicts(self, verdicts: Sequence[Verdict], failing: bool = False) -> None:
        """What is required and what is reached; with `failing`, how many classes fail it.

        Where people require different k, there is a line for each of them. Of buckets also the
        posterior is shown: the largest share of one value in a bucket.
        """
        lines = [line for v in verdicts for line in _lines(v)]
        more = {}
        if any(line.posterior is not None for line in lines):
            shares = ("" if x.posterior is None else percent(x.posterior, 0) for x in lines)
            more["Posterior"] = list(shares)
        if failing:
            more["Failing"] = [number(line.n_failing) for line in lines]
        self.requirements(
            [line.title for line in lines],
            {
                "Required": [number(line.asked) for line in lines],
                "Reached": [number(line.reached) for line in lines],
            },
            [line.holds for line in lines],
            more,
        )

    def requirements(
        self,
        requirements: Sequence[tuple[str, str | None]],
        numbers: Mapping[str, Sequence[str]],
        holds: Sequence[bool | None],
        more: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Print requirements with columns of numbers on both sides of their verdicts."""
        more = more or {}
        columns: dict[str, Sequence[str | Text]] = {
            "Requirement": [brief(text, attribute) for text, attribute in requirements]
        }
        if any(attribute for _, attribute in requirements):
            columns["Attribute"] = [attribute or "" for _, attribute in requirements]
        columns |= {**numbers, "Verdict": [self.mark(one) for one in holds], **more}
        self.table([*columns], zip(*columns.values(), strict=True), right=[*numbers, *more])

    def failure(self, failure: Failure) -> None:
        """Say what went wrong: a headline, then every problem with its number, up to a hundred."""
        n = len(failure.problems)
        self.conclude(False, f"{failure.headline}{f': {n} problems.' if n > 1 else '.'}")
        if not n:
            return
        self.print()
        listed = failure.problems[:_LISTED]
        numbers = [f"{i}." if n > 1 else "" for i in range(1, len(listed) + 1)]
        self._numbered(zip(map(Text, numbers), map(_problem, listed), strict=True), indent=1)
        if n > len(listed):
            self.say(f" … and {n - len(listed):,} more; --json lists all of them.")

    def _numbered(self, pairs: Iterable[tuple[Text, Text]], indent: int = 0) -> None:
        table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), show_header=False)
        table.add_column(justify="right", no_wrap=True)
        table.add_column(overflow="fold")
        for pair in pairs:
            table.add_row(*pair)
        self.print(Padding(table, (0, 0, 0, indent)))


class _Line(NamedTuple):
    """A line in a list of verdicts."""

    title: tuple[str, str | None]
    asked: Any
    reached: Any
    holds: bool | None
    n_failing: int
    posterior: float | None = None


def _lines(v: Verdict) -> Iterator[_Line]:
    title, n_failing = (v.requirement, v.attribute), len(v.offending)
    yield _Line(title, v.asked, v.reached, v.holds, n_failing, v.posterior)
    for level in v.levels:
        name = f"  k = {level.k}, for {level.people:,}"
        yield _Line((name, None), level.k, level.crowd, level.below == 0, level.below)


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
