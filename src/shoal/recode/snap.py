"""Ranges whose ends are round instead of real values (`ranges: snapped`)."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

import numpy as np
from numpy.typing import NDArray

Ends = tuple[NDArray[np.float64], NDArray[np.float64]]


def snap_numbers(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    domain: tuple[float, float] | None,
) -> Ends:
    """Widen to multiples of the largest 1, 2 or 5 times a power of ten within the range.

    A declared domain is public, so no end goes beyond it.

    >>> snap_numbers(np.array([23.0]), np.array([41.0]), None)
    (array([20.]), array([50.]))
    """
    pairs = [_snap(a, b) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    first = np.array([p[0] for p in pairs], dtype=np.float64)
    last = np.array([p[1] for p in pairs], dtype=np.float64)
    if domain is not None:
        first, last = np.maximum(first, domain[0]), np.minimum(last, domain[1])
    return first, last


def _snap(low: float, high: float) -> tuple[float, float]:
    # In decimal, so that a multiple of 0.1 is 0.3 and not 0.30000000000000004.
    step = _round_step(Decimal(repr(high)) - Decimal(repr(low)))
    a = (Decimal(repr(low)) / step).to_integral_value(ROUND_FLOOR) * step
    b = (Decimal(repr(high)) / step).to_integral_value(ROUND_CEILING) * step
    return float(a), float(b)


def _round_step(width: Decimal) -> Decimal:
    power = Decimal(1).scaleb(width.adjusted())
    return max(step for step in (power, 2 * power, 5 * power) if step <= width)


def snap_dates(
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    domain: tuple[float, float] | None,
) -> Ends:
    """Widen to whole months, or to whole years where the range is longer than a month."""
    # Ends need not stop at a declared domain: only numbers can have one.
    first, last = low.astype("datetime64[D]"), high.astype("datetime64[D]")
    long = high - low > 31
    start = np.where(long, first.astype("datetime64[Y]").astype("datetime64[D]"),
                     first.astype("datetime64[M]").astype("datetime64[D]"))  # fmt: skip
    end = np.where(long, (last.astype("datetime64[Y]") + 1).astype("datetime64[D]"),
                   (last.astype("datetime64[M]") + 1).astype("datetime64[D]"))  # fmt: skip
    return start.astype(np.int64).astype(np.float64), end.astype(np.int64).astype(np.float64) - 1
