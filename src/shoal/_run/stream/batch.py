"""One batch of a stream: the classes of a window, and the release of those who leave it."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import CodedInput, code
from shoal._run.engine import LocalEngine
from shoal._run.read import settle
from shoal._run.release import Release
from shoal._run.run import publish
from shoal._run.seed import Seed
from shoal._run.shard import shard_seed
from shoal._run.solve import solve
from shoal.errors import InfeasibleError
from shoal.method.repair import Repair
from shoal.plan import Plan
from shoal.release.ledger import Ledger
from shoal.table.partition import SUPPRESSED, Partition


@dataclass(frozen=True)
class Batch:
    """What a window gives: a release, or None where nobody can be published, and who stays.

    `held` are the rows of the window that wait for the next batch, `left_out` those that no batch
    will have.
    """

    release: Release | None
    held: NDArray[np.bool_]
    left_out: NDArray[np.bool_]


def make_batch(
    plan: Plan, frame: pl.DataFrame, may_wait: NDArray[np.bool_], seed: Seed, number: int
) -> Batch:
    """Find the classes of a window, and make the release of all who are in one.

    Who is in none is held back where `may_wait` says so. Those who are held are not part of the
    release in any way: it is that of a table without them, with the classes that were found.
    """
    own = replace(seed, value=shard_seed(seed.value, number))
    try:
        coded = _coded(plan, frame, own)
        repaired = solve(plan, coded, LocalEngine())
    # A window may lack what the next one brings: whoever may wait does.
    except InfeasibleError:
        return Batch(None, may_wait.copy(), ~may_wait)
    classes = coded.table.by_row(repaired.partition.unit_class)
    left = classes == SUPPRESSED
    held = left & may_wait
    if held.any():
        rows = np.flatnonzero(~held)
        again = _coded(plan, frame[rows], own)
        repaired = _without_held(repaired, coded, again, rows)
        coded = again
    release = publish(plan, coded, repaired, lambda _: nullcontext(), own, Ledger.empty())
    return Batch(release, held, left & ~held)


def _coded(plan: Plan, frame: pl.DataFrame, seed: Seed) -> CodedInput:
    return code(plan, settle(plan, frame, seed.value, typed=False), seed.value)


def _without_held(
    repaired: Repair, coded: CodedInput, again: CodedInput, rows: NDArray[np.int64]
) -> Repair:
    """The same classes in the numbers of a table that has only these rows."""
    found = repaired.partition
    unit = np.empty(again.table.n_units, dtype=np.int64)
    unit[again.table.unit_of_row()] = coded.table.unit_of_row()[rows]
    partition = Partition(
        found.unit_class[unit],
        found.n_classes,
        found.heights,
        None if found.level is None else found.level[unit],
        None if found.k is None else found.k[unit],
        None if found.region is None else found.region[unit],
        found.pattern,
    )
    n_left = int(np.count_nonzero(partition.unit_class == SUPPRESSED))
    return replace(
        repaired,
        partition=partition,
        n_suppressed=min(repaired.n_suppressed, n_left),
        n_single=min(repaired.n_single, n_left),
    )
