"""How many people share a published description."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.manifest import Manifest
from shoal.release.crowd import crowd_sizes
from shoal.report.scale import round_step

_MOST_BARS = 20
# From here on, even steps would put most groups into the first of about twenty bars.
_WIDEST = 40


@dataclass(frozen=True)
class Bin:
    """Groups of low to high people (high None: and more), and the people in them."""

    low: int
    high: int | None
    n_groups: int
    n_people: int

    @property
    def label(self) -> str:
        if self.high is None:
            return f"{self.low:,}+"
        return f"{self.low:,}" if self.low == self.high else f"{self.low:,}–{self.high:,}"


@dataclass(frozen=True)
class GroupSizes:
    """`n_groups[i]` groups have `size[i]` people each; sizes ascend."""

    size: NDArray[np.int64]
    n_groups: NDArray[np.int64]

    @classmethod
    def of_table(cls, table: pl.DataFrame, manifest: Manifest) -> GroupSizes:
        """Count the rows, or people where a column names them, with equal descriptions.

        Without a column that describes people all of them look alike.
        """
        return cls(*crowd_sizes(table, manifest.quasi, manifest.person, manifest.keeps_secrets))

    @cached_property
    def people(self) -> NDArray[np.int64]:
        """How many people are in groups of each size."""
        return self.size * self.n_groups

    @property
    def total(self) -> int:
        return int(self.people.sum())

    @property
    def n_classes(self) -> int:
        return int(self.n_groups.sum())

    @property
    def smallest(self) -> int:
        return int(self.size[0]) if len(self.size) else 0

    @property
    def largest(self) -> int:
        return int(self.size[-1]) if len(self.size) else 0

    @property
    def median(self) -> int:
        """The size of the group of the middle person."""
        return self._of_person(0.5)

    def _of_person(self, share: float) -> int:
        if not len(self.size):
            return 0
        place = int(np.searchsorted(np.cumsum(self.people), share * self.total))
        return int(self.size[min(place, len(self.size) - 1)])

    def bins(self) -> list[Bin]:
        """At most about twenty bars: equal steps where sizes are alike, else doubling ones."""
        if not len(self.size):
            return []
        # A few people in far larger groups must not make all other bars thin.
        cap = self._of_person(0.97)
        if cap <= self.smallest * _WIDEST:
            return self._cut(self._even_edges(cap))
        edges = [self.smallest]
        while edges[-1] <= self.largest:
            edges.append(edges[-1] * 2)
        return self._cut(edges)

    def _even_edges(self, cap: int) -> list[int]:
        step = int(round_step(max(1, -(-(cap - self.smallest + 1) // _MOST_BARS))))
        start = self.smallest if step == 1 else self.smallest // step * step
        return list(range(start, cap + step + 1, step))

    def _cut(self, edges: list[int]) -> list[Bin]:
        """Bins from each edge to the next; sizes from the last edge on are one bin."""
        place = np.searchsorted(np.array(edges), self.size, side="right") - 1
        groups = np.bincount(place, weights=self.n_groups, minlength=len(edges))
        people = np.bincount(place, weights=self.people, minlength=len(edges))
        ends: list[int | None] = [edge - 1 for edge in edges[1:]]
        bins = [
            Bin(max(low, self.smallest), high, int(n), int(m))
            for low, high, n, m in zip(edges, [*ends, None], groups, people, strict=True)
        ]
        while bins and bins[-1].n_groups == 0:
            bins.pop()
        return bins
