"""How a command ends: an exit code and, where something is wrong, what it is and what to do.

No text of an error that shoal did not raise itself is ever shown: it may quote a cell.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, NoReturn

import typer

from shoal.cli import stream
from shoal.errors import Problem, ShoalError

DONE, UNMET, WRONG, MACHINE, INTERRUPTED = 0, 1, 2, 3, 130

_COMMAND = "The command cannot be run as it stands"
_HEADLINES = {
    "PlanError": "The plan cannot be run as it stands",
    "DataError": "The data cannot be used as it stands",
    "InfeasibleError": "What the plan asks cannot be had from this table",
    "VerificationError": "The release does not hold what it promises, and was not written",
}


class UsageError(ShoalError):
    """The command line asks for something that does not exist or does not fit together."""


@dataclass(frozen=True)
class Failure:
    """What went wrong, ready to be shown."""

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


def end(work: Callable[[], Any], as_json: bool) -> int:
    """Do the work of a command, show what went wrong with it, and return the exit code."""
    stream.forgive_encodings()
    with _stopped_politely(), warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        try:
            code = int(work() or DONE)
            stream.flush(sys.stdout)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else MACHINE
        except BaseException as error:
            return _report(failure_of(error), as_json)
    # By custom 128 and the number of the signal that ended it; typer turns Ctrl-C into 130.
    return code if code <= 128 else _report(_interruption(code), as_json)


def failure_of(error: BaseException) -> Failure:
    """An error in words that are fit to be shown.

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
        return _machine(error)
    if isinstance(error, KeyboardInterrupt):
        return _interruption(INTERRUPTED)
    problem = Problem(
        f"{type(error).__name__} in {_place(error)}.",
        hint="Please report this; the line above holds nothing of your data.",
    )
    return Failure("InternalError", "shoal failed, and the fault is its own", (problem,), MACHINE)


def _interruption(code: int) -> Failure:
    return Failure("Interrupted", "Interrupted; no half-written release is left behind", (), code)


def _machine(error: OSError | MemoryError) -> Failure:
    if isinstance(error, MemoryError):
        text = "Not enough memory"
        hint = "Split the work with 'shards: {rows: 200000}' in the plan, or free memory."
    else:
        text = _system_words(error)
        hint = "No half-written release is left behind. Mend it, and run the command again."
    problem = Problem(f"{text}.", where=_stage(error), hint=hint)
    return Failure(_family(error), "The machine failed", (problem,), MACHINE)


def _family(error: OSError | MemoryError) -> str:
    return "MemoryError" if isinstance(error, MemoryError) else "OSError"


def _help_hint(error: typer.TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"See '{context.command_path} --help'." if context is not None else ""


def _stage(error: BaseException) -> str:
    """The stage in which it happened, where `progress.Stages` has noted one."""
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith("while ")]
    return notes[0] if notes else ""


def _system_words(error: OSError) -> str:
    """The system's own words for it; of a library's text only the number of the error is taken.

    >>> _system_words(OSError("cannot write 'a secret' (os error 28)"))
    'No space left on device'
    """
    number = error.errno
    if number is None and (found := re.search(r"\(os error (\d+)\)", str(error))):
        number = int(found[1])
    return os.strerror(number) if number is not None else "A file could not be read or written"


def _place(error: BaseException) -> str:
    """Where in shoal's own code an error began."""
    place = "shoal"
    for frame, line in traceback.walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__", ""))
        if module.startswith("shoal.") and module != __name__:
            place = f"{module}, line {line} ({frame.f_code.co_name})"
    return place


def _report(failure: Failure, as_json: bool) -> int:
    from shoal.cli import show

    if as_json:
        try:
            show.print_json(failure.as_data())
            return failure.code
        except OSError:
            stream.silence(sys.stdout)
    try:
        show.print_failure(failure)
    except OSError:
        # Nothing can be said any more; the code still tells.
        stream.silence(sys.stderr)
    return failure.code


@contextmanager
def _stopped_politely() -> Iterator[None]:
    """A request to end is an exception, as Ctrl-C is, so that everything cleans up after itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    polite = [
        number
        for number in (signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in polite:
        signal.signal(number, _stop)
    try:
        yield
    finally:
        for number in polite:
            signal.signal(number, signal.SIG_DFL)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)
