"""Personal sensitivities: the three regions, and the k that follows from them (MKS3WD)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Flags = NDArray[np.bool_]
Pairs = Sequence[tuple[float, float]]


def regions(f: ArrayLike, alpha: float, beta: float) -> tuple[Flags, Flags, Flags]:
    """The positive, boundary and negative region of sensitivities (MKS3WD, eq. 13 to 15).

    POS: f >= alpha; NEG: f <= beta and not POS; BND: the rest.

    >>> pos, bnd, neg = regions([0.9, 0.5, 0.1], 0.8, 0.2)
    >>> pos.tolist(), bnd.tolist(), neg.tolist()
    ([True, False, False], [False, True, False], [False, False, True])
    """
    values = np.asarray(f, dtype=np.float64)
    positive = values >= alpha
    negative = (values <= beta) & ~positive
    return positive, ~(positive | negative), negative


def first_decisions(f: ArrayLike, thresholds: Pairs) -> tuple[NDArray[np.int64], Flags, Flags]:
    """The level (from 0) that first decides each sensitivity, and whether it is POS or NEG there.

    If no level decides, the level is the last and both flags are False.
    """
    values = np.asarray(f, dtype=np.float64)
    level = np.full(len(values), len(thresholds) - 1, dtype=np.int64)
    positive, negative = np.zeros(len(values), np.bool_), np.zeros(len(values), np.bool_)
    open_ = np.ones(len(values), dtype=np.bool_)
    for t, (alpha, beta) in enumerate(thresholds):
        pos, _, neg = regions(values, alpha, beta)
        level[open_ & (pos | neg)] = t
        positive |= open_ & pos
        negative |= open_ & neg
        open_ &= ~(pos | neg)
    return level, positive, negative


def region_names(n_levels: int) -> list[str]:
    """The names of the regions by number: POS1, BND1, NEG1, POS2, …"""
    return [f"{region}{t + 1}" for t in range(n_levels) for region in ("POS", "BND", "NEG")]


def asked_k(f: ArrayLike, thresholds: Pairs, levels: Pairs) -> NDArray[np.int32]:
    """The k that each person asks for by classification alone (Example 2).

    HK_t or LK_t at the first t that decides; HK of the last level if none does.

    >>> asked_k([0.9, 0.5, 0.1], [(0.8, 0.2), (0.6, 0.4)], [(6, 1), (5, 2)]).tolist()
    [6, 5, 1]
    """
    level, _, negative = first_decisions(f, thresholds)
    pairs = np.asarray(levels, dtype=np.int32)
    return np.asarray(np.where(negative, pairs[level, 1], pairs[level, 0]), dtype=np.int32)
