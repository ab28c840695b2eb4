"""How much of a numeric domain a published label covers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.hierarchy import ROOT
from shoal.schema import Kind
from shoal.table.domain import Domain

_PLAIN = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d{4}-\d{2}-\d{2}"
_INSIDE = re.compile(rf"\[({_PLAIN}), ({_PLAIN})[\[\]]", re.ASCII)
_TAIL = re.compile(rf"(>=|<)({_PLAIN})", re.ASCII)


def label_shares(domain: Domain, texts: Sequence[str | None]) -> NDArray[np.float64]:
    """The length of each label of a numeric hierarchy within the domain, as a share of the domain.

    A value has no length; a tail reaches to the end of the domain. A label in no known notation
    (`20-29` in a file) is as long as the values under it; `*` is the whole domain.
    """
    low, high = domain.ends
    if not domain.span:
        return np.zeros(len(texts))
    below = _ends_of_nodes(domain)
    ends = np.array([_label_ends(domain, text, below) for text in texts]).reshape(-1, 2)
    clipped = np.clip(ends, low, high)
    return np.asarray((clipped[:, 1] - clipped[:, 0]) / domain.span)


def _ends_of_nodes(domain: Domain) -> dict[str | None, tuple[float, float]]:
    """The least and the largest number under each label of the hierarchy."""
    tree, numbers = domain.tree, domain.numbers
    if tree is None or numbers is None:
        return {}
    least, most = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    known = np.flatnonzero(np.isfinite(numbers))
    for nodes in tree.node:
        np.minimum.at(least, nodes[known], numbers[known])
        np.maximum.at(most, nodes[known], numbers[known])
    found: dict[str | None, tuple[float, float]] = {}
    for text, a, b in zip(tree.labels, least.tolist(), most.tolist(), strict=True):
        before = found.get(text, (np.inf, -np.inf))
        found[text] = min(a, before[0]), max(b, before[1])
    return {text: ends for text, ends in found.items() if ends[0] <= ends[1]}


def _label_ends(
    domain: Domain, text: str | None, below: Mapping[str | None, tuple[float, float]]
) -> tuple[float, float]:
    low, high = domain.ends
    if text is None:
        return low, low
    inside, tail = _INSIDE.fullmatch(text), _TAIL.fullmatch(text)
    if inside is not None:
        return _number(domain, inside[1]), _number(domain, inside[2])
    if tail is not None:
        end = _number(domain, tail[2])
        return (end, high) if tail[1] == ">=" else (low, end)
    return (low, high) if text == ROOT else below.get(text, (low, high))


def _number(domain: Domain, text: str) -> float:
    if domain.attribute.kind is Kind.DATE and text.count("-") == 2:
        return float(np.datetime64(text, "D").astype(np.int64))
    return float(text) if text.count("-") < 2 else np.nan
