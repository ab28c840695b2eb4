"""What climbing cost: suppression, generalisation, and who was changed (MKS3WD, section 5)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.table.partition import COVER, SUPPRESSED


def _levels(view: View) -> NDArray[np.int64]:
    """The level (from 1) of every unit, 0 if suppressed, the highest if its class was repaired."""
    partition = view.partition
    assert partition.level is not None
    level = np.where(partition.unit_class == SUPPRESSED, 0, partition.level).astype(np.int64)
    if partition.heights is not None:
        covered = np.append((partition.heights == COVER).any(axis=1), False)
        level[covered[partition.unit_class]] = _tallest(view)
    return level


def _tallest(view: View) -> int:
    return max((d.tree.height for d in view.table.quasi if d.tree is not None), default=1)


class _LadderMeasure(Measure):
    """A measure of methods that release at levels."""

    def applies(self, view: View) -> bool:
        return view.partition.level is not None


class ISR(_LadderMeasure):
    """Information suppression rate: the share of people who are not published."""

    name: ClassVar[str] = "isr"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Definition 11"),)
    limits: ClassVar[str] = "Says how many are left out, not who."

    def summarise(self, view: View) -> NDArray[np.float64]:
        units = view.partition.unit_class
        return np.array([np.count_nonzero(units == SUPPRESSED), len(units)], dtype=np.float64)


class IGR(_LadderMeasure):
    """Information generalisation rate: the mean level of those published / the height m.

    The sum over levels i of i |S_i| / (m |T'|); 1 if nobody is published. Repaired classes count as
    level m.
    """

    name: ClassVar[str] = "igr"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Definition 12"),)
    limits: ClassVar[str] = (
        "Counts all levels alike, whatever they lose; it is 1/m even if nothing is changed."
    )

    def summarise(self, view: View) -> NDArray[np.float64]:
        level = _levels(view)
        return np.array([level.sum(), _tallest(view) * np.count_nonzero(level)], dtype=np.float64)

    def finish(self, sums: NDArray[np.float64]) -> float:
        return float(sums[0] / sums[1]) if sums[1] else 1.0


class ILR(_LadderMeasure):
    """Information loss rate: suppression plus generalisation, ISR + IGR."""

    name: ClassVar[str] = "ilr"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "Definition 13"),)
    limits: ClassVar[str] = "Adds two shares of different things, so it lies between 1/m and 2."

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.concatenate([ISR().summarise(view), IGR().summarise(view)])

    def finish(self, sums: NDArray[np.float64]) -> float:
        return ISR().finish(sums[:2]) + IGR().finish(sums[2:])


class F1(_LadderMeasure):
    """Whether those who needed a change were changed, and nobody else: the F1 of the decision.

    A person needs anonymising if their class at level 1 in the whole table is smaller than the k
    required for them. If they are published in a class of that k, that is a true positive; if not,
    a false negative. Somebody changed or left out without need is a false positive.
    """

    name: ClassVar[str] = "f1"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "section 5.6, eq. 21"),)
    unit: ClassVar[str] = "score, 1 is best"
    limits: ClassVar[str] = "Counts people, not how much they lose."

    def applies(self, view: View) -> bool:
        return super().applies(view) and view.required_k is not None

    def summarise(self, view: View) -> NDArray[np.float64]:
        assert view.required_k is not None
        unit_class = view.partition.unit_class
        needs = view.sizes_at_level_1 < view.required_k
        size = np.append(view.published_sizes, 0)[unit_class]
        served = size >= view.required_k
        # Whoever is suppressed is at level 0, which counts as a change too.
        changed = _levels(view) != 1
        true = np.count_nonzero(needs & served)
        missed = np.count_nonzero(needs & ~served)
        vain = np.count_nonzero(~needs & changed)
        return np.array([true, missed, vain], dtype=np.float64)

    def finish(self, sums: NDArray[np.float64]) -> float:
        true, missed, vain = sums
        return float(2 * true / (2 * true + missed + vain)) if sums.any() else 1.0


class Precision(F1):
    """The share who needed a change among the people who were served or changed in vain.

    TP/(TP + FP), counted as in f1; 1 if there are none.
    """

    name: ClassVar[str] = "precision"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "section 5.6, eq. 19"),)
    part_of: ClassVar[str] = "f1"

    def finish(self, sums: NDArray[np.float64]) -> float:
        true, _, vain = sums
        return float(true / (true + vain)) if true + vain else 1.0


class Recall(F1):
    """The share who were served among the people who needed a change.

    TP/(TP + FN), counted as in f1; 1 if nobody needed it.
    """

    name: ClassVar[str] = "recall"
    cite: ClassVar[papers.Citations] = (papers.cite("mks3wd", "section 5.6, eq. 20"),)
    part_of: ClassVar[str] = "f1"

    def finish(self, sums: NDArray[np.float64]) -> float:
        true, missed, _ = sums
        return float(true / (true + missed)) if true + missed else 1.0
