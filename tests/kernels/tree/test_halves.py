"""Bisecting: seeds that are far apart, sides that are filled up, and classes of the right size."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.box.neighbour import distance_of
from shoal.kernels.tree.halves import find_seeds, halve, make_room, move_over
from shoal.table.space import packed_codes
from tests.kernels.box.small import spaces, union_of


def test_each_seed_is_the_farthest_from_the_other_found_before() -> None:
    for _, table, space in spaces("ncp", 0):
        codes = packed_codes(table)
        n = len(codes)
        if n < 2:
            continue
        some = np.random.default_rng(n).permutation(n).astype(np.int32)
        one, other, apart = find_seeds(space, codes, some)
        away = {p: int(distance_of(space, codes, one, p)) for p in range(n) if p != one}
        assert apart == away[other] == max(away.values())
        assert other == min(p for p, w in away.items() if w == apart)
        first = max(int(distance_of(space, codes, some[0], p)) for p in range(n))
        assert apart >= first


@pytest.mark.parametrize("short", [True, False])
def test_the_short_side_is_filled_up_to_half_by_those_nearest_to_its_seed(short: bool) -> None:
    for _, table, space in spaces("ncp", 1):
        codes = packed_codes(table)
        n = len(codes)
        if n < 6:
            continue
        some = np.random.default_rng(n).permutation(n).astype(np.int32)
        seeds = np.int64(some[0]), np.int64(some[1])
        first = np.full(n, not short)
        first[0 if short else 1] = short
        keys = np.empty(n, np.int64)
        order = np.empty(n, np.int32)
        move_over(space, codes, some, seeds, first, short, keys, order)
        near, away = seeds if short else seeds[::-1]
        moved = set(some[first == short].tolist())
        assert len(moved) == n // 2
        assert near in moved
        assert away not in moved

        def key(p: int, near: int = near, away: int = away) -> tuple[int, int]:
            one, other = (int(distance_of(space, codes, p, q)) for q in (near, away))  # noqa: B023
            return one - other, p

        rest = set(range(n)) - {int(near), int(away)}
        assert moved == {int(near), *sorted(rest, key=key)[: n // 2 - 1]}


@pytest.mark.parametrize("balanced", [True, False])
def test_classes_have_the_least_size_and_no_more_than_must_be(balanced: bool) -> None:
    for _, table, space in spaces("ncp", 2):
        codes = packed_codes(table)
        n = len(codes)
        units = np.random.default_rng(n).permutation(n).astype(np.int32)
        starts, least = np.zeros(n, np.uint8), np.int64(2)
        room = make_room(codes, int(space.start[-1]))
        halve(space, units, least, np.bool_(balanced), room, starts)
        assert sorted(units.tolist()) == list(range(n))
        assert starts[0] == 1
        for own in np.split(units, np.flatnonzero(starts)[1:]):
            assert len(own) >= min(least, n)
            if balanced and len(own) >= 2 * least:
                assert union_of(space, codes[own]) == 0
