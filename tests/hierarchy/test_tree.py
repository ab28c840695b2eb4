from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy import Hierarchy, Tree
from shoal.hierarchy.level import Level
from shoal.hierarchy.tree import flat_tree, grow
from shoal.schema import Kind

CATEGORICAL, NUMERIC = Kind.CATEGORICAL, Kind.NUMERIC


@st.composite
def bound(draw: st.DrawFn) -> tuple[Hierarchy, list[str | None], Kind]:
    """A random hierarchy by rows, and some of its leaves in any order."""
    n_leaves = draw(st.integers(1, 12))
    height = draw(st.integers(1, 5))
    nodes = list(range(n_leaves))
    columns = [[str(leaf) for leaf in nodes]]
    for _ in range(height - 1):
        parents = draw(st.lists(st.integers(0, 4), min_size=12, max_size=12))
        nodes = [parents[node] for node in nodes]
        columns.append([f"n{node}" for node in nodes])
    rows = draw(st.permutations(list(zip(*columns, strict=True))))
    values: list[str | None] = [row[0] for row in rows[: draw(st.integers(1, n_leaves))]]
    if draw(st.booleans()):
        values.append(None)
    values = draw(st.permutations(values))
    return Hierarchy.rows(rows), values, draw(st.sampled_from([*Kind]))


def leaf_sets(tree: Tree) -> list[set[int]]:
    """The leaves under each node, by walking up from each leaf."""
    sets: list[set[int]] = [set() for _ in range(tree.n_nodes)]
    for leaf in range(tree.n_leaves):
        for node in tree.node[:, leaf].tolist():
            sets[node].add(leaf)
    return sets


