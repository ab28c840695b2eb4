"""Classes after many steps: whole, valid, and as tight as what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.kernels.polish.step import polish_groups
from shoal.method.base import Task
from shoal.method.polish import _room, _Work
from shoal.model.requirement import Requirements
from shoal.table import Table, encode
from shoal.table.partition import Partition
from tests.method.test_polish import BARE, ROLES, table


# Digests wrap around, which numpy warns of with the compiler off.
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("bare", [False, True])
@pytest.mark.parametrize("k", [2, 4])
def test_what_is_kept_of_classes_is_what_their_members_say(bare: bool, k: int) -> None:
    plan = {"attributes": BARE if bare else ROLES, "privacy": [{"k-anonymity": {"k": k}}]}
    read = shoal.Plan.of(plan)
    coded = encode(table(3), read.schema)
    n = coded.n_units
    order = np.random.default_rng(k).permutation(n)
    unit_class = np.empty(n, dtype=np.int32)
    unit_class[order] = np.minimum(np.arange(n) // k, n // k - 1)
    partition = Partition(unit_class, n // k)
    work = _Work(Task(coded, Requirements.of(read.models, coded), 1), partition)
    groups = _room(work.metric, n, n + 400, n // k)
    own, chosen = unit_class.astype(np.int64), np.arange(n)
    state = np.array([12345], dtype=np.uint64)
    before = after = 0.0
    for steps in (0, 60, 200):
        groups.number[0] = own.max() + 1
        gained = polish_groups(
            work.metric, work.units, groups, chosen, steps, k, False, None, state, own
        )
        m = int(groups.number[0])
        assert sorted(np.unique(own)) == list(range(m))
        sizes = np.bincount(own)
        assert sizes.min() >= k
        after = 0.0
        for c in range(m):
            codes = work.units.codes[own == c]
            assert (groups.low[c] == codes.min(axis=0)).all()
            assert (groups.high[c] == codes.max(axis=0)).all()
            assert groups.size[c] == len(codes)
            after += groups.lost[c] * len(codes)
        assert after == pytest.approx(_loss(coded, own), abs=1e-9)
        if steps:
            assert before - after == pytest.approx(gained, abs=1e-6)
        before = after


def _loss(coded: Table, own: np.ndarray) -> float:
    from shoal.measure import View
    from shoal.measure.loss import GLM
    from shoal.recode import generalise

    partition = Partition(own.astype(np.int32), int(own.max()) + 1)
    sums = GLM().summarise(View(coded, partition, generalise(coded, partition)))
    return float(sums[0])
