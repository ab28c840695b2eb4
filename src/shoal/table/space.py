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
_LONGEST = 1e6


def form_of(domain: Domain) -> int:
    """How classes publish this attribute: the node of a tree, a range, or a set."""
    if domain.tree is not None:
        return TREE
    return RANGE if domain.is_range else SET


def space_of(domains: Sequence[Domain], objective: str = "glm") -> Space:
    """The quasi-identifiers end to end, with what every generalisation loses by a measure."""
    from shoal.kernels.box.space import Space

    less = 0 if objective == "ncp" else 1
    whole = [max(len(d) - (1 if objective == "glm" else 0), 1) for d in domains]
    losses = [
        _span_losses(d) if objective == "infoloss" and d.numbers is not None
        else _tree_losses(d, less, n)
        for d, n in zip(domains, whole, strict=True)
    ]  # fmt: skip
    return Space(
        form=np.array([form_of(d) for d in domains], dtype=np.int64),
        start=_starts([len(d) for d in domains]),
        missing=np.array([d.missing for d in domains], dtype=np.int64),
        place=_concatenate([_places(d) for d in domains], np.float64),
        join=_concatenate([_joins(d) for d in domains], np.int16),
        loss=_concatenate([x.ravel() for x in losses], np.float64),
        node=_concatenate([_tree_nodes(d).ravel() for d in domains], np.int32),
        loss_start=_starts([x.size for x in losses]),
        less=np.full(len(domains), less, dtype=np.int64),
        whole=np.array(whole, dtype=np.int64),
        one_more=np.array([1 / n for n in whole], dtype=np.float64),
        gap=np.ones(len(domains)),
    )


def metric_of(domains: Sequence[Domain], normalise: bool = False) -> Space:
    """The space in which the union of two units loses their distance (f_DIS of the graph paper).

    Numbers: their difference; with a hierarchy: the level of the lowest common ancestor, one above
    the top where there is none; else 1 where they differ. Missing is as far from every number as
    the domain is long. `normalise` divides by the length of the domain, or by the highest level.
    Very long raw distances are scaled down, all of them alike.
    """
    spans = np.array([d.span or 1.0 for d in domains])
    levels = [_tree_levels(d, normalise) for d in domains]
    space = space_of(domains)
    places = [
        np.zeros(len(d)) if d.numbers is None or d.tree is not None
        else np.nan_to_num(d.numbers / (span if normalise else 1.0))
        for d, span in zip(domains, spans, strict=True)
    ]  # fmt: skip
    # Billionths of all distances of a star must add up within 64 bits; scaling changes no order.
    longest = float(spans.sum()) + len(domains)
    scale = 1.0 if normalise or longest <= _LONGEST else _LONGEST / longest
    return space._replace(
        place=_concatenate(places, np.float64) * scale,
        loss=_concatenate([x.ravel() for x in levels], np.float64) * scale,
        one_more=np.full(len(domains), scale),
        gap=np.ones(len(domains)) if normalise else spans * scale,
    )


def _tree_levels(domain: Domain, normalise: bool) -> NDArray[np.float64]:
    """The level of every ancestor, `*` above the top included, or its share of the highest."""
    if domain.tree is None:
        return np.zeros((0, len(domain)))
    height = domain.tree.height
    several = domain.tree.node[-1, 0] != domain.tree.node[-1, -1]
    top = max(height if several else height - 1, 1)
    levels = np.repeat(np.arange(height + 1.0)[:, np.newaxis], len(domain), axis=1)
    return levels / top if normalise else levels


def packed_rows(table: Table) -> NDArray[Any]:
    """The quasi-identifiers of all units side by side, in one narrow integer type."""
    columns = [table.unit_codes(a.name) for a in table.schema.quasi]
    width = max((c.dtype for c in columns), key=lambda d: d.itemsize)
    rows = np.empty((table.n_units, len(columns)), dtype=width)
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


def _span_losses(domain: Domain) -> NDArray[np.float64]:
    """How much of the domain the interval at each level leaves open, and 1 for `*` above."""
    tree = domain.tree
    if tree is None:
        return np.zeros((0, len(domain)))
    losses = label_shares(domain, tree.labels)[tree.node]
    losses[0] = 0.0
    return np.vstack([losses, np.ones((1, len(domain)))])


def _tree_losses(domain: Domain, less: int, whole: int) -> NDArray[np.float64]:
    """(leaves - less)/whole of the ancestor at each level, and 1 for `*` above the top."""
    tree = domain.tree
    if tree is None:
        return np.zeros((0, len(domain)))
    under = (tree.last - tree.first + 1)[tree.node]
    losses = np.where(under == 1, 0.0, (under - less) / whole)
    return np.vstack([losses, np.full((1, len(domain)), (len(domain) - less) / whole)])


def _tree_nodes(domain: Domain) -> NDArray[np.int32]:
    if domain.tree is None:
        return np.zeros((0, len(domain)), dtype=np.int32)
    return np.vstack([domain.tree.node, np.zeros((1, len(domain)), dtype=np.int32)])


def _starts(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _concatenate(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate([*parts, np.empty(0, dtype)]).astype(dtype)


def distance_matrix(table: Table, normalise: bool = False) -> NDArray[Any]:
    """The distances of all pairs of units (see metric_of); integers where all are whole."""
    n = table.n_units
    matrix = np.zeros((n, n))
    for domain in table.quasi:
        codes = table.unit_codes(domain.attribute.name)
        for start in range(0, n, _BLOCK):
            some = codes[start : start + _BLOCK, np.newaxis]
            matrix[start : start + _BLOCK] += _distances(domain, some, codes, normalise)
    return _whole_if_possible(matrix)


def set_distances(
    table: Table, sets: Sequence[NDArray[Any]], normalise: bool = False
) -> NDArray[np.float64]:
    """f_DIS of sets of units: the distance of the two ends of each, attribute by attribute.

    The codes of a domain are in the order of its numbers, or of the leaves of its tree, with
    missing last: nothing between the ends lies farther out.
    """
    found = np.zeros(len(sets))
    for domain in table.quasi:
        codes = table.unit_codes(domain.attribute.name)
        low = np.array([codes[members].min() for members in sets], dtype=codes.dtype)
        high = np.array([codes[members].max() for members in sets], dtype=codes.dtype)
        found += _distances(domain, low, high, normalise)
    return found


def _distances(
    domain: Domain, one: NDArray[Any], other: NDArray[Any], normalise: bool
) -> NDArray[Any]:
    """f_dis of pairs of codes."""
    if domain.is_range:
        assert domain.numbers is not None
        whole = domain.span or 1.0
        left, right = domain.numbers[one], domain.numbers[other]
        apart = np.nan_to_num(np.abs(left - right))
        apart[np.isnan(left) != np.isnan(right)] = whole
        return np.asarray(apart / whole if normalise else apart)
    if domain.tree is None:
        return np.asarray(one != other)
    levels = [nodes[one] != nodes[other] for nodes in domain.tree.node]
    top = len(levels) - (domain.tree.node[-1, 0] == domain.tree.node[-1, -1])
    level = np.sum(levels, axis=0)
    return np.asarray(level / max(top, 1) if normalise else level)


def _whole_if_possible(matrix: NDArray[Any]) -> NDArray[Any]:
    """The same as integers where nothing is lost, in the same memory."""
    blocks = np.array_split(matrix, len(matrix) // _BLOCK + 1)
    if any((block != np.rint(block)).any() or (block > 2**53).any() for block in blocks):
        return matrix
    for block in blocks:
        block.view(np.int64)[...] = block.astype(np.int64)
    return matrix.view(np.int64)
