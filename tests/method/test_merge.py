"""Classes that take in their nearest, against the definition of infoloss."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.method.merge import Merging, by_first_unit
from shoal.table.partition import SUPPRESSED, Partition
from shoal.table.space import packed_codes, space_of
from tests.cases import Case, as_field, random_case, task_of
from tests.kernels.box.small import union_of


def test_classes_are_numbered_by_their_first_units() -> None:
    labels = np.array([2, SUPPRESSED, 0, 2, 1, 0], dtype=np.int32)
    found = by_first_unit(Partition(labels, 3))
    assert found.unit_class.tolist() == [0, SUPPRESSED, 1, 0, 2, 1]
    assert found.n_classes == 3
    backwards = by_first_unit(Partition(labels, 3), np.arange(6)[::-1])
    assert backwards.unit_class.tolist() == [2, SUPPRESSED, 0, 2, 1, 0]


def _scattered(n_units: int, n_classes: int) -> Partition:
    n_classes = min(n_classes, n_units)
    return Partition((np.arange(n_units) % n_classes).astype(np.int32), n_classes)


@pytest.mark.parametrize("seed", range(30))
def test_a_class_takes_in_what_adds_least(seed: int) -> None:
    case = random_case(seed, most_rows=20)
    task = task_of(case)
    codes, space = packed_codes(task.table), space_of(task.table.quasi, "infoloss")
    merging = Merging(task.table, task.requirements, _scattered(len(codes), 5))
    before = merging.unit_class()
    parts = {c: codes[before == c] for c in set(before.tolist())}

    def lost(points: np.ndarray) -> float:
        return len(points) * union_of(space, points)

    added = {
        c: lost(np.vstack([parts[0], own])) - lost(parts[0]) - lost(own)
        for c, own in parts.items()
        if c
    }
    kept = merging.take_in_nearest(0)
    after = merging.unit_class()
    if not added:
        assert kept is None
        return
    assert kept == 0
    [gone] = set(before.tolist()) - set(after.tolist())
    assert added[gone] == pytest.approx(min(added.values()), abs=1e-9)
    assert merging.n_classes == len(parts) - 1
    assert (after == np.where(before == gone, 0, before)).all()


@pytest.mark.parametrize("seed", range(30))
def test_whatever_can_hold_does_after_mending(seed: int) -> None:
    case = random_case(seed, most_rows=30)
    task = task_of(case)
    if not case.holds(range(len(case.units))):
        return
    merging = Merging(task.table, task.requirements, _scattered(len(case.units), 8))
    merging.mend()
    assert not task.requirements.failing(merging.finished()).any()


def test_the_merged_class_has_the_number_of_the_earlier() -> None:
    kind = {"kind": "numeric"}
    quasi = as_field("q", kind, [str(n) for n in (0, 50, 1, 100)])
    case = Case({"q": quasi}, {"q": {"role": "quasi", **kind}}, [{"k-anonymity": {"k": 2}}])
    task = task_of(case)
    merging = Merging(task.table, task.requirements, _scattered(4, 4))
    assert merging.take_in_nearest(2) == 0
    assert merging.unit_class().tolist() == [0, 1, 0, 3]
