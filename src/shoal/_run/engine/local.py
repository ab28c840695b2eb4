"""One machine: shards in a loop, or in a pool of processes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import reduce
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine.base import Item, Result
from shoal.method.baseline.mondrian import cut_table
from shoal.model.requirement import Requirements
from shoal.source import read
from shoal.table import Table


class LocalEngine:
    """The machine at hand. More than one worker runs the shards in processes of their own."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def read(self, source: Any, base: Path) -> pl.DataFrame:
        return read(source, base=base)

    def shard(
        self, table: Table, requirements: Requirements, rows: int | None
    ) -> Sequence[NDArray[np.int64]]:
        """Shards are the top of a Mondrian tree: alike people stay together, and every shard holds
        what is asked of a class. Within a shard, rows are sorted by all coded columns.
        """
        if rows is None or table.n_rows <= rows:
            return [np.arange(table.n_rows)]
        stop = max(1, rows * table.n_units // table.n_rows)
        starts, units = cut_table(table, requirements, "balanced", stop)
        shard_of_unit = np.empty(table.n_units, dtype=np.int64)
        shard_of_unit[units] = np.cumsum(starts) - 1
        shard_of_row = shard_of_unit[table.unit_of_row()]
        keys = [table.columns[a.name].codes for a in reversed(table.schema.attributes)
                if a.name in table.columns]  # fmt: skip
        order = np.lexsort([*keys, shard_of_row])
        cuts = np.cumsum(np.bincount(shard_of_row))[:-1]
        return np.split(order, cuts)

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        if self.workers == 1 or len(items) == 1:
            return [function(item) for item in items]
        others = set(active_children())
        # Ctrl-C reaches the workers too; it is this process that ends them, and without a word.
        pool = ProcessPoolExecutor(
            self.workers,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        )
        try:
            return list(pool.map(function, items))
        except BrokenProcessPool:
            raise MemoryError("the system ended a worker") from None
        except BaseException:
            for worker in set(active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def fold(self, merge: Callable[[Result, Result], Result], parts: Iterable[Result]) -> Result:
        return reduce(merge, parts)

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        if path.suffix == ".parquet":
            frame.write_parquet(path)
        else:
            frame.write_csv(path)
