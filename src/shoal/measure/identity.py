"""What identity-reserved releases cost, and which of their classes stay open to reasoning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.measure.loss import GLM
from shoal.model import EIRAlphaBeta, EIRl, IRAlphaBeta, IRkl, Model
from shoal.model.requirement import Requirements
from shoal.table.partition import SUPPRESSED, Partition, class_members


class NLoss(GLM):
    """Mean loss of a cell by set generalisation: range/domain or (|V| - 1)/(|X| - 1).

    Eq. 15 of identity-reserved anonymity, over the rows that are left once the repeated rows of a
    person are merged; a suppressed row loses 1 per quasi-identifier.
    """

    name: ClassVar[str] = "nloss"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "eq. 11 to 15"),)
    limits: ClassVar[str] = (
        "Counts values, not how often they occur. The same as glm, for tables of people."
    )

    def applies(self, view: View) -> bool:
        return view.table.people is not None


class Vulnerable(Measure):
    """The share of classes that satisfy the required IR model, but not its EIR counterpart.

    In such a class everybody may share a value although it looks diverse. The counterpart of ir-kl
    is eir-l, that of ir-alpha-beta is eir-alpha-beta. If the plan requires EIR, v is 0.
    """

    name: ClassVar[str] = "v"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "sections 5 and 5.1"),)
    limits: ClassVar[str] = "Counts classes, not the people in them."
    unit: ClassVar[str] = "share of classes"

    def applies(self, view: View) -> bool:
        return bool(_pairs(view.models))

    def classes(self, view: View) -> Partition:
        """The classes that are counted: those that a reader sees."""
        return _as_published(view)

    def summarise(self, view: View) -> NDArray[np.float64]:
        starts, units = class_members(self.classes(view))
        open_ = np.zeros(len(starts) - 1, dtype=np.bool_)
        for weak, strong in _pairs(view.models):
            misses_weak, misses_strong = (
                Requirements.of([model], view.table).misses(starts, units)
                for model in (weak, strong)
            )
            open_ |= ~misses_weak & misses_strong
        return np.array([np.count_nonzero(open_), len(open_)], dtype=np.float64)


class VulnerableClusters(Vulnerable):
    """The same as v, but over the classes that the method formed, as the paper's Fig. 2b counts.

    Several of them may publish the same values, and are one class to a reader.
    """

    name: ClassVar[str] = "v-clusters"
    part_of: ClassVar[str] = "v"
    limits: ClassVar[str] = "A reader cannot tell classes apart that publish the same values."

    def classes(self, view: View) -> Partition:
        return view.partition


def _as_published(view: View) -> Partition:
    """Classes as a reader sees them: those with the same published values are one."""
    kept = view.partition.unit_class != SUPPRESSED
    unit_class = np.full(len(kept), SUPPRESSED, dtype=np.int32)
    unit_class[kept] = view.published_class[view.partition.unit_class[kept]]
    return Partition(unit_class, view.n_published)


def _pairs(models: Sequence[Model]) -> list[tuple[Model, Model]]:
    """The IR models that are required or implied, each with its EIR counterpart."""
    pairs: list[tuple[Model, Model]] = []
    for model in models:
        match model:
            case IRkl():
                pairs.append((model, EIRl(l=model.l, attribute=model.attribute)))
            case EIRl():
                # l values in every reasoning set take l people with l values between them.
                weak = IRkl(k=model.l, l=model.l, attribute=model.attribute)
                pairs.append((weak, model))
            case IRAlphaBeta():
                pairs.append((model, EIRAlphaBeta(**model.parameters())))
            case EIRAlphaBeta():
                pairs.append((IRAlphaBeta(**model.parameters()), model))
    return pairs
