"""MKS3WD: personal k by sequential three-way decisions, in three schemes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.errors import Problem
from shoal.method.base import Task
from shoal.method.climb import UNSAFE, Climb, Units
from shoal.method.climbing import Climbing
from shoal.model import Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.partition import Partition
from shoal.sensitivity import first_decisions


@dataclass
class Bench:
    """What the schemes work on: who is released in which group, under which k, in which batch."""

    way: Climb
    f: NDArray[np.float64]
    released: NDArray[np.int32]
    k: NDArray[np.int32]
    batch: NDArray[np.int32]
    n_batches: int = 0

    def release(self, units: Units, groups: NDArray[np.int32], k: int) -> Units:
        """Release the units that have a group; returns those that have none."""
        safe = groups != UNSAFE
        self.released[units[safe]] = groups[safe]
        self.k[units[safe]] = k
        self.batch[units[safe]] = self.n_batches
        self.n_batches += 1
        unsafe: Units = units[~safe]
        return unsafe

    def sorted(self, *parts: Units) -> Units:
        """Units together again, the most sensitive first, ties in table order."""
        units = np.sort(np.concatenate(parts))
        ordered: Units = units[np.argsort(-self.f[units], kind="stable")]
        return ordered


@dataclass(frozen=True)
class Step:
    """One granularity level: its k for the sensitive and for the others, and what else holds."""

    t: int
    high: int
    low: int
    asked: Requirements


class MKS3WD(Climbing):
    """The most sensitive are hidden first and deepest, the least sensitive first and lightest."""

    source: ClassVar[str] = "MKS3WD, section 4"
    order_matters: ClassVar[bool] = True
    levels_apart: ClassVar[bool] = True

    boundary: Literal["protect", "suppress"] = Field(
        "protect",
        description="whether who is undecided at the last level joins the sensitive or is left out",
    )

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        if any(isinstance(model, MultiLevelK) for model in models):
            return []
        return [
            Problem(
                f"{self.name} needs the model multi-level-k, and the plan does not ask for it.",
                hint="Add 'multi-level-k: {thresholds: […], levels: […]}' to 'privacy'.",
            )
        ]

    def partition(self, task: Task) -> Partition:
        model = task.requirements.find(MultiLevelK)
        assert model is not None
        n_units = task.table.n_units
        bench = Bench(
            self.way_up(task.table),
            task.table.unit_sensitivity(),
            np.full(n_units, UNSAFE, dtype=np.int32),
            np.zeros(n_units, dtype=np.int32),
            np.zeros(n_units, dtype=np.int32),
        )
        universe = bench.sorted(np.arange(n_units))
        for t, (alpha, beta) in enumerate(model.thresholds):
            positive, boundary, negative = _split(bench.f, universe, alpha, beta)
            if t == len(model.thresholds) - 1 and self.boundary == "protect":
                positive, boundary = bench.sorted(positive, boundary), boundary[:0]
            step = Step(t, *model.pairs[t], _asked(task.requirements, model, t))
            universe = self.decide(bench, model, step, (positive, boundary, negative))
        return bench.way.partition(
            bench.released, bench.batch, bench.k, _region_names(bench.f, model)
        )

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Units, Units, Units]
    ) -> Units:
        """Release what can be released at this level; returns the next universe."""
        raise NotImplementedError


class SDMKS3WD(MKS3WD):
    """Secure downscaling: who cannot be hidden at a level goes on to the next, under a lower k.

    Algorithm 1. A person may so be published under a smaller k than asked: `multi-level-k` counts
    these downgrades, or has them repaired with `strict: true`.
    """

    name: ClassVar[str] = "sd-mks3wd"
    limits: ClassVar[str] = "May publish people under a smaller k than they ask for, and says so."

    def may_miss(self, model: Model) -> bool:
        return isinstance(model, MultiLevelK) and not model.strict

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Units, Units, Units]
    ) -> Units:
        positive, boundary, negative = parts
        climb = bench.way.climb
        high = bench.release(positive, climb(positive, step.high, step.asked), step.high)
        low = bench.release(negative, climb(negative, step.low, step.asked), step.low)
        return bench.sorted(boundary, high, low)


class SEMKS3WD(MKS3WD):
    """Sensitivity extraction: the most sensitive of the undecided complete the unsafe groups.

    Algorithm 2, its search as Example 4 shows it. Rows are taken from the boundary one by one, the
    most sensitive first, as long as somebody is unsafe; who stays unsafe is suppressed.
    """

    name: ClassVar[str] = "se-mks3wd"
    limits: ClassVar[str] = (
        "Takes rows by sensitivity alone, whether or not they help, so that more people than "
        "needed can end up suppressed."
    )

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Units, Units, Units]
    ) -> Units:
        positive, boundary, negative = parts
        climb = bench.way.climb
        low = bench.release(negative, climb(negative, step.low, step.asked), step.low)
        unsafe = bench.release(positive, climb(positive, step.high, step.asked), step.high)
        offered = boundary[bench.f[boundary] >= model.thresholds[-1][0]]
        if not len(unsafe) or not len(offered):
            return bench.sorted(boundary, low)
        groups, taken = bench.way.take_singly(unsafe, offered, step.high, step.asked)
        together = np.concatenate([unsafe, offered[taken]])
        bench.release(together, groups[together], step.high)
        left = np.setdiff1d(boundary, offered[taken], assume_unique=True)
        return bench.sorted(left, low)


class ECEMKS3WD(MKS3WD):
    """Equivalence class extraction: whole classes of the undecided complete the unsafe groups.

    Algorithm 3. For every unsafe group, level by level, the undecided people with the same values
    are taken if that completes it, sort by sort; who cannot be completed is suppressed, and nobody
    is taken in vain.
    """

    name: ClassVar[str] = "ece-mks3wd"
    limits: ClassVar[str] = "Takes whole classes, so that classes can be larger than needed."

    def decide(
        self, bench: Bench, model: MultiLevelK, step: Step, parts: tuple[Units, Units, Units]
    ) -> Units:
        positive, boundary, negative = parts
        climb = bench.way.climb
        low = bench.release(negative, climb(negative, step.low, step.asked), step.low)
        unsafe = bench.release(positive, climb(positive, step.high, step.asked), step.high)
        offered = boundary[bench.f[boundary] >= model.thresholds[-1][0]]
        if not len(unsafe) or not len(offered):
            return bench.sorted(boundary, low)
        alphas = np.array([a for a, _ in model.thresholds[step.t + 1 :]])
        rank = np.searchsorted(-alphas, -bench.f[offered])
        groups, taken = bench.way.take_classes(unsafe, offered, rank, step.high, step.asked)
        together = np.concatenate([unsafe, offered[taken]])
        bench.release(together, groups[together], step.high)
        left = np.setdiff1d(boundary, offered[taken], assume_unique=True)
        return bench.sorted(left, low)


def _split(
    f: NDArray[np.float64], universe: Units, alpha: float, beta: float
) -> tuple[Units, Units, Units]:
    positive = f[universe] >= alpha
    negative = (f[universe] <= beta) & ~positive
    return universe[positive], universe[~(positive | negative)], universe[negative]


def _asked(requirements: Requirements, model: MultiLevelK, t: int) -> Requirements:
    """What every class of a level must hold beside its k."""
    others = [m for m in requirements.models if not isinstance(m, MultiLevelK)]
    return Requirements.of([*others, *model.levels[t].stronger], requirements.table)


def _region_names(f: NDArray[np.float64], model: MultiLevelK) -> NDArray[np.str_]:
    """The region and level of everyone's first decision, such as POS1."""
    level, positive, negative = first_decisions(f, model.thresholds)
    region = np.where(positive, "POS", np.where(negative, "NEG", "BND"))
    return np.char.add(region, (level + 1).astype(np.str_))
