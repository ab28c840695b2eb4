"""Improve classes that hold: for some seconds, or for some steps."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.method.base import Task
from shoal.method.loss import class_bounds, lost_by
from shoal.method.workshop import asked_sizes
from shoal.table import Table
from shoal.table.distinct import by_appearance
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import TREE, packed_codes, space_of, word_starts

if TYPE_CHECKING:
    from shoal.kernels.polish.group import Metric, PolishedGroups

PARTS = 2
"""Classes are polished in this many parts, side by side, whatever the number of threads."""

# After every phase it says what is lost now, to whoever listens.
_LOG = logging.getLogger("shoal.polish")
# Steps of a part between two looks at the clock.
_PHASE = 1_000
# Tables of all pairs of codes up to here; beyond, the tree is climbed each time.
_TABLED = 256
# Fewer classes are polished as one part.
_FEW = 64


@dataclass(frozen=True)
class Polish:
    """How long to polish: `steps`, which is the same everywhere, or `seconds`, which is not."""

    steps: int | None = None
    seconds: float | None = None

    def share(self, n_shards: int) -> Polish:
        """What each of several shards may take."""
        # Rounded up, so that no shard is left without steps.
        steps = None if self.steps is None else -(-self.steps // n_shards)
        return Polish(steps, None if self.seconds is None else self.seconds / n_shards)

    def phases(self) -> Iterator[int]:
        """The steps of each phase, until they, or the seconds, run out."""
        left, end = self.steps, monotonic() + (self.seconds or 0.0)
        while (monotonic() < end) if left is None else left > 0:
            now = PARTS * _PHASE if left is None else min(PARTS * _PHASE, left)
            left = None if left is None else left - now
            yield now


def polish(task: Task, partition: Partition, how: Polish) -> tuple[Partition, float]:
    """A partition that loses no more, in which everything that is required holds; and the gain.

    Suppressed units stay suppressed. Classes are published as what covers them. Ctrl-C keeps what
    was gained so far. The gain is in what all rows lose by the objective, summed over the
    quasi-identifiers.
    """
    if partition.pattern is not None or partition.n_classes == 0:
        return partition, 0.0
    work = _Work(task, partition)
    # dm is a sum of squares, of which there is no mean of a cell.
    listened = _LOG.isEnabledFor(logging.INFO) and task.objective != "dm"
    before = lost_by(task.table, partition, task.objective) if listened else 0.0
    cells = task.table.n_rows * len(task.table.quasi)
    with ThreadPoolExecutor(PARTS if task.threads > 1 else 1) as pool:
        try:
            for number, steps in enumerate(how.phases()):
                work.phase(number, steps, pool)
                if listened:
                    now = before - work.gained / cells
                    _LOG.info("polish: %s %.4f, was %.4f", task.objective, now, before)
        except KeyboardInterrupt:
            pass
    return work.finished(), work.gained


class _Work:
    """The classes while they are polished."""

    def __init__(self, task: Task, partition: Partition) -> None:
        from shoal.kernels.polish.group import Units

        self.task, self.partition = task, partition
        self.metric = _metric_of(task.table, task.objective)
        table = task.table
        asked = np.maximum(asked_sizes(task.requirements, partition), _served(task, partition))
        self.units = Units(packed_codes(table), table.unit_rows().astype(np.float64), asked)
        self.kept = np.flatnonzero(partition.unit_class != SUPPRESSED)
        self.unit_class = partition.unit_class.astype(np.int64)
        self.gained = 0.0

    def phase(self, number: int, steps: int, pool: ThreadPoolExecutor) -> None:
        """Polish each part for its share of the steps.

        Neighbours by another attribute than before are in one part, so that none is apart forever.
        """
        parts = self._parts(number)
        # A copy, so that Ctrl-C in the middle of a phase leaves the classes of the phase before.
        own = self.unit_class.copy()

        def work(i: int) -> float:
            return self._polish(parts[i], own, -(-steps // len(parts)), (number, i))

        gained = list(pool.map(work, range(len(parts))))
        for units, before in zip(parts, _offsets(own, parts), strict=True):
            own[units] += before
        self.unit_class = own
        self.gained += sum(gained)

    def _parts(self, number: int) -> list[NDArray[np.int64]]:
        """The units of each part, classes whole."""
        classes, of_unit = np.unique(self.unit_class[self.kept], return_inverse=True)
        n, d = len(classes), self.units.codes.shape[1]
        if n < _FEW:
            return [self.kept]
        low = np.full((n, d), np.iinfo(np.int32).max, dtype=np.int32)
        np.minimum.at(low, of_unit, self.units.codes[self.kept])
        turned = np.roll(low, number, axis=1)
        rank = np.empty(n, dtype=np.int64)
        rank[np.lexsort(turned.T)] = np.arange(n)
        share = rank[of_unit] * PARTS // n
        return [self.kept[share == part] for part in range(PARTS)]

    def _polish(
        self,
        chosen: NDArray[np.int64],
        unit_class: NDArray[np.int64],
        steps: int,
        turn: tuple[int, int],
    ) -> float:
        from shoal.kernels.polish.search import POOL
        from shoal.kernels.polish.step import polish_groups

        asked = self.task.requirements
        classes, own = np.unique(unit_class[chosen], return_inverse=True)
        # Each part numbers its classes from 0 by itself; `phase` moves them apart afterwards.
        unit_class[chosen] = own
        least = max(asked.least, 1)
        room = max(len(classes), len(chosen) // least) + POOL // least + 16
        groups = _room(self.metric, len(unit_class), room, len(classes))
        # Odd, since an xorshift that begins with 0 stays there.
        seed = np.random.SeedSequence([self.task.seed, *turn]).generate_state(1, np.uint64) | 1
        gained = polish_groups(
            self.metric, self.units, groups, chosen, steps, least, self.task.objective == "dm",
            None if asked.sizes_only else asked.asked(len(unit_class)), seed, unit_class,
        )  # fmt: skip
        return float(gained)

    def finished(self) -> Partition:
        """The classes, numbered by their first units."""
        unit_class = np.full(len(self.unit_class), SUPPRESSED, dtype=np.int32)
        own = self.unit_class[self.kept]
        unit_class[self.kept] = by_appearance(own, int(own.max(initial=SUPPRESSED)) + 1)[own]
        n_classes = int(unit_class.max(initial=SUPPRESSED)) + 1
        better = replace(self.partition, unit_class=unit_class, n_classes=n_classes, heights=None)
        if self.partition.level is None:
            return better
        return replace(better, level=_levels(self.task.table, better))


def _served(task: Task, partition: Partition) -> NDArray[np.int64]:
    """The size that units ask for and have, even where the method need not give it; else 0."""
    sizes = np.append(partition.sizes(), 0)[partition.unit_class]
    found = np.zeros(len(sizes), dtype=np.int64)
    for model in task.requirements.models:
        asked = model.asked_k(task.table)
        if asked is not None:
            found = np.maximum(found, np.where(sizes >= asked, asked, 0))
    return found


def _offsets(unit_class: NDArray[np.int64], parts: list[NDArray[np.int64]]) -> list[int]:
    """How many classes there are before those of each part."""
    sizes = [int(unit_class[units].max()) + 1 for units in parts]
    return [sum(sizes[:i]) for i in range(len(sizes))]


def _levels(table: Table, partition: Partition) -> NDArray[np.int16]:
    """1 + the highest level among the quasi-identifiers of a unit's class, as ladders count."""
    kept = partition.unit_class != SUPPRESSED
    of_class = np.zeros(partition.n_classes, dtype=np.int16)
    for domain in table.quasi:
        if domain.tree is None:
            continue
        codes = table.unit_codes(domain.attribute.name)
        low, high = class_bounds(codes, partition, len(domain))
        tree = domain.tree.closed()
        # A root that only closes several tops counts as the highest level, as it does for `prec`.
        climbed = np.minimum(tree.level[tree.cover(low, high)], domain.tree.height - 1)
        of_class = np.maximum(of_class, climbed)
    level = np.zeros(len(partition.unit_class), dtype=np.int16)
    level[kept] = of_class[partition.unit_class[kept]] + 1
    return level


