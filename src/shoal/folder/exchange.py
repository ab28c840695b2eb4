"""Folders that appear whole or not at all, alone or in pairs, whatever other processes do.

A draft is a temporary folder next to the place it is made for. Its owner holds a lock on it, which
the system releases however the owner ends: a draft without a lock has no owner. Process numbers
would not do, since they differ between containers.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MARK = ".shoal-"
_ASIDE = "aside"
# From linux/fs.h: the two names change places in one step.
_RENAME_EXCHANGE = 2
_AT_FDCWD = -100


@contextmanager
def draft_for(folder: Path) -> Iterator[Path]:
    """A temporary folder next to `folder`, readable by nobody else, gone afterwards.

    What earlier runs left behind is removed first.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Under this lock, or another run could take the draft for a stale one before it is owned.
        with locked(folder.parent):
            clear_stale(folder)
            fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}{_MARK}", dir=folder.parent))
            owner = _lock(fresh)
    except OSError as error:
        # The system's words alone do not say which of the folders it is.
        error.add_note(f"The folder {str(folder)!r} cannot be written")
        raise
    try:
        yield fresh
    finally:
        # The lock goes last: a draft without an owner is removed by anybody.
        shutil.rmtree(fresh, ignore_errors=True)
        _unlock(owner)


def place_draft(fresh: Path, folder: Path) -> bool:
    """Give a finished draft its name; what had the name becomes the draft.

    True if something had the name. Needs the lock of the folder above.
    """
    # A rename takes the place of an empty folder, but of no other.
    if not folder.exists() or not any(folder.iterdir()):
        fresh.rename(folder)
        return False
    exchange(fresh, folder)
    return True


def exchange(one: Path, other: Path) -> None:
    """Let two folders of one file system change names, in one step where the system can."""
    try:
        _exchange_at_once(one, other)
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
            raise
        _exchange_in_steps(one, other)


def _exchange_at_once(one: Path, other: Path) -> None:
    # Python itself only has renames that replace.
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    names = os.fsencode(one), os.fsencode(other)
    if call(_AT_FDCWD, names[0], _AT_FDCWD, names[1], _RENAME_EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _exchange_in_steps(one: Path, other: Path) -> None:
    """For file systems without an exchange: `recover_name` undoes what a kill leaves half done."""
    aside = _aside(other)
    other.rename(aside)
    try:
        one.rename(other)
    except BaseException:
        aside.rename(other)
        raise
    aside.rename(one)


def recover_name(folder: Path) -> None:
    """Give a folder its name back that a kill took between two steps of an exchange."""
    aside = _aside(folder)
    if aside.is_dir() and not folder.exists():
        aside.rename(folder)


def drafts_of(folder: Path) -> list[Path]:
    """The drafts next to a folder, whichever process owns them."""
    return sorted(folder.parent.glob(f".{_escaped(folder.name)}{_MARK}*"))


def clear_stale(folder: Path) -> None:
    """Remove the drafts next to a folder that nobody owns. Needs the lock of the folder above."""
    recover_name(folder)
    for draft in drafts_of(folder):
        owner = _lock(draft, patience=0)
        if owner is not None:
            shutil.rmtree(draft, ignore_errors=True)
            _unlock(owner)


@contextmanager
def locked(*folders: Path, patience: float | None = None) -> Iterator[bool]:
    """Hold the locks of folders, and say whether all are held: file systems may have none.

    They are always taken in the same order, so that no two runs wait for each other. None waits
    for as long as it takes, `patience` no longer than this many seconds for each.
    """
    owners: list[int | None] = []
    try:
        # Once each: a process would wait for itself if both folders had the same one above them.
        for folder in sorted({folder.resolve() for folder in folders}):
            owners.append(_lock(folder, patience))
        yield None not in owners
    finally:
        for owner in owners:
            _unlock(owner)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C and requests to end wait until this is done; it must not take long."""
    waiting: list[int] = []
    # Python lets only the main thread set handlers, and runs them in no other.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {n: signal.getsignal(n) for n in numbers if callable(signal.getsignal(n))}
    for number in before:
        signal.signal(number, lambda n, _: waiting.append(n))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for late in waiting:
        signal.raise_signal(late)


def _lock(folder: Path, patience: float | None = None) -> int | None:
    """A lock on a folder, to be given back to `_unlock`; None where none is available."""
    try:
        # Not for programs that are started: a lock lasts as long as any copy of its descriptor.
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        _wait_for(descriptor, patience)
    except OSError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _wait_for(descriptor: int, patience: float | None) -> None:
    """Take a lock; raises OSError where there is none, or not in time."""
    if patience is None:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return
    # flock waits for ever or not at all.
    end = time.monotonic() + patience
    while True:
        try:
            return fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise
        time.sleep(0.005)


def _unlock(owner: int | None) -> None:
    if owner is not None:
        with suppress(OSError):
            os.close(owner)


def _aside(folder: Path) -> Path:
    return folder.parent / f".{folder.name}{_MARK}{_ASIDE}"


def _escaped(name: str) -> str:
    """A name in which no character is a wildcard."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
