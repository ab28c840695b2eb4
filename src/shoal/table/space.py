"""From the domains of a table to the flat arrays that kernels work on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.table import Domain, Table, label_shares

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

RANGE, TREE, SET = 0, 1, 2
_BLOCK = 256
# Raw distances of a row, and the sum of those that are added up as billionths: below 2**63 / 1e9.
_LONGEST, _LONGEST_SUM = 1e6, 9e9


def form_of(domain: Domain) -> int:
    """How classes publish this attribute: the node of a tree, a range, or a set."""
    if domain.tree is not None:
        return TREE
    return RANGE if domain.is_range else SET


def space_of(domains: Sequence[Domain], objective: str = "glm") -> Space:
    """The quasi-identifiers end to end, with what every generalisation loses by a measure.

    m of n values lose (m - 1)/(n - 1) by `glm`, m/n by `ncp`, (m - 1)/n by `infoloss`, and one
    value nothing; a range its share of the domain, all of it where a value is missing. By `prec` a
    node loses its level by the height of the tree, and a set all. By `query` m categories lose
    (1 - 1/m)/(1 - 1/n): whether one of them is in a set that is asked for is uncertain as soon as
    there are two, while a range of numbers is uncertain at its ends only. What depends on class
    sizes (`dm`) has the space of `glm`, and so has `nloss`, which is `glm` over different rows.
    """
    from shoal.kernels.box.space import Space

    less = 0 if objective == "ncp" else 1
    whole = [max(len(d) - (objective not in ("ncp", "infoloss")), 1) for d in domains]
    losses = [
        infolosses(d) if objective == "infoloss" else _shares_of(_leaves(d), less, n)
        for d, n in zip(domains, whole, strict=True)
    ]
    many = [
        _shares_of(np.arange(1, len(d) + 1), less, n) for d, n in zip(domains, whole, strict=True)
    ]
    if objective == "query":
        words = [d.numbers is None for d in domains]
        losses = [
            _unsure(_leaves(d), len(d)) if w else x
            for d, x, w in zip(domains, losses, words, strict=True)
        ]
        many = [_unsure(np.arange(1, len(d) + 1), len(d)) for d in domains]
    if objective == "prec":
        losses = [_climbed(d) for d in domains]
        many = [(np.arange(len(d)) > 0).astype(np.float64) for d in domains]
    return Space(
        form=np.array([form_of(d) for d in domains], dtype=np.int64),
        start=starts_of([len(d) for d in domains]),
        missing=np.array([d.missing for d in domains], dtype=np.int64),
        place=end_to_end([_places(d) for d in domains], np.float64),
        gap=np.ones(len(domains)),
        many=end_to_end(many, np.float64),
        loss_start=starts_of([x.size for x in losses]),
        node=end_to_end([d.tree.closed().node.ravel() for d in domains if d.tree], np.int32),
        loss=end_to_end([x.ravel() for x in losses], np.float64),
        join=end_to_end([_joins(d) for d in domains], np.int16),
    )


def metric_of(
    domains: Sequence[Domain], normalise: bool = False, scaled: bool = True, n_added: int = 1
) -> Space:
    """The space in which the union of two units loses their distance (f_DIS of the graph paper).

    Numbers: their difference; with a hierarchy: the level of the lowest common ancestor, one above
    the top where there is none; else 1 where they differ. Missing is as far from every number as
    the domain is long. `normalise` divides by the length of the domain, or by the highest level.
    Very long raw distances are scaled down, all of them alike, unless not `scaled`; `n_added` is
    how many of them are added up.
    """
    space, spans = space_of(domains), np.array([d.span or 1.0 for d in domains])
    levels = [_levels(d, normalise) for d in domains]
    # Billionths of all distances of a star must add up within 64 bits; scaling changes no order.
    longest, most = float(spans.sum()) + len(domains), min(_LONGEST, _LONGEST_SUM / n_added)
    scale = 1.0 if normalise or not scaled or longest <= most else most / longest
    # A missing number is at 0 here: `gap` says how far it is from others.
    numbers = [np.zeros(len(d)) if d.numbers is None else np.nan_to_num(d.numbers) for d in domains]
    return space._replace(
        place=space.place if normalise else end_to_end(numbers, np.float64) * scale,
        gap=np.ones(len(domains)) if normalise else spans * scale,
        many=np.where(space.many > 0, scale, 0.0),
        loss=end_to_end([x.ravel() for x in levels], np.float64) * scale,
    )


def infolosses(domain: Domain) -> NDArray[np.float64]:
    """The infoloss of the node over every code at every level, up to one root (levels, codes).

    Equations 1 and 2 of QI-MHSA: of numbers how much of the domain an interval leaves open, of
    categories (leaves - 1) by all leaves; an original value loses nothing.
    """
    if domain.tree is None:
        return np.zeros((0, len(domain)))
    tree = domain.tree.closed()
    if domain.numbers is None:
        return np.asarray((tree.n_under(tree.node) - 1) / len(domain))
    losses = label_shares(domain, tree.labels)[tree.node]
    losses[0] = 0.0
    return losses


def _leaves(domain: Domain) -> NDArray[np.int32]:
    """How many leaves the node over every code has at every level, up to one root."""
    if domain.tree is None:
        return np.zeros((0, len(domain)), dtype=np.int32)
    tree = domain.tree.closed()
    return tree.n_under(tree.node)


def _shares_of(n: NDArray[Any], less: int, whole: int) -> NDArray[np.float64]:
    """(n - less)/whole, and nothing where a value stands alone."""
    return np.where(n == 1, 0.0, (n - less) / whole)


def _unsure(n: NDArray[Any], whole: int) -> NDArray[np.float64]:
    """How unsure a reader is whether one of n values is in a random set, as a share of the most."""
    return np.asarray((1 - 1 / np.maximum(n, 1)) / max(1 - 1 / max(whole, 1), 0.5))


def _climbed(domain: Domain) -> NDArray[np.float64]:
    """The level of every ancestor by the height of the tree; a root above it counts as its top."""
    if domain.tree is None:
        return np.zeros((0, len(domain)))
    tree, highest = domain.tree.closed(), max(domain.tree.height - 1, 1)
    level = np.minimum(np.arange(tree.height), highest) / highest
    return np.repeat(level[:, np.newaxis], len(domain), axis=1)


def _levels(domain: Domain, normalise: bool) -> NDArray[np.float64]:
    """The level of every ancestor, up to one root, or its share of the highest."""
    if domain.tree is None:
        return np.zeros((0, len(domain)))
    height = domain.tree.closed().height
    levels = np.repeat(np.arange(float(height))[:, np.newaxis], len(domain), axis=1)
    return levels / max(height - 1, 1) if normalise else levels


def packed_rows(table: Table) -> NDArray[Any]:
    """The quasi-identifiers of all units side by side, in one narrow integer type."""
    return stack_columns([table.unit_codes(a.name) for a in table.schema.quasi])


def stack_columns(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Codes of columns as rows, in one narrow integer type."""
    width = max((c.dtype for c in columns), key=lambda d: d.itemsize)
    rows = np.empty((len(columns[0]), len(columns)), dtype=width)
    for j, codes in enumerate(columns):
        rows[:, j] = codes
    return rows


