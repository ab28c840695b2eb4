"""Thresholds and pairs of k worth trying, from the sensitivities of the people in the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.model import MultiLevelK
from shoal.model.sensitivity import first_decisions

ThresholdPairs = list[tuple[float, float]]
Pairs = list[tuple[int, int]]
_EPSILON = 1e-9


@dataclass(frozen=True)
class Candidate:
    """A requirement to rehearse, and the rule behind its thresholds."""

    family: str
    model: MultiLevelK


def most_levels(highest_k: int) -> int:
    """How many levels there can be: the last pair must have HK above LK.

    >>> [most_levels(k) for k in (2, 3, 8, 9)]
    [1, 1, 4, 4]
    """
    return highest_k // 2


def pairs_of_k(highest_k: int, n_levels: int) -> Pairs:
    """A pair for each level: (K, 1), (K-1, 2) … (MKS3WD, section 5.3).

    >>> pairs_of_k(8, 3)
    [(8, 1), (7, 2), (6, 3)]
    """
    return [(highest_k - t, t + 1) for t in range(n_levels)]


def even_thresholds(n_levels: int) -> ThresholdPairs:
    """Equal steps from both ends to the middle: a_t = 1 - t/2l, b_t = t/2l.

    >>> even_thresholds(2)
    [(0.75, 0.25), (0.5, 0.5)]
    """
    steps = [round(t / (2 * n_levels), 6) for t in range(1, n_levels + 1)]
    return [(round(1 - step, 6), step) for step in steps]


class Distribution:
    """The sensitivities of people, and the thresholds that split them at given shares."""

    def __init__(self, f: NDArray[np.float64]) -> None:
        self._values, counts = np.unique(f, return_counts=True)
        # above[c] is the share of people with at least the c-th value.
        self._above = np.append(np.cumsum(counts[::-1])[::-1], 0) / len(f)

    def quantile_thresholds(
        self, n_levels: int, share: float | None = None
    ) -> ThresholdPairs | None:
        """Every level decides about the same number of people at both ends; ties stay together.

        With `share`, at most that share is above the first a, and the rest is split evenly. None if
        too many people have the same f for that.

        >>> Distribution(np.arange(8) / 7).quantile_thresholds(2)
        [(0.8, 0.2), (0.5, 0.5)]
        """
        first = 1 / (2 * n_levels) if share is None else share
        step = (1 - first) / (2 * n_levels - 1)
        high = [self._nearest(first + t * step) for t in range(n_levels)]
        if share is not None:
            high[0] = self._at_most(share)
            if high[0] == len(self._values):
                return None
            high[1:] = [min(cut, high[0]) for cut in high[1:]]
        low = [min(self._nearest(1 - t * step), high[-1]) for t in range(1, n_levels)]
        a = [self._threshold_above(cut) for cut in high]
        b = [min(self._threshold_below(cut), a[-1]) for cut in low]
        return list(zip(a, [*b, a[-1]], strict=True))

    def _nearest(self, share: float) -> int:
        """The cut with about this share above it; at least one person is above."""
        return int(np.argmin(np.abs(self._above[:-1] - share)))

    def _at_most(self, share: float) -> int:
        return int(np.flatnonzero(self._above <= share + _EPSILON)[0])

    # A short decimal is easy to read and, mostly, nobody's own f: thresholds are published.
    def _threshold_above(self, cut: int) -> float:
        """The shortest decimal a with f >= a for exactly the values from the cut on."""
        high = float(self._values[cut])
        low = float(self._values[cut - 1]) if cut else -1.0
        for n_digits in range(1, 16):
            a = max(0.0, np.floor(high * 10**n_digits + _EPSILON) / 10**n_digits)
            if low < a <= high:
                return float(a)
        return high

    def _threshold_below(self, cut: int) -> float:
        """The shortest decimal b with f <= b for exactly the values below the cut."""
        high = float(self._values[cut])
        low = float(self._values[cut - 1]) if cut else 0.0
        for n_digits in range(1, 16):
            b = max(0.0, np.ceil(low * 10**n_digits - _EPSILON) / 10**n_digits)
            if low <= b < high:
                return float(b)
        return low


def candidates(
    f: NDArray[np.float64],
    highest_k: int,
    n_levels: int,
    share: float | None = None,
    like: MultiLevelK | None = None,
) -> Iterator[Candidate]:
    """Every family with 1 to `n_levels` levels, each requirement once.

    What the levels of `like` require besides k, and its `strict`, are kept level by level; further
    levels take those of the last. A candidate with a level that decides nobody is left out.
    """
    spread = Distribution(f)
    seen: list[MultiLevelK] = []
    for n in range(1, n_levels + 1):
        found: dict[str, ThresholdPairs | None] = {
            "even": even_thresholds(n),
            "quantile": spread.quantile_thresholds(n),
            "share": None if share is None else spread.quantile_thresholds(n, share),
        }
        for family, thresholds in found.items():
            if thresholds is None or not _all_decide(f, thresholds):
                continue
            model = _model(thresholds, pairs_of_k(highest_k, n), like)
            if model not in seen:
                seen.append(model)
                yield Candidate(family, model)


def _all_decide(f: NDArray[np.float64], thresholds: ThresholdPairs) -> bool:
    level, _, _ = first_decisions(f, thresholds)
    return len(np.unique(level)) == len(thresholds)


def _model(thresholds: ThresholdPairs, pairs: Pairs, like: MultiLevelK | None) -> MultiLevelK:
    extras: Sequence[Mapping[str, Any]] = [{}]
    if like is not None:
        extras = [level.model_extra or {} for level in like.levels]
    levels = [{"k": pair, **extras[min(t, len(extras) - 1)]} for t, pair in enumerate(pairs)]
    strict = like is not None and like.strict
    return MultiLevelK.model_validate(
        {"thresholds": thresholds, "levels": levels, "strict": strict}
    )
