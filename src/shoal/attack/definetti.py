"""Do quasi-identifiers and buckets go together? A learner in the manner of Kifer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Target
from shoal.attack.bucket import guess_limit, hidden, in_buckets
from shoal.attack.value import ValueShares, infer, spread
from shoal.reading.encoding import Codes, Floats, Integers, encode_text
from shoal.schema import Role
from shoal.schema.wording import percent

_ROUNDS, _SCALINGS = 30, 10
# What never occurs together counts half: it is unlikely, not impossible.
_SMOOTH = 0.5


class DeFinetti(Attack):
    """A learner that connects quasi-identifiers with buckets (deFinetti).

    Taken alone, a bucket allows any of its rows to have any of its values; the other buckets tell
    more. A naive Bayes learner starts with the shares of values in buckets, learns from them how
    often a label goes with a value, weighs the links of every bucket by that (each row has one
    value, each value occurs as often as in the bucket), and learns again until nothing changes. The
    chance is what it believes in the end. The baseline is the commonest value of all buckets, the
    control the same guess for made-up people. The bound 1/l is that of Lemma 2, whose adversary
    does not learn: it is shown for comparison, and exceeding it breaks no promise.
    """

    name: ClassVar[str] = "definetti"
    cite: ClassVar[papers.Citations] = (papers.cite("kifer"), papers.cite("lgb", "Lemma 2"))
    case: ClassVar[str] = (
        "Buckets of two people: those with a smoker hold cancer and something else, those "
        "without a smoker hold no cancer. One bucket says 1/2; all of them together say that "
        "the smokers have cancer."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        labels = [
            a.name for a in target.schema.of(Role.QUASI, Role.SEMI_SENSITIVE, Role.INSENSITIVE)
        ]
        columns = [n for name in labels for n in (name, f"{name}_low", f"{name}_high")]
        seen = [encode_text(target.data[n]) for n in columns if n in target.data.columns]
        for attribute in hidden(target):
            own, shares = in_buckets(target, attribute)
            inside = target.buckets[attribute.name][0]
            learned = learn(shares, inside, [(c.codes, c.n_codes) for c in seen])
            totals = np.asarray(shares.sum(axis=0)).ravel()
            values = ValueShares(spread(target.who, own, shares.shape[1]), learned, totals)
            found, _ = infer(self.name, attribute.name, target, values)
            before, _ = infer(self.name, attribute.name, target, replace(values, shown=shares))
            note = (
                f"without learning, {percent(before.success.share)} of guesses are right, and no "
                f"value is attributed to anybody with a probability above {percent(before.worst)}"
            )
            limit = guess_limit(target.requirements, attribute.name)
            yield replace(found, bound=limit, beside=limit is not None, note=note)


def learn(shares: csr_array, inside: Integers, seen: list[tuple[Codes, int]]) -> csr_array:
    """What is believed of every row after learning from all of them.

    Two buckets of x and y: wherever somebody is an a, there is an x, so an a has it.

    >>> shares = csr_array(np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0, 0.5], [0.5, 0, 0.5]]))
    >>> letters = np.array([0, 1, 0, 2])
    >>> learn(shares, np.array([0, 0, 1, 1]), [(letters, 3)])[:, [0]].toarray().ravel().round()
    array([1., 0., 1., 0.])
    """
    believed = shares.tocsr().copy()
    n = shares.shape[1]
    rows = np.repeat(np.arange(shares.shape[0]), np.diff(believed.indptr))
    values = believed.indices.astype(np.int64)
    slots = inside[rows].astype(np.int64) * n + values
    _, slot = np.unique(slots, return_inverse=True)
    # How often the bucket has the value: all its rows together have its shares.
    held: Floats = np.bincount(slot, believed.data).astype(float)
    for _ in range(_ROUNDS):
        weights = _likelihood(believed.data, rows, values, n, seen)
        scaled = _scale(weights, rows, slot, held)
        moved = float(np.abs(scaled - believed.data).max(initial=0.0))
        believed.data = scaled
        if moved < 1e-6:
            break
    return believed


def _likelihood(
    believed: Floats, rows: Integers, values: Integers, n: int, seen: list[tuple[Codes, int]]
) -> Floats:
    """How likely the labels of each row are for each of its values, by what is believed so far."""
    totals = np.bincount(values, believed, minlength=n)
    log = np.zeros(len(believed))
    for codes, n_codes in seen:
        keys = codes[rows].astype(np.int64) * n + values
        pairs, at = np.unique(keys, return_inverse=True)
        together = np.bincount(at, believed, minlength=len(pairs))
        log += np.log((together[at] + _SMOOTH) / (totals[values] + _SMOOTH * n_codes))
    most = np.full(int(rows.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(most, rows, log)
    # Never 0: scaling could not bring such a link back, and would divide by the sum of a slot that
    # has no others.
    weights: Floats = np.exp(np.maximum(log - most[rows], -60))
    return weights


def _scale(weights: Floats, rows: Integers, slot: Integers, held: Floats) -> Floats:
    """The links of buckets, so that each row has one value and each value is as often as held."""
    for _ in range(_SCALINGS):
        weights = weights * (held / np.bincount(slot, weights))[slot]
        weights = weights / np.bincount(rows, weights)[rows]
    return weights
