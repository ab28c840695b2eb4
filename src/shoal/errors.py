"""The errors that shoal raises on purpose.

A message says what was required, what was found and what to do. It names columns, classes, row
numbers, lines and counts, never the value of a cell.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: what, where, and what to do about it.

    >>> print(Problem("The 'k' parameter must be at least 2, got 1 instead.", "privacy[0]", line=9))
    line 9, privacy[0]: The 'k' parameter must be at least 2, got 1 instead.
    """

    text: str
    where: str = ""
    hint: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = ", ".join(filter(None, (f"line {self.line}" if self.line else "", self.where)))
        return " ".join(filter(None, (f"{place}:" if place else "", self.text, self.hint)))


class ShoalError(Exception):
    """The base class: one error that lists every problem found."""

    exit_code = 2

    def __init__(self, problems: str | Problem | Iterable[Problem], hint: str = "") -> None:
        if isinstance(problems, str):
            problems = Problem(problems, hint=hint)
        self.problems: tuple[Problem, ...] = (
            (problems,) if isinstance(problems, Problem) else tuple(problems)
        )
        super().__init__("\n".join(map(str, self.problems)))

    def __reduce__(self) -> tuple[type[ShoalError], tuple[tuple[Problem, ...]]]:
        # Pickle would take the args, which are the text alone; workers hand over whole problems.
        return type(self), (self.problems,)


class PlanError(ShoalError):
    """The plan names something that does not exist, or its parts do not fit together."""


class DataError(ShoalError):
    """The input is not what the plan says it is."""


class InfeasibleError(ShoalError):
    """The requirements of the plan cannot be met with this table."""

    exit_code = 1


class VerificationError(ShoalError):
    """The release does not meet its requirements, so nothing is written."""

    exit_code = 1


class EngineError(ShoalError):
    """The cluster on which a plan should run, or something that it needs, is absent or failed."""

    exit_code = 3


def place_of(error: BaseException, caught_in: str) -> str:
    """Where in shoal's own code an error began; `caught_in` is the module that caught it."""
    place = "shoal"
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("shoal.") and module != caught_in:
            place = f"{module}, line {line} ({frame.f_code.co_name})"
    return place
