"""Work on many rows in several threads: kernels and numpy let go of the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
# Below this many rows, threads take longer to start than they save.
MANY = 100_000


# How many threads this process may use; None: as many as the machine has cores.
_allowed: int | None = None


def allow_threads(n: int) -> None:
    """Let the stages after the method use no more threads than this, in this process.

    An engine says so to each process that shares a machine with others. Methods have their own
    number in their task; the tables of a release are made in too many places to hand one to each.
    """
    global _allowed
    _allowed = n


def allowed_threads() -> int:
    """How many threads the stages after the method may use in this process."""
    return _allowed or os.cpu_count() or 1


def side_by_side(work: Callable[[T], R], items: Iterable[T], n_rows: int) -> list[R]:
    """What `work` makes of every item, in their order.

    >>> side_by_side(abs, [3, -4], n_rows=2)
    [3, 4]
    """
    threads = allowed_threads()
    if n_rows < MANY or threads == 1:
        return [work(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, items))
