"""A tree of terms while somebody edits it: terms gathered below others, renamed, taken out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.errors import PlanError

ROOT = "*"
# With more terms a page is hard to work with; a text or a file is easier.
MOST = 600

Address = tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A term and the narrower ones below it; a leaf is a value of the table."""

    name: str
    below: tuple[Node, ...] = ()

    @property
    def leaves(self) -> Iterator[str]:
        """The values that it covers."""
        if not self.below:
            yield self.name
        for one in self.below:
            yield from one.leaves


Roots = tuple[Node, ...]


def read_tree(declared: Any) -> Roots:
    """The nodes of a tree as a plan declares it; what is neither text nor number is left out.

    >>> read_tree({"*": {"north": ["Oslo"]}})[0].below
    (Node(name='north', below=(Node(name='Oslo', below=()),)),)
    """
    if isinstance(declared, Mapping):
        return tuple(Node(str(name), read_tree(below)) for name, below in declared.items())
    if isinstance(declared, list | tuple):
        return tuple(node for one in declared for node in read_tree(one))
    return () if declared is None else (Node(str(declared)),)


def write_tree(roots: Roots) -> dict[str, Any]:
    """The tree as a plan declares it.

    >>> write_tree(read_tree({"*": {"north": ["Oslo"], "Rome": None}}))
    {'*': [{'north': ['Oslo']}, 'Rome']}
    """
    return {node.name: _below(node.below) for node in roots}


def _below(nodes: Roots) -> Any:
    if nodes and all(node.below for node in nodes):
        return write_tree(nodes)
    return [{one.name: _below(one.below)} if one.below else one.name for one in nodes]


def tree_of_rows(rows: Iterable[Sequence[str]]) -> Roots:
    """The tree of rows that go from a leaf to its top, in which a label may repeat.

    >>> write_tree(tree_of_rows([("Oslo", "north", "*"), ("Rome", "Rome", "*")]))
    {'*': [{'north': ['Oslo']}, 'Rome']}
    """
    found: dict[str, Any] = {}
    for row in rows:
        # A label that is repeated from one level to the next is one term.
        path = [label for label in dict.fromkeys(reversed(row)) if label]
        if path and path[0] != ROOT:
            path.insert(0, ROOT)
        at = found
        for label in path:
            at = at.setdefault(label, {})
    return read_tree(found)


def tree_of_values(values: Iterable[str]) -> Roots:
    """All values below one root, to begin with."""
    return (Node(ROOT, tuple(map(Node, values))),)


def lacking(roots: Roots, values: Iterable[str]) -> list[str]:
    """The values that no leaf covers."""
    covered = {leaf for root in roots for leaf in root.leaves}
    return [value for value in values if value not in covered]


def with_values(roots: Roots, values: Sequence[str]) -> Roots:
    """The same tree with these values below its first root."""
    first = roots[0] if roots else Node(ROOT)
    return (replace(first, below=(*first.below, *map(Node, values))), *roots[1:])


def addresses(roots: Roots, above: Address = ()) -> Iterator[tuple[Address, Node]]:
    """Every node with its address: its place among its siblings, after that of its parent."""
    for place, node in enumerate(roots):
        yield (*above, place), node
        yield from addresses(node.below, (*above, place))


def gather(roots: Roots, chosen: Sequence[Address], name: str) -> Roots:
    """Put the chosen nodes below the term of this name, which is made where there is none.

    A new term is placed under the nearest broader term that the chosen ones share.
    """
    moved = _outermost(chosen)
    if not name:
        raise PlanError("A name is needed, but the field is empty.", hint="Name the broader term.")
    inside = {node.name for address in moved for _, node in addresses((_at(roots, address),))}
    if name in inside:
        raise PlanError(
            "A term cannot be put below itself or a term below it.", hint="Choose another name."
        )
    nodes = tuple(_at(roots, address) for address in moved)
    target = next((a for a, node in addresses(roots) if node.name == name and node.below), None)
    if target is None:
        if any(node.name == name for _, node in addresses(roots)):
            raise PlanError(
                "A broader term cannot have the name of a value.", hint="Choose another name."
            )
        parent = _common(moved)
        if not parent:
            raise PlanError(
                "Nothing can be above the root of a tree.", hint="Choose terms below the root."
            )
        new = Node(name, nodes)
        return _change(roots, dict.fromkeys(moved, ()), {parent: (new,)})
    return _change(roots, dict.fromkeys(moved, ()), {target: nodes})


def rename(roots: Roots, chosen: Sequence[Address], name: str) -> Roots:
    """Give one broader term another name; values have those of the table."""
    if len(chosen) != 1:
        raise PlanError(f"Exactly one term must be chosen to be renamed, but {len(chosen)} are.")
    node = _at(roots, chosen[0])
    if not node.below:
        raise PlanError(
            "A value keeps the name that it has in the table.", hint="Rename broader terms only."
        )
    if not name or any(other.name == name for _, other in addresses(roots)):
        raise PlanError(
            "The new name must differ from those of the other terms, and must not be empty.",
            hint="To join two terms, choose one and put it below the other, then dissolve it.",
        )
    return _change(roots, {chosen[0]: (replace(node, name=name),)}, {})


def dissolve(roots: Roots, chosen: Sequence[Address]) -> Roots:
    """Put what is below the chosen terms in their place; chosen values are taken out."""
    _check(chosen)
    return _change(roots, {address: _at(roots, address).below for address in chosen}, {})


def _check(chosen: Sequence[Address]) -> None:
    if not chosen:
        raise PlanError("No term is chosen.", hint="Tick some terms of the tree first.")
    if any(len(address) == 1 for address in chosen):
        raise PlanError("The root stays: it stands for everybody.", hint="Choose terms below it.")


def _outermost(chosen: Sequence[Address]) -> list[Address]:
    """The chosen nodes without those that another chosen one covers."""
    _check(chosen)
    return [a for a in chosen if not any(a != b and a[: len(b)] == b for b in chosen)]


def _at(roots: Roots, address: Address) -> Node:
    nodes, found = roots, None
    for place in address:
        if place >= len(nodes):
            raise PlanError(
                "The tree has been changed in the meantime.", hint="Load the page again."
            )
        found = nodes[place]
        nodes = found.below
    assert found is not None
    return found


def _common(moved: Sequence[Address]) -> Address:
    """The address of the nearest term that is above all of these."""
    parents = [address[:-1] for address in moved]
    first = parents[0]
    n = next(
        (i for i in range(len(first)) if any(p[i : i + 1] != first[i : i + 1] for p in parents)),
        len(first),
    )
    return first[:n]


def _change(
    roots: Roots, instead: Mapping[Address, Roots], added: Mapping[Address, Roots]
) -> Roots:
    """The tree with some nodes replaced by others, and with nodes added below some.

    A broader term with nothing left below it goes too.
    """

    def walk(nodes: Roots, above: Address) -> Iterator[Node]:
        for place, node in enumerate(nodes):
            address = (*above, place)
            if address in instead:
                yield from instead[address]
                continue
            below = (*walk(node.below, address), *added.get(address, ()))
            if below or not node.below:
                yield replace(node, below=below)

    return tuple(walk(roots, ()))
