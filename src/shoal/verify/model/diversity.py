"""How diverse each class is, by the four readings of l-diversity (Machanavajjhala et al. 2006)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.reading.encoding import Floats, Integers, Runs

# exp(entropy) of n equally frequent values is n only up to rounding.
_EXACT = 1e-9


def count_distinct(runs: Runs, n_rows: Integers, c: float = 0.0) -> Integers:
    """The number of distinct values."""
    return runs.lengths


def measure_frequency(runs: Runs, n_rows: Integers, c: float = 0.0) -> Floats:
    """One over the share of the commonest value."""
    frequency: Floats = n_rows / np.maximum.reduceat(runs.counts, runs.starts)
    return frequency


def measure_entropy(runs: Runs, n_rows: Integers, c: float = 0.0) -> Floats:
    """exp(entropy), rounded where it is a whole number but for rounding errors."""
    share = runs.counts / n_rows[runs.classes]
    effective = np.exp(-np.add.reduceat(share * np.log(share), runs.starts))
    whole = np.round(effective)
    return np.where(np.abs(effective - whole) <= _EXACT * whole, whole, effective)


def reach_recursive(runs: Runs, n_rows: Integers, c: float = 0.0) -> Integers:
    """The largest l with r1 < c (r_l + … + r_m), where r1 >= r2 >= …; 0 if there is none.

    The sum shrinks as l grows, so l is the number of tails that are heavy enough. The quotient is
    compared rather than the product: a correctly rounded r1 / tail equals c where the two are
    equal, so the strict inequality is decided correctly for a decimal c.
    """
    order = np.lexsort((-runs.counts, runs.classes))
    counts = runs.counts[order]
    before = np.cumsum(counts, dtype=np.int64) - counts
    tails = n_rows[runs.classes] - (before - before[runs.starts][runs.classes])
    heavy = counts[runs.starts][runs.classes] / tails < c
    return np.add.reduceat(heavy.astype(np.int64), runs.starts)


DIVERSITY: dict[str, Callable[[Runs, Integers, float], NDArray[Any]]] = {
    "distinct": count_distinct,
    "frequency": measure_frequency,
    "entropy": measure_entropy,
    "recursive": reach_recursive,
}
