"""Guesses from weights: which value is likeliest for each person, and how likely it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.sparse import csr_array

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
    own = csr_array((np.ones(n), (np.arange(n), values)), shape=weights.shape)
    return guess_among(weights, own)


def guess_among(weights: csr_array, own: csr_array) -> Guess:
    """The same of people who may have several values: `own` has the share of each among theirs."""
    n = weights.shape[0]
    rows = np.repeat(np.arange(n), np.diff(weights.indptr))
    table = pl.DataFrame({"row": rows, "value": weights.indices, "w": weights.data.astype(float)})
    most = pl.col("w").max().over("row")
    top = table.filter(pl.col("w") >= most * (1 - _SLACK)).filter(pl.col("w") > 0)
    if not top.height:
        return Guess(np.zeros(n, dtype=np.int32), np.zeros(n), np.zeros(n))
    hit = np.asarray(own[top["row"].to_numpy(), top["value"].to_numpy()]).ravel()
    found = (
        top.with_columns(pl.Series("hit", hit))
        .group_by("row")
        .agg(pl.col("value").min(), pl.col("w").max(), pl.col("hit").mean())
    )
    best, largest, right = np.zeros(n, dtype=np.int32), np.zeros(n), np.zeros(n)
    at = found["row"].to_numpy()
    best[at], largest[at], right[at] = (found[c].to_numpy() for c in ("value", "w", "hit"))
    total = np.asarray(weights.sum(axis=1)).ravel()
    return Guess(best, ratio(largest, total), right)


def ratio(part: Floats | float, whole: Floats) -> Floats:
    """The parts of wholes, nothing of a whole that is none."""
    found: Floats = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
    return found


def less_own(weights: csr_array, values: Codes, own: Floats) -> csr_array:
    """The same weights where each person's own value has so much less."""
    n = weights.shape[0]
    return less(weights, csr_array((own, (np.arange(n), values)), shape=weights.shape))


def less(weights: csr_array, taken: csr_array) -> csr_array:
    """The same weights without what is taken, none of them below nothing."""
    rest = (weights - taken).tocsr()
    rest.data = np.maximum(rest.data, 0.0)
    return rest
