"""Hilbert: people along a space-filling curve, cut into classes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.method.base import Method, Task
from shoal.method.baseline.mondrian import cut_rows
from shoal.table import Domain, Table
from shoal.table.partition import Partition
from shoal.table.space import RANGE, form_of, packed_rows, space_of, word_starts

# A place on the curve is one unsigned integer: its bits are shared out among the attributes.
_BITS = 64
_MOST_BITS = 16
# Lines are cut apart from each other, so that several threads can; the result is the same.
_LINE = 250_000
_LONGEST = 256


class Hilbert(Method):
    """People in the order of a curve through all of their values, cut into classes that lose least.

    Ghinita, Karras, Kalnis and Mamoulis 2007, with a curve that follows the data. People who are
    near each other on the curve are near in every quasi-identifier. The line is cut by dynamic
    programming into classes of k to 2k - 1 (larger ones lose no less as far as sizes are
    concerned), each of which meets every requirement, including personal sizes.

    The paper's curve is Hilbert's, whatever the data (`curve: hilbert`). `tree`, the default, goes
    through the classes of mondrian, cut further until people are equal, and enters each on the side
    nearest to the previous person. As the classes of mondrian are one of the cuts of this line, it
    loses no more than mondrian. This is the method for very large tables.
    """

    name: ClassVar[str] = "hilbert"
    cite: ClassVar[papers.Citations] = (papers.cite("ghinita"), papers.cite("lefevre"))
    limits: ClassVar[str] = (
        "Similar people may be far apart on the curve, the more so the more quasi-identifiers "
        "there are. Slower methods lose less."
    )

    curve: Literal["tree", "hilbert"] = Field(
        "tree", description="the curve: one that follows the data, or Hilbert's"
    )

    def partition(self, task: Task) -> Partition:
        line = _along_tree(task) if self.curve == "tree" else _along_hilbert(task.table)
        return cut_into_classes(task, line)


@dataclass(frozen=True)
class Course:
    """Units in the order of a curve, with their codes; `starts` marks classes that hold already."""

    codes: NDArray[Any]
    units: NDArray[np.int32]
    starts: NDArray[np.uint8] | None = None

    def piece(self, begin: int, end: int) -> Course:
        """A part of it; equal rows in the order of the table."""
        codes, units = self.codes[begin:end], self.units[begin:end]
        if self.starts is None:
            return Course(codes, units)
        run = np.append(0, np.cumsum((codes[1:] != codes[:-1]).any(axis=1)))
        order = np.lexsort((units, run))
        return Course(codes, units[order], self.starts[begin:end])

    def pieces(self, longest: int) -> list[Course]:
        """Parts of about _LINE units, and no class of those that are marked in two of them."""
        n = len(self.units)
        if self.starts is None:
            # The last piece is long enough for the largest class that somebody may require.
            begins = np.arange(0, max(n - longest, 1), _LINE)
        else:
            marks = np.flatnonzero(self.starts)
            later = np.searchsorted(marks, np.arange(0, n, _LINE))
            begins = np.unique(marks[later[later < len(marks)]])
        ends = [*begins[1:].tolist(), n]
        return [self.piece(a, b) for a, b in zip(begins.tolist(), ends, strict=True)]

    def ready(self) -> NDArray[np.int64]:
        """The size of each class that holds already, at the place of its last unit; else 0."""
        sizes = np.zeros(len(self.units), dtype=np.int64)
        if self.starts is not None:
            marks = np.append(np.flatnonzero(self.starts), len(sizes))
            sizes[marks[1:] - 1] = np.diff(marks)
        return sizes


def cut_into_classes(task: Task, line: Course) -> Partition:
    """The best cut of a line, piece by piece."""
    from shoal.kernels.hilbert import number_classes

    cut = _Cut(task)
    pieces = line.pieces(cut.longest)
    with ThreadPoolExecutor(max(task.threads, 1)) as pool:
        found = list(pool.map(cut.piece, pieces))
    unit_class, n = np.empty(task.table.n_units, dtype=np.int32), 0
    for piece, before in zip(pieces, found, strict=True):
        n = int(number_classes(piece.units, before, n, unit_class))
    return Partition(unit_class, n)


class _Cut:
    """The cut of lines of people, each by itself."""

    def __init__(self, task: Task) -> None:
        self.task, table, asked = task, task.table, task.requirements
        self.space = space_of(table.quasi, task.objective)
        self.rows = table.unit_rows()
        self.sizes = asked.asked_sizes if asked.personal else None
        self.least = max(asked.least, 1)
        needed = max(self.least, 1 if self.sizes is None else int(self.sizes.max(initial=1)))
        # What is required besides sizes may take larger classes.
        self.longest = 2 * needed - 1 if asked.sizes_only else min(6 * needed + 24, _LONGEST)
        self.longest = max(self.longest, needed)
        self.word_start = word_starts(table.quasi)

    def piece(self, line: Course) -> NDArray[np.int32]:
        """Where the best class that ends at each place of a line begins."""
        from shoal.kernels.hilbert import cut_line

        asked, n = self.task.requirements, len(line.units)
        # By sizes alone a class of more than `longest` loses no less than its parts.
        ready = np.zeros(n, dtype=np.int64) if asked.sizes_only else line.ready()
        most = max(self.longest, int(ready.max(initial=0)))
        sizes = np.ones(n, dtype=np.int64)
        if self.sizes is not None:
            sizes = self.sizes[line.units].astype(np.int64)
        before = np.zeros(n + 1, dtype=np.int32)
        cut_line(
            line.codes, line.units, self.rows[line.units].astype(np.float64), sizes, ready,
            self.space, self.word_start, self.least, self.longest,
            None if asked.sizes_only else asked.asked(most), np.empty(n + 1), before,
        )  # fmt: skip
        return before


def _along_tree(task: Task) -> Course:
    """Units class by class of mondrian, the nearer side of each cut first."""
    table = task.table
    codes, units = packed_rows(table), np.arange(table.n_units, dtype=np.int32)
    space = space_of(table.quasi, task.objective)
    starts, _ = cut_rows(
        codes, units, space, task.requirements, "loss", threads=task.threads, curve=True
    )
    return Course(codes, units, starts)


def _along_hilbert(table: Table) -> Course:
    """Units along Hilbert's curve; whoever is at one place of it in the order of the table."""
    from shoal.kernels.hilbert import place_on_curve

    domains = table.quasi[:_BITS]
    bits = min(_BITS // len(domains), _MOST_BITS)
    points = np.empty((table.n_units, len(domains)), dtype=np.uint64)
    for j, domain in enumerate(domains):
        points[:, j] = _steps(domain, bits)[table.unit_codes(domain.attribute.name)]
    keys = np.empty(table.n_units, dtype=np.uint64)
    place_on_curve(points, bits, keys)
    order = np.argsort(keys, kind="stable").astype(np.int32)
    return Course(packed_rows(table)[order], order)


def _steps(domain: Domain, bits: int) -> NDArray[np.uint64]:
    """The coordinate of every code: numbers by size, others by their rank, siblings together."""
    n, whole = len(domain), 2**bits - 1
    share = np.arange(n) / max(n - 1, 1)
    if form_of(domain) == RANGE and domain.numbers is not None and domain.span:
        least = np.fmin.reduce(domain.numbers)
        share = np.clip((domain.numbers - least) / domain.span, 0, 1)
        # Missing is the last code, and so the farthest place.
        share = np.where(np.isnan(share), 1.0, share)
    return np.asarray(np.rint(share * whole), dtype=np.uint64)
