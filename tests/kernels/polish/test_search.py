"""Who is near, against the union of members by the one definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from shoal.kernels.polish import search
from shoal.kernels.polish.group import NOBODY
from tests.kernels.box.small import plain, union_of
from tests.kernels.polish.small import Boxes, boxes, every_form

__all__ = ["boxes"]


@every_form
def test_near_classes_are_those_whose_unions_lose_least(boxes: Iterator[Boxes]) -> None:
    for metric, groups, units, numbers, _ in boxes:
        members = [units.codes[part] for part in numbers]
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


@every_form
def test_the_next_of_a_pool_is_whose_union_loses_least_or_most(boxes: Iterator[Boxes]) -> None:
    for metric, groups, units, numbers, pool in boxes:
        members = [units.codes[part] for part in numbers]
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


@every_form
def test_a_home_is_where_the_union_adds_least(boxes: Iterator[Boxes]) -> None:
    for metric, groups, units, numbers, pool in boxes:
        members = [units.codes[part] for part in numbers]
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


def test_chance_is_the_sequence_of_its_state() -> None:
    # Marsaglia's xorshift with the shifts 13, 7 and 17; the first 53 bits of each number.
    state, x = np.array([88172645463325252], dtype=np.uint64), 88172645463325252
    for _ in range(20):
        x ^= (x << 13) % 2**64
        x ^= x >> 7
        x ^= (x << 17) % 2**64
        assert plain(search.draw)(state) == x >> 11
        assert int(state[0]) == x
