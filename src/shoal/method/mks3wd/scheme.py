"""MKS3WD: personal k by sequential three-way decisions, in three schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from shoal import papers
from shoal.errors import Problem
from shoal.method.base import Task
from shoal.method.mks3wd.base import Climbing
from shoal.method.mks3wd.climb import UNSAFE, Climb, Offer, Taken, UnitNumbers
from shoal.model import Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import Partition

Ranks = NDArray[np.int64]


@dataclass
class Bench:
    """What the schemes work on: who is released in which group, under which k, in which batch.

    People are identified by their rank, the most sensitive first, ties in table order: f falls
    along the ranks, and unit[rank] says who it is. Sets of people are ascending ranks.
    """

    way: Climb
    unit: UnitNumbers
    f: NDArray[np.float64]
    released: NDArray[np.int32]
    k: NDArray[np.int32]
    batch: NDArray[np.int32]
    n_batches: int = 0

    @classmethod
    def of(cls, way: Climb, f: NDArray[np.float64]) -> Bench:
        """Nobody is released."""
        falling = pl.arg_sort_by("f", descending=True, maintain_order=True)
        unit = pl.DataFrame({"f": f}).select(falling).to_series().to_numpy().astype(np.int64)
        nobody = np.full(len(f), UNSAFE, dtype=np.int32)
        return cls(way, unit, f[unit], nobody, np.zeros_like(nobody), np.zeros_like(nobody))

    def n_above(self, threshold: float, side: Literal["left", "right"]) -> int:
        """How many have f >= threshold ("right"), or f > threshold ("left")."""
        # f falls along the ranks, but a search needs what rises.
        return int(np.searchsorted(-self.f, -threshold, side=side))

    def climb(self, people: Ranks, k: int, requirements: Requirements) -> Ranks:
        """Release what reaches k and holds what is required; returns who is not released."""
        return self.release(people, self.way.climb(self.unit[people], k, requirements), k)

    def release(self, people: Ranks, groups: NDArray[np.int32], k: int) -> Ranks:
        """Release those who have a group; returns those who have none."""
        safe = groups != UNSAFE
        chosen = people if safe.all() else people[safe]
        self.released[chosen] = groups[safe]
        self.k[chosen] = k
        self.batch[chosen] = self.n_batches
        self.n_batches += 1
        unsafe: Ranks = people[~safe]
        return unsafe

    def union(self, *parts: Ranks, without: Ranks | None = None) -> Ranks:
        """People together again, in the order of their ranks."""
        there = np.zeros(len(self.f), dtype=np.bool_)
        for people in parts:
            there[people] = True
        if without is not None:
            there[without] = False
        return np.flatnonzero(there)

    def split(self, universe: Ranks, alpha: float, beta: float) -> tuple[Ranks, Ranks, Ranks]:
        """The positive, boundary and negative region: `regions`, by search in what is sorted."""
        first = int(np.searchsorted(universe, self.n_above(alpha, "right")))
        last = int(np.searchsorted(universe, self.n_above(beta, "left")))
        # Where alpha is beta, whoever has just this f is on both sides of it: POS comes first.
        last = max(first, last)
        return universe[:first], universe[first:last], universe[last:]

    def partition(self, thresholds: Sequence[tuple[float, float]]) -> Partition:
        """Classes of units from what was released."""
        region = np.empty(len(self.f), dtype=np.int16)
        low, high = 0, len(self.f)
        for t, (alpha, beta) in enumerate(thresholds):
            first = min(max(low, self.n_above(alpha, "right")), high)
            last = min(max(first, self.n_above(beta, "left")), high)
            region[low:first], region[first:last], region[last:high] = 3 * t, 3 * t + 1, 3 * t + 2
            low, high = first, last
        released, batch, k = map(self._of_units, (self.released, self.batch, self.k))
        return self.way.partition(released, batch, k, self._of_units(region))

    def _of_units(self, by_rank: NDArray[Any]) -> NDArray[Any]:
        out = np.empty_like(by_rank)
        out[self.unit] = by_rank
        return out


@dataclass(frozen=True)
class Step:
    """One granularity level: its k for the sensitive and for the others, and what else holds."""

    t: int
    high: int
    low: int
    asked: Requirements


class MKS3WD(Climbing):
    """The most sensitive are hidden first and deepest, the least sensitive first and lightest."""

    by_levels: ClassVar[bool] = True

    boundary: Literal["protect", "suppress"] = Field(
        "protect",
        description=(
            "whether people undecided at the last level join the sensitive people or are left out"
        ),
    )

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        if any(isinstance(model, MultiLevelK) for model in models):
            return []
        return [
            Problem(
                f"{self.name} needs a multi-level-k requirement, but the plan has none.",
                hint="Add 'multi-level-k: {thresholds: […], levels: […]}' to 'privacy'.",
            )
        ]

    def enforced(self, models: Sequence[Model]) -> list[Model]:
        """What must hold in every class; what a level requires is checked level by level."""
        return [m for m in models if not self.may_miss(m)]

    def takes_counts(self, table: Table, requirements: Requirements) -> bool:
        # What is required besides k is judged row by row.
        return len(requirements.models) == 1 and super().takes_counts(table, requirements)

    def partition(self, task: Task) -> Partition:
        model = task.requirements.find(MultiLevelK)
        assert model is not None
        bench = Bench.of(self.way_up(task.table), task.table.unit_sensitivity())
        universe = np.arange(task.table.n_units)
        for t, (alpha, beta) in enumerate(model.thresholds):
            positive, boundary, negative = bench.split(universe, alpha, beta)
            # The paper leaves out whoever is undecided at the last level; being undecided is no
            # reason to lose somebody, so by default they get its high k.
            if t == len(model.thresholds) - 1 and self.boundary == "protect":
                positive, boundary = bench.union(positive, boundary), boundary[:0]
            step = Step(t, *model.pairs[t], _asked(task.requirements, model, t))
            universe = self.decide(bench, model, step, (positive, boundary, negative))
        return bench.partition(model.thresholds)

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Ranks, Ranks, Ranks]
    ) -> Ranks:
        """Release what can be released at this level; returns the next universe."""
        raise NotImplementedError


class SDMKS3WD(MKS3WD):
    """Secure downscaling: those who cannot be hidden at a level go on to the next, with a lower k.

    Algorithm 1. A person may thus be published with a smaller k than required: `multi-level-k`
    counts these downgrades; with `strict: true` they are repaired.
    """

    name: ClassVar[str] = "sd-mks3wd"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Algorithm 1 (section 4.1)"),)
    limits: ClassVar[str] = "May publish people with a smaller k than they require, but says so."

    def may_miss(self, model: Model) -> bool:
        return isinstance(model, MultiLevelK) and not model.strict

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Ranks, Ranks, Ranks]
    ) -> Ranks:
        positive, boundary, negative = parts
        high = bench.climb(positive, step.high, step.asked)
        low = bench.climb(negative, step.low, step.asked)
        return bench.union(boundary, high, low)


class Extracting(MKS3WD):
    """The undecided complete the groups of the unsafe; those who stay unsafe are suppressed."""

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Ranks, Ranks, Ranks]
    ) -> Ranks:
        positive, boundary, negative = parts
        low = bench.climb(negative, step.low, step.asked)
        unsafe = bench.climb(positive, step.high, step.asked)
        # Algorithms 2 and 3 ask for f >= a_s at some later level s. As a does not rise from level
        # to level, these are the people with f >= a_l.
        offered = bench.split(boundary, model.thresholds[-1][0], 0.0)[0]
        if not len(unsafe) or not len(offered):
            return bench.union(boundary, low)
        groups, chosen = self.take(bench, model, step, unsafe, offered)
        together = np.concatenate([unsafe, offered[chosen]])
        bench.release(together, groups[bench.unit[together]], step.high)
        # The unsafe of POS do not go on, unlike in SD: whoever could not be completed is
        # suppressed.
        return bench.union(boundary, low, without=offered[chosen])

    def take(
        self, bench: Bench, model: MultiLevelK, step: Step, unsafe: Ranks, offered: Ranks
    ) -> Taken:
        """The group of every unit that is released now, and who of those offered was taken."""
        raise NotImplementedError


class SEMKS3WD(Extracting):
    """Sensitivity extraction: the most sensitive of the undecided complete the unsafe groups.

    Algorithm 2, with the search as shown in Example 4. Rows are taken from the boundary one by one,
    the most sensitive first, as long as somebody is unsafe; those who stay unsafe are suppressed.
    """

    name: ClassVar[str] = "se-mks3wd"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Algorithm 2 (section 4.2)"),)
    limits: ClassVar[str] = (
        "Chooses rows by sensitivity alone, whether or not they help, so more people than "
        "necessary can end up suppressed."
    )

    def take(
        self, bench: Bench, model: MultiLevelK, step: Step, unsafe: Ranks, offered: Ranks
    ) -> Taken:
        units = bench.unit[unsafe], bench.unit[offered]
        # Level after level, as the paper takes them, is the order of f, since a does not rise. Its
        # line 26 moves t as well, but in its Example 4 only the search moves.
        return bench.way.take_singly(Offer(*units, step.high, step.asked))


class ECEMKS3WD(Extracting):
    """Equivalence class extraction: whole classes of the undecided complete the unsafe groups.

    Algorithm 3. For every unsafe group, level by level, the undecided people with the same values
    are taken, kind by kind, if that completes it; groups that cannot be completed are suppressed,
    and nobody is taken in vain.
    """

    name: ClassVar[str] = "ece-mks3wd"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Algorithm 3 (section 4.3)"),)
    limits: ClassVar[str] = "Takes whole classes, so classes can be larger than needed."

    def take(
        self, bench: Bench, model: MultiLevelK, step: Step, unsafe: Ranks, offered: Ranks
    ) -> Taken:
        alphas = np.array([a for a, _ in model.thresholds[step.t + 1 :]])
        # The first later level at which f >= a_s: whole sorts are added in this order.
        sort = np.searchsorted(-alphas, -bench.f[offered])
        units = bench.unit[unsafe], bench.unit[offered]
        return bench.way.take_classes(Offer(*units, step.high, step.asked, sort))


def _asked(requirements: Requirements, model: MultiLevelK, t: int) -> Requirements:
    """What every class of a level must hold besides its k."""
    others = [m for m in requirements.models if not isinstance(m, MultiLevelK)]
    return Requirements.of([*others, *model.levels[t].stronger], requirements.table)
