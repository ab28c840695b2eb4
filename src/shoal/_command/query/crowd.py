"""Rows whose numbers cannot be told apart, and the sums that a number of them can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal.reading.encoding import Codes, Flags, Floats, Integers

# What is whole on paper may come out a hair off.
_HAIR = 1e-9


@dataclass(frozen=True)
class UncertainNumber:
    """A number that is not known exactly: at least, about, at most."""

    lower: float = 0.0
    estimate: float = 0.0
    upper: float = 0.0

    def __add__(self, other: UncertainNumber) -> UncertainNumber:
        return UncertainNumber(
            self.lower + other.lower, self.estimate + other.estimate, self.upper + other.upper
        )


def at_least(hits: Any) -> Floats:
    """The expected number of rows, rounded down."""
    return np.asarray(np.floor(hits + _HAIR), dtype=np.float64)


def at_most(hits: Any) -> Floats:
    """The expected number of rows, rounded up."""
    return np.asarray(np.maximum(np.ceil(hits - _HAIR), 0.0), dtype=np.float64)


def per_crowd(crowd: Codes, weights: Floats | Flags, n: int = 0) -> Floats:
    """The sum of the weights in each crowd."""
    return np.bincount(crowd, weights=weights, minlength=n).astype(np.float64)


def in_order(crowd: Codes, numbers: Floats) -> tuple[Codes, Floats]:
    """Crowd by crowd, the smallest number first."""
    order = np.lexsort((numbers, crowd))
    return crowd[order], numbers[order]


def least_sum(crowd: Codes, numbers: Floats, fewest: Floats, most: Floats) -> float:
    """The least sum of at least `fewest` and at most `most` numbers of every crowd, in order.

    It takes the smallest numbers of a crowd: the negative ones as far as `most` allows, and no
    others beyond `fewest`.

    >>> least_sum(np.array([0, 0, 0]), np.array([-5.0, 1.0, 7.0]), np.array([0]), np.array([2]))
    -5.0
    """
    _, rank = _ranks(crowd, len(fewest))
    negative = np.bincount(crowd[numbers < 0], minlength=len(fewest))
    taken = np.clip(negative, fewest, most)
    return float(numbers[rank < taken[crowd]].sum())


def greatest_sum(crowd: Codes, numbers: Floats, fewest: Floats, most: Floats) -> float:
    """The greatest sum, likewise.

    >>> greatest_sum(np.array([0, 0, 0]), np.array([-5.0, 1.0, 7.0]), np.array([2]), np.array([3]))
    8.0
    """
    starts, rank = _ranks(crowd, len(fewest))
    positive = np.bincount(crowd[numbers > 0], minlength=len(fewest))
    taken = np.clip(positive, fewest, most)
    behind = np.append(starts[1:], len(crowd))[crowd] - starts[crowd] - rank - 1
    return float(numbers[behind < taken[crowd]].sum())


def _ranks(crowd: Codes, n: int) -> tuple[Integers, Integers]:
    """Where each crowd begins, and the place of each number in its crowd."""
    sizes = np.bincount(crowd, minlength=n)
    starts = np.cumsum(sizes) - sizes
    return starts, np.arange(len(crowd)) - starts[crowd]
