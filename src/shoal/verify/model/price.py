"""The independent check of prices: whether their sum bounds the loss of every release.

By the definition, level vector by level vector, from the labels that people could be published
under: nothing here knows which cells were looked at when the prices were found. Slow: every cell of
the lattice that loses less than somebody's price is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.reading.encoding import combine_codes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MOST_NAMED = 5
# A sum of k products of floats, each far below 2^20.
_TOLERANCE = 1e-9


def check_prices(
    labels: Sequence[Sequence[Sequence[str | None]]],
    prices: Floats,
    k: Integers,
    rows: Integers | None = None,
) -> list[Problem]:
    """Why these prices bound nothing; empty where they are valid.

    labels[attribute][unit] are what a unit's value can be published as, from itself up to the top.
    k[unit] is the class size that a unit requires, rows[unit] how many rows it has (one). Prices
    are for all rows of a unit, and losses are by glm, summed over the attributes.

    >>> check_prices([[("a", "*"), ("b", "*")]], np.array([1.0, 1.0]), np.array([2, 2]))
    []
    >>> [p.text for p in check_prices([[("a", "*"), ("a", "*")]], np.ones(2), np.array([2, 2]))]
    ['Prices are too high in 1 of 1 cells that lose less than somebody pays (level vector 0).']
    """
    n_rows = np.ones(len(prices)) if rows is None else rows.astype(np.float64)
    if problem := _impossible(prices, n_rows * len(labels)):
        return [problem]
    levels = [_Levels(own) for own in labels]
    n_cells, wrong = 0, []
    for vector in product(*(range(own.height) for own in levels)):
        looked, n_wrong = _look(levels, vector, prices, k, n_rows)
        n_cells += looked
        wrong += [vector] * n_wrong
    if not wrong:
        return []
    vectors = list(dict.fromkeys(wrong))[:_MOST_NAMED]
    named = "; ".join(" ".join(map(str, vector)) for vector in vectors)
    return [
        Problem(
            f"Prices are too high in {len(wrong)} of {n_cells} cells that lose less than somebody "
            f"pays (level vector {named})."
        )
    ]


def _impossible(prices: Floats, most: Floats) -> Problem | None:
    """A price below nothing, or above that of being left out."""
    wrong = np.count_nonzero(~((prices >= 0) & (prices <= most + _TOLERANCE)))
    if not wrong:
        return None
    return Problem(
        f"{wrong} of {len(prices)} prices are negative, or higher than the loss of being left out."
    )


class _Levels:
    """The groups of one attribute at every level, one root above all, and what each loses."""

    def __init__(self, labels: Sequence[Sequence[str | None]]) -> None:
        paths = [tuple(path) for path in labels]
        values = dict.fromkeys(path[0] for path in paths)
        height = len(paths[0])
        self.codes: list[NDArray[np.int32]] = []
        self.losses: list[Floats] = []
        for level in range(height + 1):
            # Above the last level everybody is published as a star.
            above = [path[level:] for path in paths]
            number = {label: i for i, label in enumerate(dict.fromkeys(above))}
            codes = np.array([number[label] for label in above], dtype=np.int32)
            under = [set[str | None]() for _ in number]
            for code, path in zip(codes.tolist(), paths, strict=True):
                under[code].add(path[0])
            lost = np.array([(len(s) - 1) / max(len(values) - 1, 1) for s in under])
            self.codes.append(codes)
            self.losses.append(lost[codes])
            if len(number) == 1:
                break
        self.height = len(self.codes)


def _look(
    levels: Sequence[_Levels],
    vector: Sequence[int],
    prices: Floats,
    k: Integers,
    rows: Floats,
) -> tuple[int, int]:
    """How many cells at these levels lose less than somebody pays; in how many that is too much."""
    loss = sum(own.losses[level] for own, level in zip(levels, vector, strict=True))
    excess = prices - loss * rows
    if not (excess > 0).any():
        return 0, 0
    columns = [
        (own.codes[level], int(own.codes[level].max()) + 1)
        for own, level in zip(levels, vector, strict=True)
    ]
    cell, n_cells = combine_codes(columns, len(prices))
    concerned = np.zeros(n_cells, dtype=np.bool_)
    concerned[cell[excess > 0]] = True
    inside = np.flatnonzero(concerned[cell])
    broken = np.zeros(n_cells, dtype=np.bool_)
    for size, units in _who_can_share(k, inside):
        broken[_broken_cells(cell[units], excess[units], size)] = True
    return int(np.count_nonzero(concerned)), int(np.count_nonzero(broken))


def _who_can_share(k: Integers, inside: Integers) -> Iterator[tuple[int, Integers]]:
    """Every size that is required, and those of these units who require no more."""
    # By the largest k in a class: it has at least that many people, who all require no more.
    for size in np.unique(k[inside]).tolist():
        yield size, inside[k[inside] <= size]


def _broken_cells(cell: NDArray[np.int32], excess: Floats, size: int) -> NDArray[np.int32]:
    """The cells of at least `size` units whose `size` highest excesses sum to more than zero."""
    order = np.lexsort((-excess, cell))
    own, sums = cell[order], np.append(0.0, np.cumsum(excess[order]))
    start = np.flatnonzero(np.append(True, own[1:] != own[:-1]))
    end = np.append(start[1:], len(own))
    # If the `size` highest sum to 0 or less, the last of them is not above 0: more people add
    # nothing, so that no larger class can be broken either.
    large = end - start >= size
    start = start[large]
    too_high = sums[start + size] - sums[start] > _TOLERANCE
    return np.asarray(own[start[too_high]])
