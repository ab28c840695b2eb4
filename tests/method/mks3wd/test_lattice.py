"""The lattice against its naive twin, the order of vectors, and what is skipped."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.method import KA
from shoal.method.mks3wd.lattice import Lattice, order_vectors
from tests.cases import CLIMBING, Case, as_field, as_rows, random_case, rows_of_classes, task_of

Vector = tuple[int, ...]


def _in_order(case: Case) -> list[Vector]:
    """Every level vector: by mean loss in exact fractions, then total level, then left to right."""
    losses = []
    for q in case.quasi:
        cells = [q.cells[unit[0]] for unit in case.units]
        scale = max(len(q.values) - 1, 1) * len(cells)
        losses.append(
            [Fraction(sum(q.n_under(v, c) - 1 for v in cells), scale) for c in range(q.height)]
        )
    vectors = itertools.product(*(range(q.height) for q in case.quasi))
    return sorted(vectors, key=lambda v: (sum(losses[j][c] for j, c in enumerate(v)), sum(v), v))


def _naive(case: Case, vectors: list[Vector]) -> dict[frozenset[int], Vector]:
    """Visit the vectors in order and release at each every group that holds."""
    left, released = list(range(len(case.units))), {}
    for vector in vectors:
        groups: dict[Any, list[int]] = {}
        for u in left:
            row = case.units[u][0]
            seen = tuple(q.above(q.cells[row])[c] for q, c in zip(case.quasi, vector, strict=True))
            groups.setdefault(seen, []).append(u)
        for group in groups.values():
            if case.holds(group):
                released[frozenset(group)] = vector
        gone = {u for group in released for u in group}
        left = [u for u in left if u not in gone]
    return released


@pytest.mark.parametrize("block", range(8))
def test_the_classes_are_those_of_the_definition(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        models = ("k",) if seed % 2 else ("k", "l", "alpha", "t", "ke")
        case = random_case(seed, forms=CLIMBING, models=models)
        if np.prod([q.height for q in case.quasi]) > 400:
            continue
        task = task_of(case, method="ka")
        vectors = _in_order(case)
        assert list(map(tuple, Lattice.of(task.table, 1000).vectors.tolist())) == vectors
        found = KA(climb="lattice").partition(task)
        released = _naive(case, vectors)
        assert rows_of_classes(case, found) == as_rows(case, list(map(list, released)))
        vector_of = {u: vector for group, vector in released.items() for u in group}
        assert found.heights is not None
        assert found.level is not None
        for u, number in enumerate(found.unit_class.tolist()):
            assert (number < 0) == (u not in vector_of)
            if number >= 0:
                assert tuple(found.heights[number].tolist()) == vector_of[u]
                assert found.level[u] == 1 + max(vector_of[u])


def _wide_case(n_rows: int, n_quasi: int, n_values: int, hierarchy: Any, seed: int) -> Case:
    rng = np.random.default_rng(seed)
    kind = {"kind": "categorical", "hierarchy": hierarchy}
    fields, attributes = {}, {}
    for j in range(n_quasi):
        codes = np.minimum(rng.geometric(0.25, n_rows), n_values) - 1
        fields[f"q{j}"] = as_field(f"q{j}", kind, [f"v{c:02d}" for c in codes])
        attributes[f"q{j}"] = {"role": "quasi", **kind}
    return Case(fields, attributes, [{"k-anonymity": {"k": 4}}])


def test_many_blocks_of_vectors() -> None:
    """More vectors than a block, so that groups are probed ahead and tuples are passed over."""
    case = _wide_case(150, 9, 8, "flat", 1)
    found = KA(climb="lattice").partition(task_of(case, method="ka"))
    released = _naive(case, _in_order(case))
    assert len(set(released.values())) > 20
    assert rows_of_classes(case, found) == as_rows(case, list(map(list, released)))


def test_keys_that_do_not_fit_one_word() -> None:
    """More combinations of values than a 64-bit key can hold, and more vectors than the budget."""
    case = _wide_case(100, 30, 12, "flat", 2)
    task = task_of(case, method="ka")
    lattice = Lattice.of(task.table, 300)
    assert lattice.entries.wide
    vectors = list(map(tuple, lattice.vectors.tolist()))
    released = _naive(case, vectors)
    found = KA(climb="lattice", budget=300).partition(task)
    assert rows_of_classes(case, found) == as_rows(case, list(map(list, released)))


@pytest.mark.parametrize("seed", range(20))
def test_within_a_budget_the_first_vectors_and_the_top_are_visited(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = [np.sort(rng.integers(0, 9, rng.integers(1, 6))) / 8.0 for _ in range(5)]
    whole = order_vectors(losses, 10**6)
    assert len(whole) == np.prod([len(loss) for loss in losses])
    budget = int(rng.integers(1, len(whole) + 1))
    some = order_vectors(losses, budget)
    assert (some[:budget] == whole[:budget]).all()
    top = [len(loss) - 1 for loss in losses]
    assert top in some.tolist()
    assert len(some) <= budget + 1


def test_a_budget_loses_nobody() -> None:
    case = _wide_case(60, 6, 6, "flat", 3)
    least = KA(climb="lattice", budget=1).partition(task_of(case, method="ka"))
    assert least.n_suppressed == 0
    assert least.heights is not None
    assert set(map(tuple, least.heights.tolist())) <= {(0,) * 6, (1,) * 6}


def test_hierarchies_climb_apart() -> None:
    case = _wide_case(120, 3, 5, "flat", 4)
    together, apart = (
        shoal.run(case.plan(method={"ka": {"climb": way}}), case.frame)
        for way in ("together", "lattice")
    )
    assert apart.verdicts[0].holds
    assert apart.measures["glm"] < together.measures["glm"]
