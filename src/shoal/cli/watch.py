"""Two processes for a command: one works, the other takes the signals.

Python runs signal handlers between two steps of its main thread, so Ctrl-C would wait for a
kernel, the compiler or a reader to return, and an exception that it raises may be lost in a
callback of theirs. Here the work is done in a child process that no signal reaches. Its parent does
nothing but wait: when asked to end, it kills the child and removes what that had not finished.
A child that ends by itself when asked, since it has more to say than that it was interrupted, says
so: the first request is then passed on to it, and only the second kills it.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

_REQUESTS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# How long a child may be busy changing names before it is killed all the same.
_PATIENCE = 0.5
_SHOW_CURSOR = "\r\x1b[K\x1b[?25h"
# Among paths, which begin with a slash: pass the first request on.
_GRACE = b"grace"
# Likewise: what was computed so far is kept.
_KEEPING = b"keeping"

# Where this process tells the one that watches it what it writes; None if nobody does.
_watcher: int | None = None
# Whether this process looks for requests to end by itself.
_graceful = False


def block_requests() -> None:
    """Let requests to end wait until `watched` looks for them, but not those that are ignored."""
    ignored = {number for number in _REQUESTS if signal.getsignal(number) is signal.SIG_IGN}
    signal.pthread_sigmask(signal.SIG_BLOCK, _REQUESTS - ignored)


def watched(work: Callable[[], int], as_json: bool, command: str = "") -> int:
    """Do the work in a child process and return its exit code, in both processes.

    Needs `block_requests`, and a process without threads.
    """
    # With a handler the signal is kept while it is blocked, on every system.
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    told, tell = os.pipe()
    parent, hold = os.pipe()
    try:
        child = os.fork()
    except OSError as error:
        from shoal.cli.exit import report
        from shoal.cli.failure import failure_of

        return report(failure_of(error), as_json)
    # Of each pipe a process closes the end that is the other's: while it held that one itself, it
    # would never read the end of the file.
    if child:
        os.close(tell)
        os.close(parent)
        return _watch(child, told, as_json, command)
    os.close(told)
    os.close(hold)
    _prepare(tell, parent)
    code = work()
    if _graceful and requested() is not None:
        leave(code)
    return code


def announce(*places: str | Path | None) -> None:
    """Say which folders or files this process is going to write."""
    for place in places:
        if _watcher is not None and place is not None:
            os.write(_watcher, os.fsencode(Path(place).resolve()) + b"\0")


def ask_for_grace() -> None:
    """Say that this process looks for requests to end by itself, with `requested`."""
    global _graceful
    _graceful = True
    if _watcher is not None:
        os.write(_watcher, _GRACE + b"\0")


def say_kept() -> None:
    """Say that this process keeps its results one by one, so that a request to end loses none."""
    if _watcher is not None:
        os.write(_watcher, _KEEPING + b"\0")


def requested() -> int | None:
    """The number of a request to end that waits for this process; None where there is none."""
    return next(iter(sorted(signal.sigpending() & _REQUESTS)), None)


def leave(code: int) -> None:
    """End this process at once, if another watches it; what is registered for the end is done.

    To take down all that was imported takes seconds where the machine is busy.
    """
    if _watcher is not None:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)


def _prepare(tell: int, parent: int) -> None:
    """Make this process the one that works."""
    global _watcher
    _watcher = tell
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    if sys.stderr is not None and not sys.flags.dev_mode:
        _keep_terminal()
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _keep_terminal() -> None:
    """Let only this process write to the terminal, and only through Python.

    What a library in Rust or C panics about goes to descriptor 2, and may quote a cell.
    """
    shown = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)
    encoding, errors = sys.stderr.encoding, sys.stderr.errors
    sys.stderr = open(shown, "w", buffering=1, encoding=encoding, errors=errors)  # noqa: PTH123, SIM115


def _end_with(parent: int) -> None:
    """Wait for the end of the parent, whose end of the pipe the system closes."""
    os.read(parent, 1)
    # Not sys.exit, which would end only this thread.
    os._exit(1)


def _watch(child: int, told: int, as_json: bool, command: str) -> int:
    """Wait for the child or for a request to end; the requests stay blocked."""
    from shoal.cli.exit import report
    from shoal.cli.failure import crash, interruption

    requests = _REQUESTS & signal.pthread_sigmask(signal.SIG_BLOCK, ())
    idle = threading.Timer(1, _get_ready)
    idle.daemon = True
    idle.start()
    heard, passed_on = b"", False
    while True:
        number = signal.sigwait({*requests, signal.SIGCHLD})
        heard += _heard(told)
        if number in requests and _GRACE in heard.split(b"\0") and not passed_on:
            passed_on = True
            os.kill(child, number)
            continue
        if number in requests:
            _end(child, heard)
            _tidy_terminal()
            kept = _KEEPING in heard.split(b"\0")
            # As a shell states a signal.
            return report(interruption(128 + number, kept), as_json)
        # Without waiting: a child that is only stopped sends the signal as well.
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended and os.WIFSIGNALED(status):
            _end(None, heard)
            _tidy_terminal()
            return report(crash(os.WTERMSIG(status), command), as_json)
        if ended:
            return os.waitstatus_to_exitcode(status)


def _get_ready() -> None:
    """Import what a request to end needs, while there is time: the machine may be busy then."""
    import shoal.cli.terminal
    import shoal.folder.exchange  # noqa: F401


def _end(child: int | None, heard: bytes) -> None:
    """Kill the child while it changes no names, and remove its drafts."""
    places = _announced(heard)
    # Before the import, which takes its time: nothing that was announced can be half-written.
    if child is not None and not places:
        os.kill(child, signal.SIGKILL)
    from shoal.folder.exchange import clear_stale, locked

    with ExitStack() as locks:
        held = [
            place
            for parent in sorted(places)
            if locks.enter_context(locked(parent, patience=_PATIENCE))
            for place in places[parent]
        ]
        if child is not None:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        for place in held:
            clear_stale(place)


def _heard(told: int) -> bytes:
    """What the child has said since it was last listened to."""
    os.set_blocking(told, False)
    try:
        # More than a pipe holds, so nothing is left for later.
        return os.read(told, 1 << 20)
    except BlockingIOError:
        return b""


def _announced(heard: bytes) -> dict[Path, set[Path]]:
    """What the child has announced to write, by the folder above."""
    places = defaultdict(set)
    for name in heard.split(b"\0"):
        if name in (b"", _GRACE, _KEEPING):
            continue
        place = Path(os.fsdecode(name))
        places[place.parent].add(place)
    return places


def _tidy_terminal() -> None:
    """Show the cursor again, which a progress bar hides, in place of the line it was drawing."""
    if sys.stderr.isatty():
        sys.stderr.write(_SHOW_CURSOR)
