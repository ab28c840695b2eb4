"""What levels of multi-level-k require besides k, of the classes with somebody of the level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.model import Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.table.partition import Partition, class_members


@dataclass(frozen=True)
class LevelRequirements:
    """The stronger requirements of levels, and the levels of every unit as bits.

    A unit is of the level under whose k the method released it. A level's requirements hold in
    every class with a unit of it, even where that shares its class with units of other levels.
    """

    requirements: Requirements
    stronger: tuple[tuple[Model, ...], ...] = ()
    of_unit: NDArray[Any] = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    known: dict[int, Requirements] = field(default_factory=dict)

    @classmethod
    def of(cls, requirements: Requirements, partition: Partition) -> LevelRequirements:
        """The levels by which a method released; none, where it did not say under which k."""
        if partition.k is None:
            return cls(requirements)
        models = [m for m in requirements.models if isinstance(m, MultiLevelK)]
        levels = [level for m in models for level in m.levels if level.stronger]
        # Python's own integers, where there are more levels than an int64 has bits.
        dtype: type[Any] = np.int64 if len(levels) < 64 else np.object_
        of_unit = np.zeros(len(partition.unit_class), dtype=dtype)
        for i, level in enumerate(levels):
            # HK falls and LK rises from level to level, and the last HK is above the last LK. So no
            # k occurs twice, and the k says which level released a unit.
            chosen = np.isin(partition.k, level.k)
            of_unit[chosen] = of_unit[chosen] | 1 << i
        return cls(requirements, tuple(level.stronger for level in levels), of_unit)

    def required(self, units: NDArray[np.int32]) -> Requirements:
        """All that a class of these units must meet."""
        if not self.stronger:
            return self.requirements
        return self._together(int(np.bitwise_or.reduce(self.of_unit[units])))

    def _together(self, bits: int) -> Requirements:
        """What is required where these levels meet."""
        if bits not in self.known:
            more = [m for i, models in enumerate(self.stronger) if bits >> i & 1 for m in models]
            self.known[bits] = self.requirements.together_with(more)
        return self.known[bits]

    def failing(self, partition: Partition) -> NDArray[np.bool_]:
        """Which classes miss what is required of them."""
        if not self.stronger:
            return self.requirements.failing(partition)
        starts, units = class_members(partition)
        bits = np.bitwise_or.reduceat(self.of_unit[units], starts[:-1])
        failing = np.zeros(partition.n_classes, dtype=np.bool_)
        for met in np.unique(bits).tolist():
            # The last entry is for units in no class, whose class is -1.
            of_class = np.append(np.where(bits == met, np.cumsum(bits == met) - 1, -1), -1)
            apart = of_class[partition.unit_class].astype(np.int32)
            alike = Partition(apart, int(np.count_nonzero(bits == met)))
            failing[bits == met] = self._together(met).failing(alike)
        return failing
