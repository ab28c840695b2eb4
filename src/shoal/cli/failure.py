"""What went wrong, in words that may be shown, and the exit code for it.

The text of an error that shoal did not raise itself is never shown: it may quote a cell.
"""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass
from typing import Any

import typer

from shoal.errors import Problem, ShoalError, place_of

DONE, UNMET, WRONG, MACHINE, INTERRUPTED = 0, 1, 2, 3, 130

_COMMAND = "The command cannot be run as it is"
_MACHINE, _OWN = "The machine failed", "shoal itself failed"
_MEMORY = "Free memory, or use a machine with more of it, and run the command again."
_SPLIT = "Split the work with 'shards: {rows: 200000}' in the plan, or free memory."
_REPORT = "Please report this. The line above contains nothing of your data."
_HEADLINES = {
    "PlanError": "The plan cannot be run as it is",
    "DataError": "The data cannot be used as it is",
    "EngineError": "The cluster failed",
    "InfeasibleError": "This table cannot meet the requirements of the plan",
    "VerificationError": "The release failed its verification and was not written",
}


class UsageError(ShoalError):
    """The arguments name something that does not exist, or do not fit together."""


class EndedInOrder(Exception):
    """A request to end was followed, and the command has said all there is to say."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True)
class Failure:
    """What went wrong, ready to be shown; one kind of failure has one exit code."""

    name: str
    headline: str
    problems: tuple[Problem, ...]
    code: int

    def as_data(self) -> dict[str, Any]:
        """The document that `--json` prints."""
        problems = [
            {"text": p.text, "where": p.where or None, "hint": p.hint or None, "line": p.line}
            for p in self.problems
        ]
        return {"error": self.name, "problems": problems}


def failure_of(error: BaseException, command: str = "") -> Failure:
    """An error in words that may be shown; only a run can be split to save memory.

    >>> failure_of(KeyError("a secret")).problems[0].text
    'KeyError in shoal.'
    """
    if isinstance(error, ShoalError):
        headline = _HEADLINES.get(type(error).__name__, _COMMAND)
        return Failure(type(error).__name__, headline, error.problems, error.exit_code)
    if isinstance(error, typer.TyperException):
        problem = Problem(error.format_message(), hint=_help_hint(error))
        return Failure("UsageError", _COMMAND, (problem,), WRONG)
    if isinstance(error, (OSError, MemoryError)):
        return _machine(error, command)
    if isinstance(error, KeyboardInterrupt):
        return interruption(INTERRUPTED)
    problem = Problem(
        f"{type(error).__name__} in {place_of(error, __name__)}.",
        hint=_REPORT,
    )
    return Failure("InternalError", _OWN, (problem,), MACHINE)


def interruption(code: int, kept: bool = False) -> Failure:
    """The command was asked to end; `kept` if the same command goes on where it stopped."""
    left = "no half-written release is left behind"
    if kept:
        left = "what was computed is kept, and the same command goes on from there"
    return Failure("Interrupted", f"Interrupted; {left}", (), code)


def crash(number: int, command: str = "") -> Failure:
    """The work was ended by a signal that nobody sent on purpose.

    >>> crash(9).problems[0].text
    'The operating system stopped the work: Killed.'
    """
    words = signal.strsignal(number) or f"signal {number}"
    # How Linux answers a lack of memory; Python gets no chance to raise MemoryError.
    if number == signal.SIGKILL:
        problem = Problem(
            f"The operating system stopped the work: {words}.", hint=_memory_hint(command)
        )
        return Failure("MemoryError", _MACHINE, (problem,), MACHINE)
    problem = Problem(f"The work stopped unexpectedly: {words}.", hint=_REPORT)
    return Failure("InternalError", _OWN, (problem,), MACHINE)


def _memory_hint(command: str) -> str:
    return _SPLIT if command == "run" else _MEMORY


def _machine(error: OSError | MemoryError, command: str) -> Failure:
    name, text = "OSError", _system_words(error) if isinstance(error, OSError) else ""
    # What is kept all the same, if `progress.Share` has noted something.
    hint = _note(error, "What was ") or (
        "No half-written release is left behind. Fix the cause and run the command again."
    )
    if isinstance(error, MemoryError):
        name, text, hint = "MemoryError", "Not enough memory", _memory_hint(command)
    # The folder that could not be begun, if `draft_for` has noted one; else the stage in which it
    # happened, if `progress.Stages` has.
    if folder := _note(error, "The folder "):
        return Failure(name, _MACHINE, (Problem(f"{folder}: {text}.", hint=hint),), MACHINE)
    problem = Problem(f"{text}.", where=_note(error, "while "), hint=hint)
    return Failure(name, _MACHINE, (problem,), MACHINE)


def _note(error: BaseException, start: str) -> str:
    """The first note on an error that starts so; empty if there is none."""
    notes = getattr(error, "__notes__", ())
    return next((note for note in notes if note.startswith(start)), "")


def _help_hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"See '{context.command_path} --help'." if context is not None else ""


def _system_words(error: OSError) -> str:
    """The system's own words; from a library's text only the number of the error is taken.

    >>> _system_words(OSError("cannot write 'a secret' (os error 28)"))
    'No space left on device'
    """
    # Errors of Rust libraries such as polars have the number in their text alone.
    number = error.errno
    if number is None and (found := re.search(r"\(os error (\d+)\)", str(error))):
        number = int(found[1])
    return os.strerror(number) if number is not None else "A file could not be read or written"
