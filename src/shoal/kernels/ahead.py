"""Kernels that are compiled before they are called, in two processes, where the cache has none.

Numba compiles under a lock and in Python, so that threads do not help. A second process compiles
what it is handed into the cache on disk, from which this one loads it. It is started by the first
run ever alone; it knows types, no data, and ends with the process that it works for. Where anything
is missing that this needs, kernels are compiled when they are called, as ever.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from numba.core.dispatcher import Dispatcher

from shoal.kernels.jit import Function, keeps, kept_folder

Call = tuple[Function, tuple[Any, ...]]


@dataclass(frozen=True)
class _Job:
    """A kernel that is to be compiled, and for which types."""

    kernel: Any
    types: tuple[Any, ...]

    @property
    def name(self) -> tuple[str, str]:
        return self.kernel.py_func.__module__, self.kernel.py_func.__qualname__


class _Second:
    """The second process."""

    def __init__(self, cache_home: Path) -> None:
        start = f"import sys; sys.path[:] = {sys.path!r}; import {__name__} as a; a.serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "SHOAL_CACHE": str(cache_home)},
        )
        atexit.register(self.end)

    def take(self, jobs: deque[_Job]) -> None:
        """Have the first of the jobs compiled, and the next, until none is left."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        with suppress(IndexError, OSError):
            while True:
                job = jobs.popleft()
                pickle.dump((job.name, job.types), to)
                to.flush()
                if not back.readline():
                    return

    def end(self) -> None:
        """End it, whatever it is compiling."""
        self._process.kill()
        self._process.communicate()


def cores() -> int:
    """How many cores this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@cache
def _second() -> _Second | None:
    """The second process, where there is a core for it and a cache that both can use."""
    folder, python = kept_folder(), Path(sys.executable or "")
    if folder is None or cores() < 2 or parent_process() is not None:
        return None
    # An application that python is a part of would be started a second time.
    if not python.name.startswith("python") or getattr(sys, "frozen", False):
        return None
    with suppress(OSError):
        return _Second(folder.parent.parent)
    return None


_later: list[_Job] = []


def compile_later(*calls: Call) -> bool:
    """Say what will be called after the kernels that `compile_ahead` is next called for.

    Whether the cache lacks any of them: the second process starts by then.
    """
    missing = [job for job in _missing(calls) if job not in _later]
    _later.extend(missing)
    return bool(missing) and _second() is not None


def compile_ahead(*calls: Call) -> None:
    """Compile these kernels for arguments like these; what takes longest comes first.

    Returns when all that was missing is there. With nothing but one kernel to compile, the call
    of it may as well do that.
    """
    jobs = deque([*_missing(calls), *_later])
    _later.clear()
    second = _second() if len(jobs) > 1 else None
    if second is None:
        return
    at_it = Thread(target=second.take, args=(jobs,), daemon=True)
    at_it.start()
    while (job := _last(jobs)) is not None:
        job.kernel.compile(job.types)
    at_it.join()


def _last(jobs: deque[_Job]) -> _Job | None:
    """What nobody has begun yet, the shortest of it."""
    with suppress(IndexError):
        return jobs.pop()
    return None


def _missing(calls: tuple[Call, ...]) -> list[_Job]:
    """Those for which neither this process nor the cache has a kernel."""
    found = []
    for kernel, arguments in calls:
        if isinstance(kernel, Dispatcher):
            types = tuple(kernel.typeof_pyval(a) for a in arguments)
            if types not in kernel.overloads and not keeps(kernel, types):
                found.append(_Job(kernel, types))
    return found


def serve() -> None:
    """What the second process does: compile, and answer with a line, until the input ends."""
    todo: SimpleQueue[Any] = SimpleQueue()
    Thread(target=_receive, args=(todo,), daemon=True).start()
    while True:
        (module, name), types = todo.get()
        getattr(import_module(module), name).compile(types)
        sys.stdout.write("\n")
        sys.stdout.flush()


def _receive(todo: SimpleQueue[Any]) -> None:
    """Read what is to be done; with its input the process ends, even while it compiles."""
    try:
        while True:
            # From the process that started this one, and nobody else.
            todo.put(pickle.load(sys.stdin.buffer))  # noqa: S301
    finally:
        os._exit(0)
