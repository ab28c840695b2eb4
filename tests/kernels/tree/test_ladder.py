"""Who is released at which group of a ladder, against counts in dictionaries."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from shoal.kernels.tree.ladder import climb_ladder, take_classes, take_singly

N_LEVELS = 3


def _ladder(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """The finest group of n units, and what is above each group: nine, four, then one or two."""
    base = rng.integers(0, 9, n).astype(np.int32)
    up = [*rng.integers(9, 13, 9), *rng.integers(13, 15, 4), -1, -1]
    return base, np.array(up, dtype=np.int32)


def _path(unit: int, base: Any, up: Any) -> list[int]:
    path = [int(base[unit])]
    while up[path[-1]] >= 0:
        path.append(int(up[path[-1]]))
    return path


@pytest.mark.parametrize("seed", range(30))
def test_groups_are_released_at_the_lowest_level_that_has_k(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(0, 40)), int(rng.integers(1, 7))
    base, up = _ladder(rng, n)
    members = np.flatnonzero(rng.random(n) < 0.8)
    counts, out = np.zeros(len(up), np.int32), np.empty(len(members), np.int32)
    climb_ladder(members, k, base, up, counts, out)
    want: dict[int, int] = {}
    for level in range(N_LEVELS):
        left = [u for u in members.tolist() if u not in want]
        sizes = Counter(_path(u, base, up)[level] for u in left)
        for u in left:
            if sizes[_path(u, base, up)[level]] >= k:
                want[u] = _path(u, base, up)[level]
    assert out.tolist() == [want.get(u, -1) for u in members.tolist()]
    assert not counts.any()


def _left_over(rng: np.random.Generator, n: int, k: int) -> tuple[Any, Any]:
    """Fewer than k units, of which no group can be made, and all others in random order."""
    order = rng.permutation(n)
    unsafe = order[: k - 1]
    return unsafe.astype(np.int64), order[k - 1 :].astype(np.int64)


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_added_singly_until_nobody_is_unsafe(seed: int) -> None:
    """Scheme SE (Algorithm 2 of MKS3WD)."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 40)), int(rng.integers(2, 6))
    base, up = _ladder(rng, n)
    unsafe, offered = _left_over(rng, n, k)
    released, taken = np.full(n, -1, np.int32), np.zeros(len(offered), np.bool_)
    chain = np.full((N_LEVELS, n), -1, np.int32)
    still = take_singly(
        unsafe, offered, k, base, up, np.zeros(len(up), np.int32), np.full(len(up), -1, np.int32),
        chain, released, taken,
    )  # fmt: skip
    waiting, want, used = unsafe.tolist(), {}, []
    for unit in offered.tolist():
        if not waiting:
            break
        waiting.append(unit)
        used.append(unit)
        for group in _path(unit, base, up):
            members = [u for u in waiting if group in _path(u, base, up)]
            if len(members) >= k:
                want.update(dict.fromkeys(members, group))
                waiting = [u for u in waiting if u not in members]
                break
    assert released.tolist() == [want.get(u, -1) for u in range(n)]
    assert offered[taken].tolist() == used
    assert still == len(waiting)


@pytest.mark.parametrize("seed", range(30))
def test_groups_take_whole_sorts_and_no_more_than_needed(seed: int) -> None:
    """Scheme ECE (Algorithm 3 of MKS3WD), at one level."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 40)), int(rng.integers(2, 7))
    base, up = _ladder(rng, n)
    unsafe, offered = _left_over(rng, n, k)
    rank = np.sort(rng.integers(0, 4, len(offered)))
    released, taken = np.full(n, -1, np.int32), rng.random(len(offered)) < 0.2
    released[unsafe[:1]] = 99
    before, gone = taken.copy(), released.copy()
    need = np.zeros((len(up), 4), np.int32)
    take_classes(unsafe, offered, rank, k, base, need, released, taken)
    want, used = gone.tolist(), before.tolist()
    for group in range(9):
        own = [u for u in unsafe.tolist() if base[u] == group and gone[u] < 0]
        mine = [i for i, u in enumerate(offered.tolist()) if base[u] == group and not before[i]]
        for last in sorted({int(rank[i]) for i in mine}):
            chosen = [i for i in mine if rank[i] <= last]
            if own and len(own) + len(chosen) >= k:
                for i in chosen:
                    used[i] = True
                for u in [*own, *offered[chosen].tolist()]:
                    want[u] = group
                break
    assert released.tolist() == want
    assert taken.tolist() == used
    assert not need.any()
