"""Guesses from weights: which value is likeliest for each person, and how likely it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal.attack.base import Rate
from shoal.reading.encoding import Codes, Floats

# Weights are sums of shares: what differs by less is equal.
_SLACK = 1e-9


class Guess(NamedTuple):
    """The likeliest value of each person, its posterior, and the chance that guessing it is right.

    Of values that are equally likely any is guessed.
    """

    best: Codes
    posterior: Floats
    right: Floats


def guess(weights: csr_array, values: Codes) -> Guess:
    """Guess from the weights of values, a row for each person, whose true values are given."""
    n = weights.shape[0]
    rows = np.repeat(np.arange(n), np.diff(weights.indptr))
    table = pl.DataFrame({"row": rows, "value": weights.indices, "w": weights.data.astype(float)})
    most = pl.col("w").max().over("row")
    top = table.filter(pl.col("w") >= most * (1 - _SLACK)).filter(pl.col("w") > 0)
    found = top.group_by("row").agg(
        pl.col("value").min(), pl.col("w").max(), pl.len().alias("ties")
    )
    best, largest, ties = np.zeros(n, dtype=np.int32), np.zeros(n), np.ones(n)
    at = found["row"].to_numpy()
    best[at], largest[at], ties[at] = (found[c].to_numpy() for c in ("value", "w", "ties"))
    total = np.asarray(weights.sum(axis=1)).ravel()
    posterior = np.where(total > 0, largest / np.where(total > 0, total, 1.0), 0.0)
    own = np.asarray(weights[np.arange(n), values]).ravel()
    right = np.where((own > 0) & (own >= largest * (1 - _SLACK)), 1 / ties, 0.0)
    return Guess(best, posterior, right)


def guess_totals(shown: Codes, values: Codes) -> Rate:
    """How often the commonest published value is right."""
    if not len(shown):
        return Rate.of(0, len(values))
    return Rate.of(float((values == int(np.bincount(shown).argmax())).sum()), len(values))


def less_own(weights: csr_array, values: Codes, own: Floats) -> csr_array:
    """The same weights where each person's own value has so much less."""
    n = weights.shape[0]
    taken = csr_array((own, (np.arange(n), values)), shape=weights.shape)
    rest = (weights - taken).tocsr()
    rest.data = np.maximum(rest.data, 0.0)
    return rest
