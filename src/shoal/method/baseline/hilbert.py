"""Hilbert: people along a space-filling curve, cut into classes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.method.base import Method, Task
from shoal.table import Domain, Table
from shoal.table.partition import Partition
from shoal.table.space import RANGE, SET, form_of, packed_codes, space_of

_BITS = 64
_MOST_BITS = 16
# Lines are cut apart from each other, so that several threads can; the result is the same.
_LINE = 250_000
_LONGEST = 256


class Hilbert(Method):
    """People in the order of a Hilbert curve over their values, cut into classes that lose least.

    Ghinita, Karras, Kalnis and Mamoulis 2007. People who are near each other on the curve are near
    in every quasi-identifier. The line is cut by dynamic programming into classes of k to 2k - 1 (a
    cut into larger ones loses no less by size alone), each of which holds everything required,
    personal sizes too. The quickest method for very large tables.
    """

    name: ClassVar[str] = "hilbert"
    cite: ClassVar[papers.Citations] = (papers.cite("ghinita"),)
    limits: ClassVar[str] = (
        "Near people may be far apart on the curve, the more so the more quasi-identifiers there "
        "are: other methods lose less where there is time for them."
    )

    def partition(self, task: Task) -> Partition:
        table = task.table
        order = _order(table)
        cut = _Cut(task)
        lines = [order[i : i + _LINE] for i in range(0, len(order), _LINE)]
        if len(lines) > 1 and len(lines[-1]) < cut.longest:
            lines[-2:] = [np.concatenate(lines[-2:])]
        with ThreadPoolExecutor(max(task.threads, 1)) as pool:
            found = list(pool.map(cut.line, lines))
        return cut.numbered(lines, found)


class _Cut:
    """The cut of lines of people, each by itself."""

    def __init__(self, task: Task) -> None:
        self.task, table, asked = task, task.table, task.requirements
        self.codes, self.space = packed_codes(table), space_of(table.quasi, task.objective)
        self.rows = np.bincount(table.unit_of_row(), minlength=table.n_units).astype(np.float64)
        personal = asked.personal
        self.sizes = (
            asked.asked_sizes.astype(np.int64) if personal else np.ones(table.n_units, np.int64)
        )
        self.least = max(asked.least, 1)
        needed = max(self.least, int(self.sizes.max(initial=1)))
        # What is required besides sizes may take larger classes.
        self.longest = 2 * needed - 1 if asked.sizes_only else min(6 * needed + 24, _LONGEST)
        self.longest = max(self.longest, needed)
        n_words = [-(-len(d) // 64) if form_of(d) == SET else 0 for d in table.quasi]
        self.word_start = np.append(0, np.cumsum(n_words)).astype(np.int64)

    def line(self, order: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where the best class that ends at each place of a line begins."""
        from shoal.kernels.hilbert import cut_line

        asked = self.task.requirements
        cost = np.empty(len(order) + 1)
        before = np.zeros(len(order) + 1, dtype=np.int64)
        cut_line(
            order, self.codes, self.rows, self.sizes, self.space, self.word_start, self.least,
            self.longest, None if asked.sizes_only else asked.asked(self.longest), cost, before,
        )  # fmt: skip
        return before

    def numbered(self, lines: list[NDArray[np.int64]], found: list[NDArray[np.int64]]) -> Partition:
        """The classes of all lines, numbered one after the other."""
        from shoal.kernels.hilbert import number_classes

        unit_class, n = np.empty(self.task.table.n_units, dtype=np.int32), 0
        for order, before in zip(lines, found, strict=True):
            n = int(number_classes(order, before, n, unit_class))
        return Partition(unit_class, n)


def _order(table: Table) -> NDArray[np.int64]:
    """Units along the curve; whoever is at one place of it stays in the order of the table."""
    from shoal.kernels.hilbert import place_on_curve

    domains = table.quasi[:_BITS]
    bits = min(_BITS // len(domains), _MOST_BITS)
    points = np.empty((table.n_units, len(domains)), dtype=np.uint64)
    for j, domain in enumerate(domains):
        points[:, j] = _steps(domain, bits)[table.unit_codes(domain.attribute.name)]
    keys = np.empty(table.n_units, dtype=np.uint64)
    place_on_curve(points, bits, keys)
    return np.argsort(keys, kind="stable")


def _steps(domain: Domain, bits: int) -> NDArray[np.uint64]:
    """The coordinate of every code: numbers by size, others by their rank, siblings together."""
    n, whole = len(domain), 2**bits - 1
    share = np.arange(n) / max(n - 1, 1)
    if form_of(domain) == RANGE and domain.numbers is not None and domain.span:
        least = np.fmin.reduce(domain.numbers)
        share = np.clip((domain.numbers - least) / domain.span, 0, 1)
        share = np.where(np.isnan(share), 1.0, share)
    return np.asarray(np.rint(share * whole), dtype=np.uint64)
