"""How a command ends: do its work, and show what went wrong."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from shoal.cli import show, stream
from shoal.cli.failure import DONE, MACHINE, Failure, failure_of, interruption


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
    # By convention 128 plus the number of the signal; typer turns Ctrl-C into 130.
    return code if code <= 128 else _report(interruption(code), as_json)


def _report(failure: Failure, as_json: bool) -> int:
    if as_json:
        try:
            show.print_json(failure.as_data())
            return failure.code
        except OSError:
            stream.silence(sys.stdout)
    try:
        show.err().failure(failure)
    except OSError:
        # Nothing can be printed any more, but the exit code still says it.
        stream.silence(sys.stderr)
    return failure.code


@contextmanager
def _stopped_politely() -> Iterator[None]:
    """Turn a request to end into an exception, as Ctrl-C is, so that everything is cleaned up."""
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
