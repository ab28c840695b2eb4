"""The lattice against its naive twin, the order of vectors, and what is skipped."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.kernels.tree.lattice import STEPS
from shoal.method import KA, Mondrian
from shoal.method.mks3wd.lattice import Lattice
from shoal.method.mks3wd.rest import Rest
from tests.cases import CLIMBING, Case, as_field, as_rows, random_case, rows_of_classes, task_of

Vector = tuple[int, ...]


def _in_order(case: Case) -> list[Vector]:
    """Every vector of levels that differ from those below them.

    By mean loss in exact fractions, then total level, then left to right.
    """
    losses = []
    for q in case.quasi:
        cells = [q.cells[unit[0]] for unit in case.units]
        scale = max(len(q.values) - 1, 1) * len(cells)
        losses.append(
            [Fraction(sum(q.n_under(v, c) - 1 for v in cells), scale) for c in range(q.height)]
        )
    vectors = itertools.product(*(_different(case, j) for j in range(len(case.quasi))))
    return sorted(vectors, key=lambda v: (sum(losses[j][c] for j, c in enumerate(v)), sum(v), v))


def _different(case: Case, j: int) -> list[int]:
    """The levels of a quasi-identifier at which cells are alike that were not alike below."""
    q = case.quasi[j]
    above = [q.above(q.cells[row]) for row, *_ in case.units]
    shown = [len({cell[c] for cell in above}) for c in range(q.height)]
    return [c for c in range(q.height) if c == 0 or shown[c] < shown[c - 1]]


def _step(case: Case, unit: int, vector: Vector) -> int:
    """The step of loss of a unit at a vector, in exact fractions."""
    row, lost = case.units[unit][0], Fraction(0)
    for q, level in zip(case.quasi, vector, strict=True):
        lost += Fraction(q.n_under(q.cells[row], level) - 1, max(len(q.values) - 1, 1))
    return int(lost * STEPS / len(case.quasi))


def _naive(case: Case, vectors: list[Vector]) -> dict[frozenset[int], Vector]:
    """List every cell of the whole table; go through them by step, then by vector."""
    cells: dict[Any, list[int]] = {}
    for place, vector in enumerate(vectors):
        for u, (row, *_) in enumerate(case.units):
            seen = tuple(q.above(q.cells[row])[c] for q, c in zip(case.quasi, vector, strict=True))
            cells.setdefault((_step(case, u, vector), place, seen), []).append(u)
    released: dict[frozenset[int], Vector] = {}
    gone: set[int] = set()
    for (_, place, _), members in sorted(cells.items(), key=lambda cell: cell[0][:2]):
        left = [u for u in members if u not in gone]
        if left and case.holds(left):
            released[frozenset(left)] = vectors[place]
            gone.update(left)
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
        whole = Lattice.of(task.table, 10**6)
        assert list(map(tuple, whole.vectors.tolist())) == vectors
        assert whole.rest is None
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


@pytest.mark.parametrize("kind", ["distinct", "frequency", "entropy", "recursive"])
def test_many_blocks_where_more_than_sizes_is_asked(kind: str) -> None:
    """Probes tell who lacks different values; what is not monotone is judged at every vector."""
    plain = _wide_case(90, 9, 6, "flat", 5)
    cells = ["common" if i % 9 else f"rare {i % 2}" for i in range(90)]
    words = {"kind": "categorical"}
    fields = {**plain.fields, "s": as_field("s", words, cells)}
    attributes = {**plain.attributes, "s": {"role": "sensitive", **words}}
    c = {"c": 20.0} if kind == "recursive" else {}
    l = {"distinct": 3, "frequency": 1.1, "entropy": 1.4, "recursive": 2}[kind]  # noqa: E741
    asked = [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": l, "kind": kind, **c}}]
    case = Case(fields, attributes, asked)
    found = KA(climb="lattice").partition(task_of(case, method="ka"))
    released = _naive(case, _in_order(case))
    assert len(released) > 3
    assert rows_of_classes(case, found) == as_rows(case, list(map(list, released)))


def test_keys_that_do_not_fit_one_word() -> None:
    """More combinations of values than a 64-bit key can hold, and more vectors than the budget."""
    case = _wide_case(100, 30, 12, "flat", 2)
    task = task_of(case, method="ka")
    lattice = replace(Lattice.of(task.table, 300 * 100), rest=None)
    assert lattice.cells.entries.wide
    vectors = list(map(tuple, lattice.vectors.tolist()))
    assert len(vectors) == 300
    released = _naive(case, vectors)
    marks = lattice.climb(np.arange(100), 4, task.requirements)
    found = lattice.partition(marks)
    assert rows_of_classes(case, found) == as_rows(case, list(map(list, released)))


@pytest.mark.parametrize("block", range(5))
def test_beyond_its_budget_every_class_holds_what_is_asked(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        models = ("k",) if seed % 2 else ("k", "l", "alpha", "t", "ke")
        case = random_case(seed, forms=CLIMBING, models=models)
        task = task_of(case, method="ka")
        budget = len(Lattice.of(task.table, 1).codes) * (1 + seed % 7)
        way = Lattice.of(task.table, budget)
        assert way.n_vectors <= 1 + seed % 7
        everyone = np.arange(task.table.n_units)
        found = way.partition(way.climb(everyone, 1, task.requirements))
        assert not task.requirements.failing(found).any()
        assert found.heights is not None
        for j, tree in enumerate(way.trees):
            codes = task.table.unit_codes(task.table.schema.quasi[j].name)
            for c in range(found.n_classes):
                nodes = tree.node[found.heights[c, j], codes[found.unit_class == c]]
                assert len(set(nodes.tolist())) == 1


def test_more_vectors_lose_less_and_few_no_more_than_mondrian() -> None:
    case = _wide_case(400, 12, 6, {"mask": 3}, 3)
    task = task_of(case, method="ka")
    everyone, n = np.arange(400), len(Lattice.of(task.table, 1).codes)

    def lost(n_vectors: int) -> float:
        way = Lattice.of(task.table, n_vectors * n)
        assert way.rest is not None
        marks = way.climb(everyone, 4, task.requirements)
        every = np.vstack([way.vectors, *(np.array([v], dtype=np.int8) for v in way.rest.vectors)])
        return float(way.rest._losses(everyone, every[marks]).mean())

    few, some, many = lost(1), lost(60), lost(4000)
    assert many < some < few
    mondrian = Mondrian().partition(task)
    rest = Rest(task.table)
    codes = rest.rows
    total = 0.0
    for c in range(mondrian.n_classes):
        inside = codes[mondrian.unit_class == c]
        for j, tree in enumerate(rest.trees):
            node = tree.cover(inside[:, j].min(), inside[:, j].max())
            total += len(inside) * (int(tree.n_under(node)) - 1) / (tree.n_leaves - 1)
    assert few <= total / 400 / len(rest.trees) + 1e-9


def test_hierarchies_climb_apart() -> None:
    case = _wide_case(120, 3, 5, "flat", 4)
    together, apart = (
        shoal.run(case.plan(method={"ka": {"climb": way}}), case.frame)
        for way in ("together", "lattice")
    )
    assert apart.verdicts[0].holds
    assert apart.measures["glm"] < together.measures["glm"]
