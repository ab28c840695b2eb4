"""Classes after many steps: whole, valid, and as tight as what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.kernels.polish import group, search
from shoal.kernels.polish.group import NOBODY, Groups, Metric, Units
from shoal.kernels.polish.step import polish_groups
from shoal.method.base import Task
from shoal.method.polish import _metric_of, _room, _Work
from shoal.model.requirement import Requirements
from shoal.table import Table, encode
from shoal.table.partition import Partition
from shoal.table.space import packed_codes
from tests.kernels.box.small import plain, spaces, union_of
from tests.method.test_polish import BARE, ROLES, table

# What the kernels of a module call, by the module that names it.
CALLED = {
    group: ("clear_group", "count_bits", "join", "lose_group"),
    search: ("count_bits",),
}


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


Boxes = tuple[Metric, Groups, Units, list[np.ndarray], np.ndarray]


@pytest.fixture
def boxes(monkeypatch: pytest.MonkeyPatch, tabled: int, objective: str) -> Iterator[Boxes]:
    """Random classes of all forms, and the codes of members of each and of people in none.

    Kernels run as Python, in which chance shifts nothing.
    """
    monkeypatch.setattr("shoal.method.polish._TABLED", tabled)
    monkeypatch.setattr(search, "draw", lambda _: 2**52)
    for module, names in CALLED.items():
        for name in names:
            monkeypatch.setattr(module, name, plain(getattr(module, name)))
    return _boxes(objective)


def _boxes(objective: str) -> Iterator[Boxes]:
    for _, coded, space in spaces(objective, 0):
        codes = packed_codes(coded)
        n = len(codes)
        n_in, n_classes = n - n // 4, max(n // 4, 1)
        metric = _metric_of(coded, objective)
        units = Units(codes, 1.0 + np.arange(n) % 3, np.zeros(n, dtype=np.int64))
        groups = _room(metric, n, n_classes + 2, n_classes)
        own = np.arange(n, dtype=np.int64) % n_classes
        plain(group.fill_groups)(metric, units, np.arange(n_in), own, groups)
        members = [codes[:n_in][own[:n_in] == c] for c in range(n_classes)]
        lost = [union_of(space, part) for part in members]
        assert groups.lost[:n_classes].tolist() == pytest.approx(lost, abs=1e-12)
        yield metric, groups, units, members, np.arange(n_in, n)


EVERY_FORM = [
    pytest.mark.parametrize("objective", ["glm", "ncp", "infoloss"]),
    # Small trees as tables of pairs, and none.
    pytest.mark.parametrize("tabled", [1_000, 0]),
]


def _every_form(test: Any) -> Any:
    for mark in EVERY_FORM:
        test = mark(test)
    return test


@_every_form
def test_near_classes_are_those_whose_unions_lose_least(boxes: Iterator[Boxes]) -> None:
    for metric, groups, _, members, _ in boxes:
        m = len(members)
        near, score = np.empty(m, dtype=np.int64), np.empty(m)
        for c, own in enumerate(members):
            n = plain(search.list_near)(metric, groups, c, m, None, near, score)
            want = {
                other: union_of(metric.space, np.vstack([own, part]))
                - union_of(metric.space, part) / 2
                for other, part in enumerate(members)
                if other != c
            }
            assert sorted(near[:n].tolist()) == sorted(want)
            assert score[:n].tolist() == pytest.approx([want[i] for i in near[:n]], abs=1e-12)
            assert score[:n].tolist() == sorted(score[:n])


@_every_form
def test_the_next_of_a_pool_is_whose_union_loses_least_or_most(boxes: Iterator[Boxes]) -> None:
    for metric, groups, units, members, pool in boxes:
        n, growth = len(pool), np.empty(1)
        for c, own in enumerate(members):
            codes = units.codes
            want = [union_of(metric.space, np.vstack([own, codes[u : u + 1]])) for u in pool]
            for farthest in (False, True):
                used, least = np.zeros(n, dtype=np.bool_), np.zeros(n)
                found = plain(search.pick_next)(
                    metric, groups, c, pool, n, used, codes, farthest, growth, least
                )
                if not n:
                    assert found == NOBODY
                    continue
                best = -max(want) if farthest else min(want)
                assert growth[0] == pytest.approx(best, abs=1e-12)
                assert want[found] == pytest.approx(abs(best), abs=1e-12)


@_every_form
def test_a_home_is_where_the_union_adds_least(boxes: Iterator[Boxes]) -> None:
    for metric, groups, units, members, pool in boxes:
        m, added = len(members), np.empty(1)
        for u in pool.tolist():
            point, rows = units.codes[u : u + 1], units.rows[u]
            for besides in (NOBODY, 0):
                want = {
                    c: union_of(metric.space, np.vstack([own, point])) * (groups.rows[c] + rows)
                    - union_of(metric.space, own) * groups.rows[c]
                    for c, own in enumerate(members)
                    if c != besides
                }
                found = plain(search.find_home)(
                    metric, units, groups, 0, m, besides, u, False, added
                )
                assert (found == NOBODY) == (not want)
                if want:
                    assert added[0] == pytest.approx(min(want.values()), abs=1e-9)
                    assert want[found] == pytest.approx(added[0], abs=1e-9)
