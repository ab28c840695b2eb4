"""Who is released at which level vector, against counts in dictionaries."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import polars as pl
import pytest

from shoal.kernels.tree.lattice import (
    FAILED,
    PROBES,
    Crowd,
    Judge,
    Vectors,
    climb_lattice,
    find_reach,
)
from shoal.model import LDiversity
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode

# The nodes of eight codes at three levels: themselves, pairs, and all.
NODES = np.array([range(8), [c // 2 for c in range(8)], [0] * 8])


def _vectors(n_quasi: int, wide: bool) -> tuple[list[tuple[int, ...]], Vectors]:
    """All vectors of some attributes by their sum; wide: keys of the attributes may agree."""
    levels = sorted(itertools.product(range(3), repeat=n_quasi), key=lambda v: (sum(v), v))
    parts = [NODES * (1 if wide else 8**j) for j in range(n_quasi)]
    rows = np.array([[24 * j + 8 * c for j, c in enumerate(v)] for v in levels], dtype=np.uint32)
    return levels, Vectors(
        rows,
        np.empty((0, n_quasi), np.uint32),
        np.zeros(len(levels), np.uint8),
        np.concatenate([p.ravel() for p in parts]).astype(np.uint64),
        wide,
    )


def _crowd(codes: np.ndarray, weight: np.ndarray) -> Crowd:
    n, room = len(codes), 128
    return Crowd(
        codes.astype(np.int32), weight.astype(np.int32), np.arange(n, dtype=np.int32),
        np.zeros(n, np.uint64), np.zeros(n, np.uint32), np.zeros(n, np.uint32),
        np.zeros(room, np.uint64), np.zeros(room, np.int64), np.zeros(room, np.int32),
        np.zeros(room, np.uint32), np.array([0, n, 0, PROBES], dtype=np.int64),
    )  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_groups_are_released_at_the_first_vector_that_has_k(seed: int, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    levels, vectors = _vectors(2, wide)
    codes = np.unique(rng.integers(0, 8, (n, 2)), axis=0)
    weight = rng.integers(1, 4, len(codes))
    out = np.full(len(codes), -1, np.int32)
    climb_lattice(vectors, _crowd(codes, weight), k, None, None, out)
    want: dict[int, int] = {}
    for p, vector in enumerate(levels):
        left = [i for i in range(len(codes)) if i not in want]
        group = {i: tuple(NODES[c, codes[i, j]] for j, c in enumerate(vector)) for i in left}
        sizes: Counter[tuple[int, ...]] = Counter()
        for i in left:
            sizes[group[i]] += int(weight[i])
        want.update({i: p for i in left if sizes[group[i]] >= k})
    assert out.tolist() == [want.get(i, -1) for i in range(len(codes))]


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("seed", range(12))
def test_groups_are_released_at_the_first_vector_at_which_they_hold(seed: int) -> None:
    """Two values are asked for besides k; groups that failed come back at later vectors."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 5))
    levels, vectors = _vectors(2, wide=False)
    codes, base = np.unique(rng.integers(0, 8, (n, 2)), axis=0, return_inverse=True)
    base, value = base.ravel(), rng.integers(0, 5, n) // 4
    schema = Schema((Attribute("s", Role.SENSITIVE, Kind.NUMERIC),))
    table = encode(pl.DataFrame({"s": value}), schema)
    requirements = Requirements.of([LDiversity(l=2)], table)
    asked = requirements.asked(n)
    weight = np.bincount(base)
    judge = Judge(
        np.append(0, np.cumsum(weight)), np.argsort(base, kind="stable").astype(np.int32),
        rng.integers(1, 2**60, len(codes)).astype(np.uint64), np.zeros(128, np.uint64),
        np.zeros(128, np.int32), np.zeros(len(codes), np.int32), np.zeros(FAILED, np.uint64),
        requirements.bounds,
    )  # fmt: skip
    out = np.full(len(codes), -1, np.int32)
    climb_lattice(vectors, _crowd(codes, weight), k, judge, asked, out)
    want: dict[int, int] = {}
    for p, vector in enumerate(levels):
        groups: dict[tuple[int, ...], list[int]] = {}
        for u in range(n):
            if int(base[u]) not in want:
                key = tuple(int(NODES[c, codes[base[u], j]]) for j, c in enumerate(vector))
                groups.setdefault(key, []).append(u)
        for group in groups.values():
            if len(group) >= k and len({int(value[u]) for u in group}) > 1:
                want.update({int(base[u]): p for u in group})
    assert out.tolist() == [want.get(i, -1) for i in range(len(codes))]


@pytest.mark.parametrize("seed", range(20))
def test_the_first_vector_that_allows_what_k_people_need(seed: int) -> None:
    rng = np.random.default_rng(seed)
    needs = rng.integers(0, 16, (6, 2)).astype(np.uint64)
    allowed = rng.integers(0, 16, (9, 2)).astype(np.uint64)
    weights, k, start = rng.integers(1, 4, 6), int(rng.integers(1, 8)), int(rng.integers(0, 4))
    fits = [
        p
        for p in range(start, 9)
        if sum(
            int(w)
            for need, w in zip(needs.tolist(), weights, strict=True)
            if all(a & ~b == 0 for a, b in zip(need, allowed[p].tolist(), strict=True))
        )
        >= k
    ]
    assert find_reach(needs, weights, allowed, k, start) == (fits[0] if fits else -1)
