"""One machine: shards in a loop, or in a pool of processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any

import polars as pl

from shoal._run.engine.base import Item, Result, Source
from shoal._run.engine.file import RunFolder, SourceRows
from shoal.recode import allow_threads
from shoal.source import has_types, open_batches, read


class LocalEngine:
    """This machine. More than one worker runs the shards in processes of their own.

    One worker is the default: a pool of processes runs every script again that is not guarded by
    `if __name__ == "__main__"`. The workers share the cores of the machine.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or 1

    @property
    def threads(self) -> int:
        """The cores of the machine, shared by the workers."""
        return max(1, (os.cpu_count() or 1) // self.workers)

    @property
    def writes_parts(self) -> bool:
        return False

    def has_types(self, source: Any, base: Path) -> bool:
        return has_types(source, base)

    def read(self, source: Any, base: Path, encoding: str | None = None) -> pl.DataFrame:
        return read(source, base=base, encoding=encoding)

    def open(
        self, source: Any, base: Path, encoding: str | None, folder: Path, n_rows: int
    ) -> Source | None:
        found = open_batches(source, base=base, encoding=encoding, n_rows=n_rows)
        return None if found is None else SourceRows(RunFolder.in_folder(folder, self.map), found)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        if self.workers == 1 or len(items) == 1:
            return [function(item) for item in items]
        others = set(active_children())
        pool = pool_of(self.workers, self.threads)
        try:
            return list(pool.map(function, items))
        except BrokenProcessPool:
            raise MemoryError("the system ended a worker") from None
        except BaseException:
            # The pool would wait for shards that are being solved; nobody wants their results now.
            for worker in set(active_children()) - others:
                worker.kill()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def pool_of(workers: int, threads: int) -> ProcessPoolExecutor:
    """A pool of processes, each of which uses this many threads."""
    spawn = get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=spawn, initializer=serve, initargs=(threads,))


def serve(threads: int) -> None:
    """Begin as a worker, which ends with the process it works for, however that ends.

    Ctrl-C reaches the workers too. They ignore it, and that process ends them quietly.
    """
    allow_threads(threads)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
