"""Stronger requirements of levels, in the classes with somebody of the level."""

from __future__ import annotations

import numpy as np

from shoal.method.level import LevelRequirements
from shoal.model import KAnonymity, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.table.partition import SUPPRESSED, Partition
from tests.model.small import table_of

DIVERSE = {"l-diversity": {"l": 2}}
MODEL = MultiLevelK(
    thresholds=[(0.9, 0.1), (0.6, 0.5)],  # type: ignore[arg-type]
    levels=[{"k": (5, 1), **DIVERSE}, (4, 2)],  # type: ignore[arg-type]
)


def test_a_level_is_judged_where_somebody_of_it_is() -> None:
    """Classes {a, a} under k = 2, the same with one under k = 1, and {a, b} with one of each."""
    table = table_of("aaaaab" + "a", sensitivities=[0.5] * 7)
    requirements = Requirements.of([KAnonymity(k=1)], table, [MODEL])
    unit_class = np.array([0, 0, 1, 1, 2, 2, SUPPRESSED], dtype=np.int32)
    k = np.array([2, 2, 1, 2, 1, 2, 1], dtype=np.int32)
    partition = Partition(unit_class, 3, k=k)
    levels = LevelRequirements.of(requirements, partition)
    assert levels.failing(partition).tolist() == [False, True, False]
    assert not levels.required(np.array([2, 3], dtype=np.int32)).holds(np.array([2, 3], np.int32))
    assert levels.required(np.array([0, 1], dtype=np.int32)).holds(np.array([0, 1], np.int32))


def test_without_a_k_of_release_there_are_no_levels() -> None:
    table = table_of("aab", sensitivities=[0.5] * 3)
    requirements = Requirements.of([KAnonymity(k=2)], table, [MODEL])
    partition = Partition(np.array([0, 0, 1], dtype=np.int32), 2)
    levels = LevelRequirements.of(requirements, partition)
    assert levels.stronger == ()
    assert levels.required(np.array([0], dtype=np.int32)) is requirements
    assert levels.failing(partition).tolist() == [False, True]


def test_there_may_be_more_levels_than_an_integer_has_bits() -> None:
    """Level t has the pair (200 - t, t + 1); only the last, k 130 and 71, requires two values."""
    thresholds = [(1 - t / 150, t / 150) for t in range(71)]
    levels = [{"k": (200 - t, t + 1), "l-diversity": {"l": 1 + (t == 70)}} for t in range(71)]
    model = MultiLevelK(thresholds=thresholds, levels=levels)  # type: ignore[arg-type]
    table = table_of("aaaaab", sensitivities=[0.5] * 6)
    requirements = Requirements.of([KAnonymity(k=1)], table, [model])
    unit_class = np.array([0, 0, 1, 1, 2, 2], dtype=np.int32)
    k = np.array([71, 1, 70, 1, 71, 1], dtype=np.int32)
    partition = Partition(unit_class, 3, k=k)
    found = LevelRequirements.of(requirements, partition)
    assert found.failing(partition).tolist() == [True, False, False]
    first, last = np.array([0, 1], dtype=np.int32), np.array([4, 5], dtype=np.int32)
    assert not found.required(first).holds(first)
    assert found.required(last).holds(last)