def packed_codes(table: Table) -> NDArray[np.int32]:
    """The quasi-identifiers of all units side by side."""
    return packed_rows(table).astype(np.int32)


def _places(domain: Domain) -> NDArray[np.float64]:
    if domain.numbers is None or domain.tree is not None or domain.span == 0:
        return np.zeros(len(domain))
    least = np.fmin.reduce(domain.numbers)
    return np.asarray(np.nan_to_num((domain.numbers - least) / domain.span))


def _joins(domain: Domain) -> NDArray[np.int16]:
    joins = np.zeros(len(domain), dtype=np.int16)
    if domain.tree is not None:
        joins[: len(domain) - 1] = domain.tree.join
    return joins


def starts_of(sizes: Sequence[int] | NDArray[Any]) -> NDArray[np.int64]:
    """Where parts of these sizes begin that lie end to end, and where the last one ends.

    >>> starts_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    return np.append(0, np.cumsum(sizes)).astype(np.int64)


def end_to_end(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    """All parts, of which there may be none, as one array."""
    return np.concatenate([*parts, np.empty(0, dtype)]).astype(dtype)


def word_starts(domains: Sequence[Domain]) -> NDArray[np.int64]:
    """Where the bits of each attribute begin that is published as a set, in words of 64."""
    return starts_of([-(-len(d) // 64) if form_of(d) == SET else 0 for d in domains])


def distance_matrix(table: Table, normalise: bool = False) -> NDArray[Any]:
    """The distances of all pairs of units (see metric_of); integers where all are whole."""
    from shoal.kernels.box.neighbour import fill_distances

    matrix = np.zeros((table.n_units, table.n_units))
    space = metric_of(table.quasi, normalise, scaled=False)
    fill_distances(space, packed_codes(table), matrix)
    return _whole_if_possible(matrix)


def set_distances(
    table: Table, sets: Sequence[NDArray[Any]], normalise: bool = False
) -> NDArray[np.float64]:
    """f_DIS of sets of units: the distance of the two ends of each, attribute by attribute.

    The codes of a domain are in the order of its numbers, or of the leaves of its tree, with
    missing last: nothing between the ends lies farther out.
    """
    from shoal.kernels.box.neighbour import list_spreads

    codes, found = packed_codes(table), np.empty(len(sets))
    shape = len(sets), codes.shape[1]
    low = np.array([codes[members].min(axis=0) for members in sets], dtype=np.int32)
    high = np.array([codes[members].max(axis=0) for members in sets], dtype=np.int32)
    space = metric_of(table.quasi, normalise, scaled=False)
    list_spreads(space, low.reshape(shape), high.reshape(shape), found)
    return found


def _whole_if_possible(matrix: NDArray[Any]) -> NDArray[Any]:
    """The same as integers where nothing is lost, in the same memory."""
    blocks = np.array_split(matrix, len(matrix) // _BLOCK + 1)
    if any((block != np.rint(block)).any() or (block > 2**53).any() for block in blocks):
        return matrix
    for block in blocks:
        block.view(np.int64)[...] = block.astype(np.int64)
    return matrix.view(np.int64)
