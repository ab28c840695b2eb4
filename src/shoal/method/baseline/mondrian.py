"""Mondrian: strict multidimensional partitioning."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.method.base import Method, Task
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import Partition
from shoal.table.space import packed_rows, space_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

# The numbers are those of the kernel.
_RULE = {"loss": 0, "balanced": 1, "median": 2, "widest": 3}
# Nodes up to this size are cut whole by one thread; counts decide, so the result does not depend on
# how many threads there are.
_SMALL = 50_000


class Mondrian(Method):
    """Cut the table by one quasi-identifier after another while both sides meet the requirements.

    LeFevre, DeWitt and Ramakrishnan 2006, strict: equal values stay on one side of a cut. The
    paper cuts the attribute of widest range at its median (`median`); a median alone stalls on
    skewed categories, so `balanced` takes the most balanced cut that is allowed, and `loss` (the
    default) the allowed cut of any attribute that lowers the loss most. A cut is allowed when both
    sides meet every requirement of the plan.
    """

    name: ClassVar[str] = "mondrian"
    cite: ClassVar[papers.Citations] = (papers.cite("lefevre"),)
    limits: ClassVar[str] = (
        "Strict cuts keep equal values together, so a value that is very common cannot be "
        "divided. It does not find the least possible loss: with hierarchies, the lattice or "
        "clustering can lose less."
    )

    cut: Literal["loss", "balanced", "median"] = Field(
        "loss", description="which of the allowed cuts to make"
    )

    def partition(self, task: Task) -> Partition:
        starts, units = cut_table(
            task.table, task.requirements, self.cut, objective=task.objective, threads=task.threads
        )
        return marked_classes(starts, units)


def cut_table(
    table: Table,
    requirements: Requirements,
    cut: str,
    stop: int = 0,
    objective: str = "glm",
    threads: int = 1,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Cut until no cut is allowed, or until at most `stop` units are left together.

    Returns the units in the order of their classes, and a mark where each class begins. Threads
    share the subtrees; the result does not depend on how many there are.
    """
    units = np.arange(table.n_units, dtype=np.int32)
    space = space_of(table.quasi, objective)
    return cut_rows(packed_rows(table), units, space, requirements, cut, stop, threads)


def marked_classes(starts: NDArray[np.uint8], units: NDArray[np.int32]) -> Partition:
    """All units in classes, one after the other, with a mark where each begins."""
    unit_class = np.empty(len(units), dtype=np.int32)
    unit_class[units] = np.cumsum(starts, dtype=np.int32) - 1
    return Partition(unit_class, int(starts.sum()))


def cut_rows(
    rows: NDArray[Any],
    units: NDArray[np.int32],
    space: Space,
    requirements: Requirements,
    cut: str,
    stop: int = 0,
    threads: int = 1,
    least: int = 1,
    curve: bool = False,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The same of some units and of the attributes in `rows`; both are moved about.

    Classes have at least `least` units. With `curve` their order, and that of the units in them, is
    one in which neighbours are near (`cut_nodes`).

    `widest` is the cut at the median as LGB has it: of numbers the widest range, of categories the
    most values of those there are, first; ties in the order of attributes.
    """
    starts = np.zeros(len(rows), dtype=np.uint8)
    head = (max(requirements.least, least), stop, _RULE[cut])
    _cut_in_threads(rows, units, head, space, requirements, starts, threads, curve)
    return starts, units


def _cut_in_threads(
    rows: NDArray[Any],
    units: NDArray[np.int32],
    head: tuple[int, int, int],
    space: Space,
    requirements: Requirements,
    starts: NDArray[np.uint8],
    threads: int,
    curve: bool,
) -> None:
    """Cut large nodes one at a time, and hand what is small enough to a thread as a whole."""
    from shoal.kernels.tree.mondrian import cut_nodes, make_room

    large = max(len(rows) // 16, _SMALL)

    def cut(low: int, high: int, once: bool) -> int:
        asked = requirements.asked(high - low)
        room = make_room(space, 2 if once else high - low)
        how = (*head, once, curve, space, asked, room, starts)
        return int(cut_nodes(rows, units, low, high, *how))

    def work(low: int, high: int) -> tuple[int, int, int]:
        middle = cut(low, high, once=high - low > large)
        if curve and middle < 0 and high - low > large:
            # A large class: its inside is still to be put in order.
            cut(low, high, once=False)
        return low, middle, high

    if len(rows) <= large:
        work(0, len(rows))
        return
    pool = ThreadPoolExecutor(threads)
    try:
        running: set[Future[tuple[int, int, int]]] = {pool.submit(work, 0, len(rows))}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for low, middle, high in (future.result() for future in done):
                if middle >= 0:
                    running.add(pool.submit(work, low, middle))
                    running.add(pool.submit(work, middle, high))
    finally:
        pool.shutdown(cancel_futures=True)
