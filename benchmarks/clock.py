"""Time and memory of this process."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def best(function: Callable[[], Any], times: int = 3) -> float:
    """The least of several runs, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        found.append(time.perf_counter() - start)
    return min(found)


def resident() -> int:
    """Bytes in memory now."""
    return _own_bytes(os.getpid())


def peak() -> int:
    """The most bytes that were ever in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def grown_by(function: Callable[[], Any]) -> int:
    """By how many bytes memory grows at most while something runs."""
    Path("/proc/self/clear_refs").write_text("5")
    before = resident()
    function()
    status = Path("/proc/self/status").read_text().splitlines()
    (highest,) = (line.split()[1] for line in status if line.startswith("VmHWM:"))
    return max(int(highest) * 1024 - before, 0)


class Stages:
    """The time that each stage of a run takes; hand it over as `progress`."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


class Footprint:
    """The most bytes in memory of this process and all that it has started, looked at now and then.

    What several processes share counts for each of them, so that it is no less than the truth. Use
    it with `with`; `bytes` is the most that was seen.
    """

    def __init__(self, every: float = 0.25) -> None:
        self.bytes = 0
        self._every, self._end = every, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Footprint:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self._look()
        self.bytes = max(self.bytes, peak())

    def _watch(self) -> None:
        while not self._end.wait(self._every):
            self._look()

    def _look(self) -> None:
        self.bytes = max(self.bytes, sum(_own_bytes(process) for process in family(os.getpid())))


def family(process: int) -> list[int]:
    """A process and all that it has started, directly or not."""
    parent: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parent[int(path.parent.name)] = int(fields[1])
    found = [process]
    for one in found:
        found += [child for child, of in parent.items() if of == one]
    return found


def _own_bytes(process: int) -> int:
    """The bytes in memory of a process; 0 where it has ended."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()