def _metric_of(table: Table, objective: str) -> Metric:
    """The space with a table of all pairs of codes for every small tree."""
    from shoal.kernels.polish.group import Metric

    space = space_of(table.quasi, objective)
    at, width, pairs, end = [], [], [np.empty(0)], 0
    for j, domain in enumerate(table.quasi):
        n = len(domain)
        tabled = space.form[j] == TREE and n <= _TABLED
        at.append(end)
        width.append(n if tabled else 0)
        if tabled:
            assert domain.tree is not None
            tree = domain.tree.closed()
            losses = space.loss[space.loss_start[j] : space.loss_start[j + 1]].reshape(-1, n)
            pair = np.zeros((n, n))
            # From the top down, so that what stays is the loss of the lowest node that two codes
            # share.
            for level in range(tree.height - 1, -1, -1):
                nodes = tree.node[level]
                pair = np.where(nodes[:, None] == nodes, losses[level][:, None], pair)
            pairs.append(pair.ravel())
            end += n * n
    return Metric(
        space,
        word_starts(table.quasi),
        np.array(at, dtype=np.int64),
        np.array(width, dtype=np.int64),
        np.concatenate(pairs),
    )


def _room(metric: Metric, n_units: int, n_groups: int, n_classes: int) -> PolishedGroups:
    """Buffers for classes, of which this many exist."""
    from shoal.kernels.polish.group import PolishedGroups

    d, n_words = len(metric.space.form), max(int(metric.word[-1]), 1)
    return PolishedGroups(
        np.empty((n_groups, d), np.int32), np.empty((n_groups, d), np.int32),
        np.zeros((n_groups, n_words), np.uint64), np.empty(n_groups),
        np.zeros(n_groups, np.int64), np.empty(n_groups), np.empty(n_groups, np.int64),
        np.empty(n_units, np.int64), np.array([n_classes], dtype=np.int64),
    )  # fmt: skip
