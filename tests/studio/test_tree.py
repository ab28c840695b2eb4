from __future__ import annotations

from collections.abc import Callable

import pytest

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.studio.tree import (
    Node,
    Roots,
    addresses,
    dissolve,
    gather,
    lacking,
    read_tree,
    rename,
    tree_of_rows,
    tree_of_values,
    with_values,
    write_tree,
)

TREE = {"*": {"north": ["Oslo", "Turku"], "south": {"Italy": ["Rome"], "France": ["Nice"]}}}


def at(roots: Roots, *names: str) -> list[tuple[int, ...]]:
    return [address for address, node in addresses(roots) if node.name in names]


def test_a_tree_reads_back_what_it_writes() -> None:
    assert write_tree(read_tree(TREE)) == TREE
    mixed = {"*": ["Rome", {"north": ["Oslo"]}]}
    assert write_tree(read_tree(mixed)) == mixed
    assert read_tree({"*": [1, None]})[0].below == (Node("1"),)


def test_an_edited_tree_is_a_hierarchy() -> None:
    roots = gather(tree_of_values(["a", "b", "c"]), [(0, 0), (0, 2)], "ac")
    assert write_tree(roots) == {"*": ["b", {"ac": ["a", "c"]}]}
    assert Hierarchy.tree(write_tree(roots)).height == 3


def test_the_rows_of_a_file() -> None:
    rows = [("Oslo", "north", "*"), ("Turku", "north", "*"), ("Rome", "Rome", "*"), ("", "*", "*")]
    assert write_tree(tree_of_rows(rows)) == {"*": [{"north": ["Oslo", "Turku"]}, "Rome"]}
    assert write_tree(tree_of_rows([("a", "A"), ("b", "B")])) == {"*": {"A": ["a"], "B": ["b"]}}


def test_gathering_below_a_term_that_is_there() -> None:
    roots = read_tree(TREE)
    found = gather(roots, at(roots, "Rome", "Nice"), "north")
    assert write_tree(found) == {"*": {"north": ["Oslo", "Turku", "Rome", "Nice"]}}


def test_gathering_below_a_new_term() -> None:
    roots = read_tree(TREE)
    found = gather(roots, at(roots, "Italy", "France"), "Latin")
    assert write_tree(found)["*"]["south"] == {"Latin": {"Italy": ["Rome"], "France": ["Nice"]}}
    found = gather(roots, at(roots, "Oslo", "Rome"), "capitals")
    assert write_tree(found)["*"]["capitals"] == ["Oslo", "Rome"]
    # What a chosen term covers goes with it, chosen or not.
    found = gather(roots, at(roots, "Italy", "Rome"), "north")
    assert write_tree(found)["*"]["north"] == ["Oslo", "Turku", {"Italy": ["Rome"]}]


def test_renaming_and_dissolving() -> None:
    roots = read_tree(TREE)
    assert "Norden" in write_tree(rename(roots, at(roots, "north"), "Norden"))["*"]
    found = dissolve(roots, at(roots, "Italy", "France"))
    assert write_tree(found)["*"]["south"] == ["Rome", "Nice"]
    found = dissolve(roots, at(roots, "Oslo", "Turku"))
    assert list(write_tree(found)["*"]) == ["south"]


def test_values_that_the_tree_lacks() -> None:
    roots = read_tree(TREE)
    assert lacking(roots, ["Oslo", "Bern"]) == ["Bern"]
    assert lacking(with_values(roots, ["Bern"]), ["Oslo", "Bern"]) == []
    assert write_tree(with_values((), ["Bern"])) == {"*": ["Bern"]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda roots: gather(roots, [], "x"), "No term is chosen"),
        (lambda roots: gather(roots, [(0, 0)], ""), "name is needed"),
        (lambda roots: gather(roots, [(0,)], "x"), "root stays"),
        (lambda roots: gather(roots, at(roots, "south"), "Italy"), "below itself"),
        (lambda roots: gather(roots, at(roots, "Rome"), "Oslo"), "name of a value"),
        (lambda roots: gather(roots, [(0, 9)], "x"), "changed in the meantime"),
        (lambda roots: rename(roots, at(roots, "north", "south"), "x"), "but 2 are"),
        (lambda roots: rename(roots, at(roots, "Oslo"), "x"), "keeps the name"),
        (lambda roots: rename(roots, at(roots, "north"), "south"), "must differ"),
        (lambda roots: dissolve(roots, [(0,)]), "root stays"),
        (lambda roots: dissolve(roots, []), "No term is chosen"),
    ],
)
def test_what_cannot_be_done_says_why(change: Callable[[Roots], Roots], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        change(read_tree(TREE))
