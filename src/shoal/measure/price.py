"""Prices on people: a certified lower bound on the loss `glm` of every release (docs/bound.md).

Where every quasi-identifier has a hierarchy, a published class lies in a cell of the generalisation
lattice. Prices bound the loss of all releases if nobody's is above that of being left out, and if
no cell of at least k people has k whose prices sum to more than the cell loses for their rows.
Without hierarchies, a person's price is the distance to the (k - 1)-th nearest other person.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from shoal.measure.market import SAFE, SHARES, Floats, Integers, Market, Wants
from shoal.recode import allowed_threads
from shoal.table import Table
from shoal.table.space import packed_codes, packed_rows, space_of

if TYPE_CHECKING:
    from shoal.kernels.bound.cell import Ladders

STEPS = 1_500_000_000
"""Looks at members of cells, of all rounds together: about ten seconds."""

QUICK = 400_000_000
"""The same where nobody waits for the highest: about three seconds."""

_MOST_NEAR = 200_000


def prices_everybody(table: Table) -> bool:
    """Whether no unit is priced at nothing only because there are too many."""
    return table.n_units <= _MOST_NEAR or all(domain.tree is not None for domain in table.quasi)


def price_units(table: Table, k: Integers, steps: int = STEPS) -> Floats:
    """A price for every unit; they sum to at most what all rows lose in any release.

    k[unit] is the class size that a unit requires. What a row loses is the sum of `glm` over its
    quasi-identifiers. More steps find higher prices; all prices that are found are valid.
    """
    if not table.n_units or not table.quasi:
        return np.zeros(table.n_units)
    if any(domain.tree is None for domain in table.quasi):
        return _price_by_neighbours(table, k)
    wants, of_unit = _wants_of(table, k)
    with ThreadPoolExecutor(min(SHARES, allowed_threads())) as pool:
        price = Market(wants, _ladders_of(table), steps, pool).best()
    return np.asarray((price * wants.each.rows)[of_unit])


def _price_by_neighbours(table: Table, k: Integers) -> Floats:
    """The distance to the (k - 1)-th nearest: a class of k has somebody at least as far away.

    No published value that covers both loses less than the union of the two. Of very many units
    the first are priced, and all others at nothing.
    """
    from shoal.kernels.box.element import boxes_of_people
    from shoal.kernels.box.index import build_tree, room_for_index
    from shoal.kernels.graph.weight import list_neighbours

    codes, rows = packed_codes(table), table.unit_rows()
    n, wanted = len(codes), int(min(k.max(), len(codes))) - 1
    price = np.zeros(n)
    if wanted < 1:
        return price
    space, boxes = space_of(table.quasi), boxes_of_people(codes, np.ones(n, dtype=np.int64))
    index = room_for_index(*codes.shape)
    build_tree(index, np.arange(n, dtype=np.int32), space, boxes)
    room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
    n_priced = min(n, _MOST_NEAR)
    near, far = np.empty((n_priced, wanted), np.int32), np.empty((n_priced, wanted), np.int64)
    list_neighbours(index, space, boxes.ends, 0, n_priced, room, near, far)
    # The unit itself is not in its list, so the (k - 1)-th nearest is at place k - 2.
    own = k[:n_priced] - 2
    far_enough = np.take_along_axis(far, np.clip(own, 0, wanted - 1)[:, None], axis=1)[:, 0]
    # Whoever requires more than there are can only be left out; distances are rounded billionths.
    most = float(len(table.quasi))
    away = np.where(own >= wanted, most, np.minimum(far_enough / 1e9 - SAFE, most))
    price[:n_priced] = np.where(own < 0, 0.0, np.maximum(away, 0.0)) * rows[:n_priced]
    return price


def _by_values(table: Table) -> Integers:
    """The quasi-identifiers, those of the fewest values first: their levels cost most."""
    return np.argsort([len(domain) for domain in table.quasi], kind="stable")


def _wants_of(table: Table, k: Integers) -> tuple[Wants, Integers]:
    from shoal.kernels.bound.cell import Kinds

    codes = packed_rows(table)[:, _by_values(table)].astype(np.int64)
    alike = np.column_stack([codes, table.unit_rows(), k])
    kinds, of_unit, count = np.unique(alike, axis=0, return_inverse=True, return_counts=True)
    each = Kinds(
        np.ascontiguousarray(kinds[:, :-2], dtype=np.int32),
        count.astype(np.int64),
        kinds[:, -2].astype(np.float64),
    )
    return Wants(each, np.ascontiguousarray(kinds[:, -1])), of_unit.ravel()


def _ladders_of(table: Table) -> Ladders:
    from shoal.kernels.bound.cell import Ladders

    domains = [table.quasi[j] for j in _by_values(table)]
    trees = [domain.tree.closed() for domain in domains if domain.tree is not None]
    shape = len(trees), max(t.height for t in trees), max(t.n_leaves for t in trees)
    node, loss = np.zeros(shape, dtype=np.int32), np.zeros(shape)
    for j, tree in enumerate(trees):
        node[j, : tree.height, : tree.n_leaves] = tree.node
        lost = (tree.n_under(tree.node) - 1) / max(tree.n_leaves - 1, 1)
        loss[j, : tree.height, : tree.n_leaves] = lost
    return Ladders(node, loss, np.array([t.height for t in trees], dtype=np.int64))
