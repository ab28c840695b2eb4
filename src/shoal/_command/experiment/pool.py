"""Trials in several processes, each result kept as soon as it is there."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import polars as pl

from shoal._command.experiment.cache import Cache
from shoal._command.experiment.reading import read_release
from shoal._command.experiment.trial import Grid, Trial
from shoal._run import run
from shoal._run.engine import LocalEngine
from shoal._run.engine.local import pool_of
from shoal.errors import DataError, InfeasibleError, Problem, ShoalError
from shoal.plan import Plan

# Called with the number of trials that are done, and of all.
OnProgress = Callable[[int, int], None]
# What becomes of a trial: its readings, or why there are none.
Found = dict[str, Any]


@dataclass(frozen=True)
class Finished:
    """What became of every trial; `missing` are the tables that are not there."""

    trials: tuple[Trial, ...]
    found: tuple[Found, ...]
    missing: Mapping[str, tuple[Problem, ...]]
    computed: int

    @property
    def cpu(self) -> float:
        """The processor seconds that all trials took, now or when they were kept."""
        return float(sum(one.get("cpu", 0.0) for one in self.found))


def carry_out(
    grid: Grid, cache: Cache, workers: int | None = None, progress: OnProgress | None = None
) -> Finished:
    """Run the trials that the cache does not have.

    A trial whose table is missing is left out. Raises OSError where a result cannot be kept; those
    before it are.
    """
    tables, missing = _prepare(grid, cache)
    trials = [t for t in grid.trials if t.data in tables]
    keys = [t.digest(tables[t.data][0]) for t in trials]
    found = {key: cache.get(key) for key in dict.fromkeys(keys)}
    waiting = {k: t for k, t in zip(keys, trials, strict=True) if found[k] is None}
    tell = progress or (lambda *_: None)
    tell(len(found) - len(waiting), len(found))
    jobs = [(key, t, tables[t.data][1]) for key, t in waiting.items()]
    # Long and short trials in turn, so that the time left can be told from those that are done.
    random.Random(1).shuffle(jobs)
    for done, (key, result) in enumerate(_results(jobs, workers), len(found) - len(waiting) + 1):
        cache.put(key, result)
        found[key] = result
        tell(done, len(found))
    every = tuple(one for key in keys if (one := found[key]) is not None)
    return Finished(tuple(trials), every, missing, len(waiting))


def _prepare(
    grid: Grid, cache: Cache
) -> tuple[dict[str, tuple[str, Path]], dict[str, tuple[Problem, ...]]]:
    tables: dict[str, tuple[str, Path]] = {}
    missing: dict[str, tuple[Problem, ...]] = {}
    for name in dict.fromkeys(trial.data for trial in grid.trials):
        try:
            tables[name] = cache.keep_table(grid.tables[name]())
        except DataError as error:
            missing[name] = error.problems
    return tables, missing


# The key of a trial, the trial, and the file of its table.
PoolJob = tuple[str, Trial, Path]


def _results(jobs: Sequence[PoolJob], workers: int | None) -> Iterator[tuple[str, Found]]:
    n = min(workers or os.cpu_count() or 1, len(jobs))
    if n <= 1:
        for key, trial, table in jobs:
            yield key, perform(trial, table)
        return
    others = set(active_children())
    # One thread: the other processes have the other cores.
    pool = pool_of(n, threads=1)
    try:
        # No more are handed over than workers can take up, so that an end comes at once.
        rest, running = iter(jobs), {}
        for key, trial, table in rest:
            running[pool.submit(perform, trial, table)] = key
            if len(running) == 2 * n:
                break
        while running:
            ready: Future[Found] = next(as_completed(running))
            yield running.pop(ready), ready.result()
            for key, trial, table in rest:
                running[pool.submit(perform, trial, table)] = key
                break
    except BrokenProcessPool:
        raise MemoryError("the system ended a worker") from None
    finally:
        for worker in set(active_children()) - others:
            worker.kill()
        pool.shutdown(cancel_futures=True)


@lru_cache(maxsize=8)
def _table(path: Path) -> pl.DataFrame:
    return pl.read_ipc(path)


_warm: set[tuple[str, ...]] = set()
_TIMES = ("seconds", "run-seconds")
# A run that is shorter than this is timed twice.
_SHORT = 1.0


def perform(trial: Trial, table: Path) -> Found:
    """Run one trial, and say what processor time it took; an error is a result too."""
    start = time.process_time()
    found = _found(trial, table)
    return {**found, "cpu": round(time.process_time() - start, 3)}


def _found(trial: Trial, table: Path) -> Found:
    frame, stages = _table(table), StageTimes()
    timed = any(name in trial.readings for name in _TIMES)
    try:
        plan = Plan.of(dict(trial.plan))
        # One thread: the other processes have the other cores.
        engine = LocalEngine(os.cpu_count() or 1)
        if timed:
            _warm_up(plan, frame, engine)
        release = run(plan, frame, engine, progress=stages)
        # Whatever else the machine does only adds to a time, so the lesser one is kept.
        if timed and stages.total < _SHORT:
            run(plan, frame, engine, progress=stages)
        return {"readings": read_release(release, plan, frame, trial.readings, stages.seconds)}
    except InfeasibleError as error:
        if trial.otherwise:
            took = {"seconds": stages.seconds.get(plan.method.name)} if timed else {}
            return {"readings": {**trial.otherwise, **took}, "nothing": True}
        return {"error": " ".join(map(str, error.problems))}
    except ShoalError as error:
        return {"error": " ".join(map(str, error.problems))}


def _warm_up(plan: Plan, frame: pl.DataFrame, engine: LocalEngine) -> None:
    """Run a method once if it is new here: the first run also compiles, which is not timed."""
    kind = (plan.method.name, *(model.name for model in plan.models))
    if kind not in _warm:
        _warm.add(kind)
        with suppress(InfeasibleError):
            run(plan, frame, engine)


class StageTimes:
    """The processor time that each stage of a run takes: other programs do not count in it.

    Of several runs the least time of every stage is kept, also of one that failed.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @property
    def total(self) -> float:
        """The processor time of all stages."""
        return sum(self.seconds.values())

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        start = time.process_time()
        try:
            yield
        finally:
            took = time.process_time() - start
            self.seconds[name] = min(took, self.seconds.get(name, took))
