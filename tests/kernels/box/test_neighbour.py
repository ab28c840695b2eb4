"""The nearest and the farthest, against the distances of all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.box.element import boxes_of_people
from shoal.kernels.box.index import build_tree, remove, room_for_index
from shoal.kernels.box.neighbour import (
    distance_of,
    fill_distances,
    find_farthest,
    list_nearest,
    list_spreads,
)
from shoal.kernels.box.space import BILLIONTH, SET
from shoal.table.space import packed_codes
from tests.kernels.box.small import SPACES, lose, plain, spaces, union_of


@pytest.mark.parametrize("name", SPACES)
def test_searches_for_neighbours_find_what_all_distances_say(name: str) -> None:
    for _, table, space in spaces(name, 2):
        codes = packed_codes(table)
        n, d = codes.shape
        boxes = boxes_of_people(codes, np.ones(n, dtype=np.int64))
        matrix = np.zeros((n, n))
        fill_distances(space, codes, matrix)
        for p in range(n):
            for q in range(n):
                pair = codes[[p, q]]
                assert matrix[p, q] == pytest.approx(union_of(space, pair), abs=1e-12)
        ticks = np.rint(matrix * BILLIONTH).astype(np.int64)
        index = room_for_index(n, d)
        build_tree(index, np.arange(n, dtype=np.int32), space, boxes)
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        near, far = np.empty(n, np.int64), np.empty(n, np.int64)
        for q in range(0, n, 5):
            assert distance_of(space, boxes.ends, q, 0) == ticks[q, 0]
            order = sorted((int(ticks[q, e]), e) for e in range(n) if e != q)[:4]
            found = plain(list_nearest)(
                index, space, boxes.ends, q, 4, np.iinfo(np.int64).max, room, near, far
            )
            assert list(zip(far[:found].tolist(), near[:found].tolist(), strict=True)) == order
            farthest = plain(find_farthest)(index, space, boxes.ends, q, room)
            assert farthest == min(range(n), key=lambda e, q=q: (-int(ticks[q, e]), e))


def test_only_those_left_and_near_enough_are_found() -> None:
    for _, table, space in spaces("glm", 4):
        codes = packed_codes(table)
        n, d = codes.shape
        boxes = boxes_of_people(codes, np.ones(n, dtype=np.int64))
        index = room_for_index(n, d)
        build_tree(index, np.arange(n, dtype=np.int32), space, boxes)
        for e in range(1, n, 2):
            remove(index, np.int64(e), boxes)
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        near, far = np.empty(n, np.int64), np.empty(n, np.int64)
        away = {e: int(distance_of(space, boxes.ends, 0, e)) for e in range(2, n, 2)}
        limit = sorted(away.values())[len(away) // 2] if away else 0
        found = plain(list_nearest)(index, space, boxes.ends, 0, n, limit, room, near, far)
        assert set(near[:found].tolist()) <= {e for e, w in away.items() if w <= limit}
        assert {e for e, w in away.items() if w < limit} <= set(near[:found].tolist())
        assert plain(list_nearest)(index, space, boxes.ends, 0, 0, limit, room, near, far) == 0


def test_the_spread_of_a_class_is_that_of_its_ends() -> None:
    """f_DIS of section 3.3 of the graph paper; of a set only whether its values differ."""
    for _, table, space in spaces("f_dis", 0):
        codes = packed_codes(table)
        sets = [codes[i : i + 3] for i in range(0, len(codes), 3)]
        low = np.array([own.min(axis=0) for own in sets], dtype=np.int32)
        high = np.array([own.max(axis=0) for own in sets], dtype=np.int32)
        out = np.empty(len(sets))
        list_spreads(space, low, high, out)
        for own, found in zip(sets, out.tolist(), strict=True):
            want = sum(
                float(len(set(own[:, j].tolist())) > 1)
                if space.form[j] == SET
                else lose(space, j, own[:, j].tolist())
                for j in range(own.shape[1])
            )
            assert found == pytest.approx(want, abs=1e-12)
