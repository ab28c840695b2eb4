"""Attributes that are looked up as one, and what little room changes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from shoal.method import KA
from shoal.method.mks3wd import cell
from shoal.method.mks3wd.cell import JointColumn, join_columns
from shoal.method.mks3wd.lattice import Lattice
from tests.cases import CLIMBING, random_case, task_of


@pytest.mark.parametrize("seed", range(12))
def test_a_joined_column_has_the_nodes_and_losses_of_its_attributes(seed: int) -> None:
    trees = Lattice.of(task_of(random_case(seed, forms=CLIMBING), method="ka").table, 1).trees
    columns = [JointColumn.of(j, tree, 100.0) for j, tree in enumerate(trees)]
    rng = np.random.default_rng(seed)
    vectors = np.column_stack([rng.integers(0, t.height, 30) for t in trees]).astype(np.int8)
    codes = np.column_stack([rng.integers(0, t.n_leaves, 30) for t in trees]).astype(np.int32)
    for column in join_columns(columns):
        levels, own = column.levels(vectors), column.codes(codes)
        each = [(trees[j].node[vectors[:, j], codes[:, j]], trees[j]) for j in column.attributes]
        lost = sum(100.0 * (t.n_under(node) - 1) / max(t.n_leaves - 1, 1) for node, t in each)
        assert np.allclose(column.loss[levels, own], lost)
        for a, b in itertools.combinations(range(30), 2):
            if levels[a] == levels[b]:
                alike = all(node[a] == node[b] for node, _ in each)
                assert (column.node[levels[a], own[a]] == column.node[levels[b], own[b]]) == alike


def test_columns_are_joined_while_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    trees = Lattice.of(task_of(random_case(3, forms=CLIMBING), method="ka").table, 1).trees
    columns = [JointColumn.of(j, tree, 1.0) for j, tree in enumerate(trees)]
    monkeypatch.setattr(cell, "_MOST_ENTRIES", 10**9)
    assert len(join_columns(columns)) == 1
    monkeypatch.setattr(cell, "_MOST_ENTRIES", 1)
    assert [len(column.attributes) for column in join_columns(columns)] == [1] * len(trees)


def test_with_little_room_classes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tuples cannot be kept, vectors are visited as if for the first time."""
    for seed in range(20):
        task = task_of(random_case(seed, forms=CLIMBING, models=("k",)), method="ka")
        with monkeypatch.context() as patch:
            roomy = KA(climb="lattice").partition(task)
            patch.setattr(cell, "_MOST_KEPT", 1)
            patch.setattr(cell, "_MOST_ENTRIES", 1)
            tight = KA(climb="lattice").partition(task)
        assert tight.unit_class.tolist() == roomy.unit_class.tolist()
