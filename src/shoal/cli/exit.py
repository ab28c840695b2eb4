"""How a command ends: do its work, and show what went wrong."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from shoal.cli import show, standard
from shoal.cli.failure import (
    DONE,
    INTERRUPTED,
    MACHINE,
    EndedInOrder,
    Failure,
    failure_of,
    interruption,
)


def end(work: Callable[[], Any], as_json: bool, command: str = "") -> int:
    """Do the work of a command, show what went wrong with it, and return the exit code."""
    standard.forgive_encodings()
    with warnings.catch_warnings():
        # Libraries may quote a cell in a warning: only those of shoal are shown, unless -W asks for
        # all.
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
            warnings.filterwarnings("default", category=UserWarning, module="shoal")
            warnings.showwarning = _show_warning
        try:
            code = int(work() or DONE)
            standard.flush(sys.stdout)
        except EndedInOrder as ended:
            standard.flush(sys.stdout)
            return ended.code
        except SystemExit as stop:
            # A library may give a text for a code. It is not shown, since it may quote a cell.
            code = stop.code if isinstance(stop.code, int) else MACHINE
        except BaseException as error:
            return report(failure_of(error, command), as_json)
    # What typer turns Ctrl-C into.
    return report(interruption(code), as_json) if code == INTERRUPTED else code


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    # A warning that cannot be shown is no reason to end the work.
    with suppress(OSError):
        show.err().say(str(message), "yellow")


def report(failure: Failure, as_json: bool) -> int:
    """Show what went wrong, and return the exit code."""
    if as_json:
        try:
            show.print_json(failure.as_data())
            return failure.code
        except OSError:
            # Stdout takes nothing any more: it is said on stderr instead.
            standard.silence(sys.stdout)
    try:
        show.err().failure(failure)
    except OSError:
        # Nothing can be printed any more, but the exit code still says it.
        standard.silence(sys.stderr)
    return failure.code
