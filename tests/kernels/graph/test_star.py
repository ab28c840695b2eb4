"""Stars of nearest rows: the heap, the rows associated with a star, and the paper's tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.box.element import boxes_of_people
from shoal.kernels.box.index import build_tree, room_for_index
from shoal.kernels.box.neighbour import distance_of
from shoal.kernels.graph.star import (
    FAR,
    join_cheapest,
    join_stars,
    list_associated,
    sift_down,
    widen,
)
from shoal.table.space import metric_of, packed_codes
from tests.cases import Case, as_field, random_case, task_of
from tests.kernels.box.small import spaces
from tests.papers.graph import twin as twin
from tests.papers.graph.cases import graph_column, graph_rows


@pytest.mark.parametrize("seed", range(10))
def test_the_heap_gives_the_least_sum_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20))
    sums, heap = rng.integers(0, 5, n), rng.permutation(n).astype(np.int32)
    for i in range(n // 2 - 1, -1, -1):
        sift_down(heap, sums, np.int64(i), np.int64(n))
    found = []
    for size in range(n - 1, -1, -1):
        found.append(int(heap[0]))
        heap[0] = heap[size]
        if size:
            sift_down(heap, sums, np.int64(0), np.int64(size))
    assert found == sorted(range(n), key=lambda row: (sums[row], row))


def test_rows_as_near_to_a_row_of_the_star_are_associated() -> None:
    for _, table, space in spaces("normalised", 0):
        codes = packed_codes(table)
        n, d = codes.shape
        if n < 6:
            continue
        boxes = boxes_of_people(codes, np.ones(n, np.int64))
        index = room_for_index(n, d)
        build_tree(index, np.arange(3, n, dtype=np.int32), space, boxes)
        away = {
            row: min(int(distance_of(space, boxes.ends, s, row)) for s in range(3))
            for row in range(3, n)
        }
        widest = sorted(away.values())[len(away) // 2]
        room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
        nearest, listed = np.full(n, FAR), np.empty(n, np.int32)
        m = list_associated(
            index, space, boxes.ends, np.arange(3, dtype=np.int32), widest, room,
            np.empty(n + 1, np.int32), np.empty(n + 1, np.int64), nearest, listed,
        )  # fmt: skip
        order = sorted((w, row) for row, w in away.items() if w <= widest)
        # Of each row of the star two are listed, so that the first two of all are always right.
        assert listed[: min(m, 2)].tolist() == [row for _, row in order][:2]
        assert set(listed[:m].tolist()) <= {row for _, row in order}
        assert (nearest == FAR).all()


def test_the_ends_of_a_class_widen() -> None:
    low, high = np.array([3, 3]), np.array([4, 4])
    widen(np.array([[9, 9], [1, 5]], dtype=np.int32), 1, low, high)
    assert (low.tolist(), high.tolist()) == ([1, 3], [4, 5])


def _classes(task: Any, k: int) -> list[list[int]]:
    codes, asked = packed_codes(task.table), task.requirements
    out = np.empty(len(codes), np.int32)
    space, index = metric_of(task.table.quasi), room_for_index(*codes.shape)
    boxes = boxes_of_people(codes, np.ones(len(codes), np.int64))
    build_tree(index, np.arange(len(codes), dtype=np.int32), space, boxes)
    join_stars(space, boxes, index, k, asked.beyond_size, asked.required(), out)
    return [np.flatnonzero(out == c).tolist() for c in range(out.max() + 1)]


@pytest.mark.parametrize("seed", range(12))
def test_stars_are_those_of_the_paper(seed: int) -> None:
    case = random_case(seed, most_rows=24, models=("k",))
    case.privacy = [{"k-anonymity": {"k": 2 + seed % 3}}]
    k = 2 + seed % 3
    if len(case.units) < k:
        return
    want = twin.adjacency(graph_rows(case), [graph_column(q) for q in case.quasi], k)
    assert sorted(_classes(task_of(case), k)) == sorted(sorted(own) for own in want)


def test_a_row_joins_the_nearest_class_however_many_rows_a_far_one_has() -> None:
    # 9,300 rows times 1,000,000 are more billionths than 64 bits hold.
    n = 9_300
    words = {"kind": "numeric"}
    cells: list[str | None] = ["0"] * n + ["900000"] * 10 + ["1000000"]
    case = Case(
        {"n": as_field("n", words, cells)},
        {"n": {"role": "quasi", **words}},
        [{"k-anonymity": {"k": 2}}],
    )
    task = task_of(case)
    codes = packed_codes(task.table)
    out = np.array([0] * n + [1] * 10 + [-1], dtype=np.int32)
    room = np.empty(len(out) + 1, np.int32)
    ends = boxes_of_people(codes, np.ones(len(codes), np.int64)).ends
    join_cheapest(
        metric_of(task.table.quasi),
        ends,
        np.array([n + 10], np.int32),
        np.int64(2),
        task.requirements.required(),
        room,
        out,
    )
    assert out[-1] == 1