@given(bound())
def test_a_closed_tree_has_one_root_and_is_a_tree(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    closed, tops = tree.closed(), set(tree.node[-1].tolist())
    assert tree.n_tops == len(tops)
    assert closed is tree if len(tops) == 1 else closed.height == tree.height + 1
    assert len(set(closed.node[-1].tolist())) == 1
    assert closed.closed() is closed
    assert closed.cover(0, tree.n_leaves - 1) >= 0
    for node, leaves in enumerate(leaf_sets(closed)):
        assert leaves == set(range(closed.first[node], closed.last[node] + 1))
        assert all(closed.node[closed.level[node], leaf] == node for leaf in leaves)
    if len(tops) > 1:
        assert closed.labels == (*tree.labels, "*")
        assert closed.node[:-1].tolist() == tree.node.tolist()


def test_a_tree_is_closed_over_tops_that_only_its_hierarchy_has() -> None:
    tree = Hierarchy.rows([("a", "x"), ("b", "x"), ("c", "y")]).bind(["a", "b"], CATEGORICAL)
    assert tree.closed() is tree
    assert tree.closed(declared_tops=2).node.tolist() == [[0, 1], [2, 2], [3, 3]]


def test_a_flat_tree_keeps_the_order_of_its_values() -> None:
    tree = flat_tree(["b", None, "a"])
    assert tree.labels == ("b", None, "a", "*")
    assert tree.node.tolist() == [[0, 1, 2], [3, 3, 3]]


@given(bound())
def test_a_node_is_a_range_of_codes(case: tuple[Hierarchy, list[str | None], Kind]) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    assert tree.height == hierarchy.height
    assert sorted(tree.order.tolist()) == list(range(len(values)))
    assert tree.node.shape == (tree.height, tree.n_leaves)
    for node, leaves in enumerate(leaf_sets(tree)):
        assert leaves == set(range(tree.first[node], tree.last[node] + 1))
        assert len(leaves) == tree.n_under(node)
        assert all(tree.node[tree.level[node], leaf] == node for leaf in leaves)
    assert tree.node[0].tolist() == list(range(tree.n_leaves))


@given(bound())
def test_cover_is_the_lowest_node_around_both_ends(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    sets = leaf_sets(tree)
    ends = [(a, b) for a in range(tree.n_leaves) for b in range(a, tree.n_leaves)]
    found = tree.cover(*np.array(ends).T)
    assert found.dtype == np.int32
    for (a, b), node in zip(ends, found.tolist(), strict=True):
        around = [n for n, leaves in enumerate(sets) if {a, b} <= leaves]
        assert node == min(around, key=lambda n: int(tree.level[n]), default=-1)


@given(bound())
def test_join_is_the_lowest_level_that_two_neighbours_share(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    assert len(tree.join) == tree.n_leaves - 1
    for leaf, level in enumerate(tree.join.tolist()):
        shared = [c for c in range(tree.height) if tree.node[c, leaf] == tree.node[c, leaf + 1]]
        assert level == min(shared, default=tree.height)


@given(bound())
def test_labels_agree_with_bind_and_with_the_rows(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    rows = hierarchy.labels(values, kind)
    declared = {row[0]: row for row in hierarchy.spec.rows}
    for code, place in enumerate(tree.order.tolist()):
        assert tuple(tree.labels[node] for node in tree.node[:, code].tolist()) == rows[place]
    assert all(row == declared[row[0]] for row in rows if row[0] is not None)


@given(bound())
def test_the_order_of_values_does_not_matter(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, _ = case
    tree, mirrored = (hierarchy.bind(v, CATEGORICAL) for v in (values, values[::-1]))
    assert [values[p] for p in tree.order] == [values[::-1][p] for p in mirrored.order]
    assert tree.labels == mirrored.labels


@given(bound())
def test_siblings_stand_in_their_natural_order(
    case: tuple[Hierarchy, list[str | None], Kind],
) -> None:
    hierarchy, values, kind = case
    tree = hierarchy.bind(values, kind)
    leaves = [row[0] for row in hierarchy.spec.rows]

    def natural(leaf: int) -> tuple[bool, float | str]:
        value = values[tree.order[leaf]]
        if value is None:
            return True, 0
        place = values.index(value) if kind is Kind.ORDINAL else leaves.index(value)
        number = float(value) if kind is Kind.NUMERIC else place
        return False, value if kind is Kind.DATE else number

    smallest = [
        min(map(natural, leaves), key=lambda key: (key[0], key[1])) for leaves in leaf_sets(tree)
    ]
    for level in range(tree.height):
        above = tree.node[level + 1] if level + 1 < tree.height else np.zeros(tree.n_leaves, int)
        for left in range(tree.n_leaves - 1):
            a, b = tree.node[level, left], tree.node[level, left + 1]
            if a != b and above[left] == above[left + 1]:
                assert smallest[a] < smallest[b]


def test_nodes_are_numbered_level_by_level_from_the_left() -> None:
    rows = [["x", "X", "*"], ["a", "A", "*"], ["y", "X", "*"], ["unused", "U", "*"]]
    values = ["a", "y", "x"]
    tree = Hierarchy.rows(rows).bind(values, CATEGORICAL)
    assert [values[place] for place in tree.order] == ["x", "y", "a"]
    assert tree.labels == ("x", "y", "a", "X", "A", "*")
    assert tree.node.tolist() == [[0, 1, 2], [3, 3, 4], [5, 5, 5]]
    assert tree.first.tolist() == [0, 1, 2, 0, 2, 0]
    assert tree.last.tolist() == [0, 1, 2, 1, 2, 2]
    assert tree.level.tolist() == [0, 0, 0, 1, 1, 2]
    assert tree.join.tolist() == [1, 2]
    assert tree.n_under([3, 5]).tolist() == [2, 3]


def test_where_levels_have_the_same_leaves_the_lowest_counts() -> None:
    tree = Hierarchy.rows([["a", "a", "G", "*"], ["b", "b", "G", "*"]]).bind(
        ["a", "b"], CATEGORICAL
    )
    assert tree.cover([0, 0], [0, 1]).tolist() == [0, 4]
    assert tree.labels == ("a", "b", "a", "b", "G", "*")


def test_several_tops_have_no_cover() -> None:
    tree = Hierarchy.rows([["a", "A"], ["b", "B"]]).bind(["a", "b"], CATEGORICAL)
    assert tree.cover([0], [1]).tolist() == [-1]
    assert tree.join.tolist() == [2]


def test_one_level_only() -> None:
    tree = Hierarchy.rows([["a"], ["b"]]).bind(["b", "a", None], CATEGORICAL)
    assert (tree.height, tree.labels) == (1, ("a", "b", None))
    assert tree.join.tolist() == [1, 1]


@pytest.mark.parametrize(
    "hierarchy",
    [Hierarchy.flat(), Hierarchy.width(5, 2), Hierarchy.intervals([1]), Hierarchy.mask(2)],
)
def test_no_values_at_all(hierarchy: Hierarchy) -> None:
    tree = hierarchy.bind([], NUMERIC)
    assert (tree.n_leaves, tree.n_nodes, tree.height) == (0, 0, hierarchy.height)
    assert len(tree.join) == 0


def test_levels_that_do_not_nest_are_refused() -> None:
    crossing = [Level(np.array(codes), ("A", "B")) for codes in ([0, 1, 0], [0, 0, 1])]
    with pytest.raises(ValueError, match="must lie within one node"):
        grow(["a", "b", "c"], np.arange(3), crossing)


def test_a_tree_is_read_only_and_travels() -> None:
    tree = Hierarchy.width(5, 2).bind(["1", "7", None], NUMERIC)
    for name in ("order", "node", "first", "last", "level", "join"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(tree, name)[...] = 0
    again = pickle.loads(pickle.dumps(tree))  # noqa: S301
    assert again.labels == tree.labels
    assert again.cover(0, 1) == tree.cover(0, 1)
    types = {name: getattr(tree, name).dtype for name in ("order", "node", "level", "join")}
    assert types == {"order": np.int32, "node": np.int32, "level": np.int16, "join": np.int16}
