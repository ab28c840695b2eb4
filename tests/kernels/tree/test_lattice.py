"""Who is released at which level vector, against counts in dictionaries."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.kernels.tree.lattice import (
    BLOCK,
    ENOUGH,
    FAILED,
    NOBODY,
    RUNS,
    STEPS,
    Agenda,
    Block,
    Judge,
    Tuples,
    Vectors,
    climb_block,
    find_reach,
)
from shoal.model import LDiversity
from shoal.model.requirement import Requirements
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode

# The nodes of eight codes at three levels: themselves, pairs, and all.
NODES = np.array([range(8), [c // 2 for c in range(8)], [0] * 8])


# What eight codes lose there, in steps; the last pair more than the others.
LOST = np.array([[0.0] * 8, [60.0] * 6 + [150.0] * 2, [300.0] * 8])


def _vectors(n_quasi: int, wide: bool) -> tuple[list[tuple[int, ...]], Vectors]:
    """All vectors of some attributes by their sum; wide: keys of the attributes may agree."""
    levels = sorted(itertools.product(range(3), repeat=n_quasi), key=lambda v: (sum(v), v))
    parts = [NODES * (1 if wide else 8**j) for j in range(n_quasi)]
    rows = np.array([[24 * j + 8 * c for j, c in enumerate(v)] for v in levels], dtype=np.uint32)
    return levels, Vectors(
        rows,
        np.concatenate([p.ravel() for p in parts]).astype(np.uint64),
        np.concatenate([LOST.ravel()] * n_quasi),
        wide,
    )


def _tuples(codes: np.ndarray, weight: np.ndarray, room: int = 128) -> Tuples:
    n = len(codes)
    return Tuples(
        codes.astype(np.int32), weight.astype(np.int32), np.arange(n, dtype=np.int32),
        np.zeros((len(RUNS), n), np.int32), np.zeros(room, np.int32), np.zeros(n, np.int32),
        np.zeros(n, np.int16), np.zeros(n, np.uint32), np.zeros((room, 4), np.int64),
        np.zeros(STEPS + 1, np.int64), np.array([n, 0, 0], dtype=np.int64),
    )  # fmt: skip


def _agenda(n_vectors: int, room: int) -> Agenda:
    step, later, end = np.zeros((3, n_vectors), dtype=np.int64)
    return Agenda(step, later, np.full(n_vectors, NOBODY), end, np.zeros(room, np.int32))


def _climb(
    vectors: Vectors, tuples: Tuples, k: int, judge: Any, asked: Any, agenda: Agenda
) -> tuple[list[int], int]:
    """Step by step; probes are the least vectors above the fresh ones that share them.

    Returns who is released where, and how often a vector was fresh.
    """
    out, n_fresh = np.full(len(tuples.codes), -1, np.int32), 0
    for step in range(STEPS + 1):
        # Nothing is known of a vector before it is visited, so that all are due at step 0.
        due = np.flatnonzero(agenda.step == step)
        assert len(due) <= BLOCK
        fresh = due[agenda.begin[due] == NOBODY][::-1].copy()
        rows, n_fresh = vectors.rows[fresh], n_fresh + len(fresh)
        probes = tuple(
            np.maximum.reduceat(rows, np.arange(0, len(fresh), run), axis=0) for run in RUNS
        )
        climb_block(vectors, Block(due, fresh, probes, step), tuples, k, judge, asked, agenda, out)
    return out.tolist(), n_fresh


def _in_order(levels: list[tuple[int, ...]], codes: np.ndarray) -> list[tuple[int, list[int]]]:
    """Every cell as its vector and its tuples, by loss and then by vector."""
    cells: dict[tuple[float, int, tuple[int, ...]], list[int]] = {}
    for p, vector in enumerate(levels):
        for i, own in enumerate(codes):
            key = tuple(int(NODES[c, own[j]]) for j, c in enumerate(vector))
            lost = sum(LOST[c, own[j]] for j, c in enumerate(vector))
            cells.setdefault((lost, p, key), []).append(i)
    return [(key[1], cells[key]) for key in sorted(cells)]


def _of_sizes(
    levels: list[tuple[int, ...]], codes: np.ndarray, weight: np.ndarray, k: int
) -> list[int]:
    """The vector of each tuple where sizes alone decide, -1 where it is in no cell of k."""
    want: dict[int, int] = {}
    for p, members in _in_order(levels, codes):
        left = [i for i in members if i not in want]
        if sum(int(weight[i]) for i in left) >= k:
            want.update(dict.fromkeys(left, p))
    return [want.get(i, -1) for i in range(len(codes))]


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_cells_are_released_by_their_own_loss_if_they_have_k(seed: int, wide: bool) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 40)), int(rng.integers(1, 8))
    levels, vectors = _vectors(2, wide)
    codes = np.unique(rng.integers(0, 8, (n, 2)), axis=0)
    weight = rng.integers(1, 4, len(codes))
    room = len(codes) if seed % 2 else 9 * len(codes)
    out, _ = _climb(vectors, _tuples(codes, weight), k, None, None, _agenda(len(levels), room))
    assert out == _of_sizes(levels, codes, weight, k)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("seed", range(6))
def test_many_tuples_are_kept_for_a_few_steps_only(seed: int) -> None:
    """Once these are past, a vector is sifted anew; room for all runs out or not."""
    rng = np.random.default_rng(seed)
    levels, vectors = _vectors(3, wide=bool(seed % 2))
    codes = np.unique(rng.integers(0, 8, (900, 3)), axis=0)
    weight, k = rng.integers(1, 3, len(codes)), int(rng.integers(2, 12))
    assert len(codes) > ENOUGH
    agenda = _agenda(len(levels), len(codes) if seed % 3 else 100 * len(codes))
    out, n_fresh = _climb(vectors, _tuples(codes, weight, 1024), k, None, None, agenda)
    assert n_fresh > len(levels)
    assert out == _of_sizes(levels, codes, weight, k)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("seed", range(12))
def test_cells_are_released_by_their_own_loss_if_they_hold(seed: int) -> None:
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
    agenda = _agenda(len(levels), 9 * len(codes))
    out, _ = _climb(vectors, _tuples(codes, weight), k, judge, asked, agenda)
    want: dict[int, int] = {}
    for p, members in _in_order(levels, codes):
        group = [u for u in range(n) if int(base[u]) in members and int(base[u]) not in want]
        if len(group) >= k and len({int(value[u]) for u in group}) > 1:
            want.update({int(base[u]): p for u in group})
    assert out == [want.get(i, -1) for i in range(len(codes))]


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
