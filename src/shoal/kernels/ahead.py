"""Kernels that are compiled before they are called, in two processes, where the cache has none.

Numba compiles under a lock and in Python, so threads do not help. A second process compiles
what it is handed into the cache on disk, from which this one loads it. It is started by the first
run ever alone; it knows types, no data, and ends with the process that it works for. Where anything
is missing that this needs, kernels are compiled when they are called, as always.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from multiprocessing import parent_process
from pathlib import Path
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Any

from numba.core.dispatcher import Dispatcher

from shoal.kernels.jit import Function, ask_before_compiling, keeps, kept_folder

Call = tuple[Function, tuple[Any, ...]]


@dataclass(frozen=True)
class _Job:
    """A kernel that is to be compiled, and for which types."""

    function: Any
    types: tuple[Any, ...]
    kernel: Any = field(default=None, compare=False)

    @property
    def name(self) -> tuple[str, str]:
        return self.function.__module__, self.function.__qualname__


class _Second:
    """The second process, and what it is to compile: the first that waits, and then the next."""

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
        self._waiting: list[_Job] = []
        self._begun: _Job | None = None
        self._change = Condition()
        Thread(target=self._hand_over, daemon=True).start()

    def take(self, jobs: list[_Job], *, first: bool) -> None:
        """Have jobs compiled that do not wait yet, before or after those that do."""
        with self._change:
            new = [job for job in jobs if job not in (*self._waiting, self._begun)]
            self._waiting = new + self._waiting if first else self._waiting + new
            self._change.notify_all()

    def give_back(self, jobs: list[_Job]) -> _Job | None:
        """The last of these that nobody has begun, for the first process to compile."""
        with self._change:
            for job in reversed(jobs):
                if job in self._waiting:
                    self._waiting.remove(job)
                    return job
        return None

    def wait_for(self, job: _Job) -> bool:
        """Whether the second process has compiled a job by now, or has been at it."""
        with self._change:
            if job in self._waiting:
                self._waiting.remove(job)
            was_begun = self._begun == job
            self._change.wait_for(lambda: self._begun != job)
            return was_begun

    def _hand_over(self) -> None:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        alive = True
        while alive:
            with self._change:
                self._change.wait_for(lambda: self._waiting)
                job = self._begun = self._waiting.pop(0)
            try:
                pickle.dump((job.name, job.types), to)
                to.flush()
                # Nothing to read means that it has ended.
                alive = bool(back.readline())
            except (OSError, ValueError):
                alive = False
            with self._change:
                self._begun = None
                if not alive:
                    self._waiting.clear()
                self._change.notify_all()

    def end(self) -> None:
        """End it, whatever it is compiling."""
        self._process.kill()
        self._process.wait()


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


def compile_later(*calls: Call) -> bool:
    """Have kernels compiled that will be called after others, for arguments like these.

    Whether the cache lacks any of them, and the second process is at it.
    """
    missing = _missing(calls)
    second = _second() if missing else None
    if second is not None:
        second.take(missing, first=False)
    return second is not None


def compile_ahead(*calls: Call) -> None:
    """Compile these kernels for arguments like these; what takes longest comes first.

    The second process begins with the first, this one with the last. With nothing but one kernel to
    compile, the call of it may as well do that.
    """
    missing = _missing(calls)
    second = _second() if len(missing) > 1 else None
    if second is None:
        return
    second.take(missing, first=True)
    while (job := second.give_back(missing)) is not None:
        job.kernel.compile(job.types)


def _wait_for(function: Any, types: tuple[Any, ...]) -> bool:
    """Whether the second process has just compiled a kernel that this one is about to compile."""
    second = _second() if _second.cache_info().currsize else None
    return second is not None and second.wait_for(_Job(function, types))


def _missing(calls: tuple[Call, ...]) -> list[_Job]:
    """Those for which neither this process nor the cache has a kernel."""
    found = []
    for kernel, arguments in calls:
        if isinstance(kernel, Dispatcher):
            types = tuple(kernel.typeof_pyval(a) for a in arguments)
            if types not in kernel.overloads and not keeps(kernel, types):
                found.append(_Job(kernel.py_func, types, kernel))
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


ask_before_compiling(_wait_for)
