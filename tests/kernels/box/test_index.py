"""The tree over elements: what it finds and what it knows, against a look at all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.box.element import distance, empty_class, room_to_grow, take_in
from shoal.kernels.box.index import (
    COUNT,
    ENDS,
    FIRST,
    MAX_HIGH,
    MAX_LOW,
    MIN_HIGH,
    NOBODY,
    ROWS,
    build_tree,
    find_nearest,
    insert,
    new_leaf,
    remove,
    room_for_index,
)
from tests.kernels.box.small import elements, plain, spaces


def _index(boxes: Any, space: Any, built: bool) -> Any:
    """A tree over all elements, built at once or by inserting one after the other."""
    n = len(boxes.ends)
    index = room_for_index(n, len(space.form))
    if built:
        build_tree(index, np.arange(n, dtype=np.int32), space, boxes)
        return index
    new_leaf(index, np.int64(NOBODY))
    for e in range(n):
        insert(index, np.int64(e), space, boxes)
    return index


@pytest.mark.parametrize(("grown", "built"), [(False, True), (False, False), (True, False)])
@pytest.mark.parametrize("name", ["glm", "ncp", "infoloss"])
def test_the_nearest_is_that_of_a_look_at_all(name: str, grown: bool, built: bool) -> None:
    """People stand in a tree from the start, classes come one after the other."""
    for _, table, space in spaces(name, 1):
        boxes, sets, codes, members, _ = elements(table, space, grown)
        n = len(members)
        index = _index(boxes, space, built)
        growing = room_to_grow(int(space.start[-1]), len(space.form))
        empty_class(growing, space)
        for e in range(0, n, 4):
            take_in(growing, space, boxes, np.int64(e), sets, codes)
            remove(index, np.int64(e), boxes)
        want = {
            e: float(distance(growing, space, boxes, np.int64(e), sets, codes))
            for e in range(n)
            if e % 4
        }
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        search = plain(find_nearest)
        away, nearest, following = search(
            index, growing, space, boxes, sets, codes, room, np.inf, False
        )
        if not want:
            assert (away, nearest) == (np.inf, NOBODY)
            continue
        assert away == pytest.approx(min(want.values()), abs=1e-9)
        assert want[nearest] == pytest.approx(away, abs=1e-9)
        others = [w for e, w in want.items() if e != nearest]
        assert following <= min(others, default=np.inf) + 1e-9
        _, first, _ = search(index, growing, space, boxes, sets, codes, room, away + 1e-9, True)
        assert first == min(e for e, w in want.items() if w <= away + 1e-9)
        if away > 0:
            limit = away / 2
            found = search(index, growing, space, boxes, sets, codes, room, limit, False)
            assert found[:2] == (np.inf, NOBODY)


@pytest.mark.parametrize("name", ["glm", "infoloss"])
def test_what_is_inserted_after_building_is_found(name: str) -> None:
    """Also in a leaf whose elements were all equal, and with a key like theirs."""
    for _, table, space in spaces(name, 3):
        boxes, sets, codes, members, _ = elements(table, space, grown=False)
        n, d = len(members), len(space.form)
        # The first half are copies of one element, the others come later.
        half = n // 2
        boxes.ends[:half], boxes.loss[:half] = boxes.ends[0], boxes.loss[0]
        index = room_for_index(n, d)
        build_tree(index, np.arange(half, dtype=np.int32), space, boxes)
        for e in range(half, n):
            insert(index, np.int64(e), space, boxes)
        growing = room_to_grow(int(space.start[-1]), d)
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        for e in range(half, n):
            empty_class(growing, space)
            take_in(growing, space, boxes, np.int64(e), sets, codes)
            want = [
                float(distance(growing, space, boxes, np.int64(o), sets, codes)) for o in range(n)
            ]
            found = plain(find_nearest)(
                index, growing, space, boxes, sets, codes, room, np.inf, False
            )
            assert found[0] == pytest.approx(min(want), abs=1e-9)
            _, first, _ = plain(find_nearest)(
                index, growing, space, boxes, sets, codes, room, min(want) + 1e-9, True
            )
            assert first == min(o for o, w in enumerate(want) if w <= min(want) + 1e-9)


@pytest.mark.parametrize("built", [True, False])
def test_the_root_bounds_whoever_is_left(built: bool) -> None:
    for _, table, space in spaces("glm", 2):
        boxes, *_ = elements(table, space, grown=False)
        n, d = boxes.ends.shape[0], len(space.form)
        index, left = _index(boxes, space, built), list(range(n))
        for e in np.random.default_rng(n).permutation(n).tolist():
            remove(index, np.int64(e), boxes)
            left.remove(e)
            root = index.nodes[0]
            assert root[COUNT] == len(left)
            if not left:
                continue
            assert root[FIRST] == left[0]
            assert root[ROWS] <= boxes.loss[left, d].min()
            for j in range(d):
                low, high, at = boxes.ends[left, j], boxes.ends[left, d + j], ENDS + 4 * j
                assert root[at] <= low.min()
                assert low.max() <= root[at + MAX_LOW]
                assert root[at + MIN_HIGH] <= high.min()
                assert high.max() <= root[at + MAX_HIGH]
