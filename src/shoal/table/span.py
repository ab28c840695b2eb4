"""How much of a numeric domain a published label leaves open."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.schema import Kind
from shoal.table.domain import Domain

_PLAIN = r"[-+]?[\d.]+(?:[eE][-+]?\d+)?|\d{4}-\d{2}-\d{2}"
_INSIDE = re.compile(rf"\[({_PLAIN}), ({_PLAIN})[\[\]]")


def label_shares(domain: Domain, texts: Sequence[str | None]) -> NDArray[np.float64]:
    """The length of each label of a numeric hierarchy, as far as it lies in the domain, by all.

    A value has no length; a tail goes on to the end of the domain; what is no interval is all.
    """
    low, high = _ends(domain)
    whole = high - low
    if not whole:
        return np.zeros(len(texts))
    ends = np.array([_label_ends(domain, text, low, high) for text in texts])
    clipped = np.clip(ends, low, high)
    return np.asarray((clipped[:, 1] - clipped[:, 0]) / whole)


def _ends(domain: Domain) -> tuple[float, float]:
    if domain.attribute.domain is not None:
        return domain.attribute.domain
    if domain.numbers is None or not np.isfinite(domain.numbers).any():
        return 0.0, 0.0
    return float(np.nanmin(domain.numbers)), float(np.nanmax(domain.numbers))


def _label_ends(domain: Domain, text: str | None, low: float, high: float) -> tuple[float, float]:
    if text is None:
        return low, low
    inside = _INSIDE.fullmatch(text)
    if inside is not None:
        return _number(domain, inside[1]), _number(domain, inside[2])
    if text.startswith(">="):
        return _number(domain, text[2:]), high
    if text.startswith("<"):
        return low, _number(domain, text[1:])
    if re.fullmatch(_PLAIN, text) and domain.attribute.kind is Kind.NUMERIC:
        return _number(domain, text), _number(domain, text)
    return low, high


def _number(domain: Domain, text: str) -> float:
    if domain.attribute.kind is Kind.DATE:
        return float(np.datetime64(text, "D").astype(np.int64))
    return float(text)
