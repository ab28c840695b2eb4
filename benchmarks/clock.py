"""Time and memory of this process."""

from __future__ import annotations

import resource
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
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize()


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
