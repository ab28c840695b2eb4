"""Bands of numbers that a column is already cut into, such as `[70-80)`, `70-79` and `80+`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from itertools import pairwise

# Zeros in front are not written of ages or incomes: 03-04 is a date or a code.
_END = r"((?:0|[1-9]\d*)(?:\.\d+)?)"
_CLOSED = re.compile(rf"[\[(\]]?\s*{_END}\s*(?:-|–|,|;|to)\s*{_END}\s*[\])\[]?", re.ASCII)
_ABOVE = re.compile(rf"{_END}\s*\+|>=?\s*{_END}", re.ASCII)
_BELOW = re.compile(rf"<=?\s*{_END}", re.ASCII)


def order_bands(texts: Collection[str]) -> tuple[str, ...] | None:
    """The texts in ascending order, if all are bands that do not overlap; None if in doubt.

    >>> order_bands(["[100-110)", "[90-100)", "[0-10)"])
    ('[0-10)', '[90-100)', '[100-110)')
    >>> order_bands(["80+", "9-17", "18-79", "<9"])
    ('<9', '9-17', '18-79', '80+')
    >>> order_bands(["1-5", "3-4"]), order_bands(["1-5"]), order_bands(["1-5", "x"])
    (None, None, None)
    """
    found = [(_band(text), text) for text in texts]
    bands = sorted((band, text) for band, text in found if band is not None)
    if len(bands) < max(len(found), 2):
        return None
    if any(upper[0] < lower[1] for (lower, _), (upper, _) in pairwise(bands)):
        return None
    return tuple(text for _, text in bands)


def _band(text: str) -> tuple[float, float] | None:
    """The two ends of a band."""
    text = text.strip()
    if found := _CLOSED.fullmatch(text):
        low, high = float(found[1]), float(found[2])
        return (low, high) if low < high else None
    if found := _ABOVE.fullmatch(text):
        return float(found[1] or found[2]), math.inf
    if found := _BELOW.fullmatch(text):
        return -math.inf, float(found[1])
    return None
