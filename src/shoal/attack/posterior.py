"""Guesses from weights: which value is likeliest for each person, and how likely it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array, eye_array

from shoal.reading.encoding import Codes, Floats, Integers

# Weights are sums of shares: what differs by less is equal.
_SLACK = 1e-9
# People × values of a large table do not fit into memory: 100,000 people in crowds of 10,000 values
# have a thousand million weights. At about 60 bytes for each, a block needs some 250 MB.
_ENTRIES = 4_000_000


@dataclass(frozen=True, eq=False)
class ValueWeights:
    """Weights of values, a row for each person, which are worked out for some people at a time.

    `kinds` is the kind of every person, `fits` has for each kind which units it can be, `shown` for
    each unit the weights of its values; `taken` is what each person's own weights have less.
    """

    kinds: Codes | Integers
    fits: csr_array
    shown: csr_array
    taken: csr_array | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """How many people and values there are."""
        return len(self.kinds), self.shown.shape[1]

    @cached_property
    def n_entries(self) -> Integers:
        """At most so many weights of each person are not 0."""
        ones = np.ones(self.fits.nnz, dtype=np.int64)
        pattern = csr_array((ones, self.fits.indices, self.fits.indptr), shape=self.fits.shape)
        of_kind = pattern @ np.diff(self.shown.indptr).astype(np.int64)
        found: Integers = np.minimum(of_kind, self.shown.shape[1])[self.kinds]
        return found

    @cached_property
    def order(self) -> Integers:
        """The people by their kinds, so that a block has few of them."""
        return np.argsort(self.kinds, kind="stable")

    def rows(self, people: Integers) -> csr_array:
        """The weights of these people."""
        kinds, at = np.unique(self.kinds[people], return_inverse=True)
        found = (self.fits[kinds] @ self.shown).tocsr()
        # So that sums are the same, whoever is in the block.
        found.sort_indices()
        found = found[at]
        if self.taken is not None:
            found = (found - self.taken[people]).tocsr()
            found.data = np.maximum(found.data, 0.0)
        return found


@dataclass(frozen=True, eq=False)
class Product:
    """The products of two weights of the same people."""

    one: ValueWeights
    two: ValueWeights

    @property
    def shape(self) -> tuple[int, int]:
        """How many people and values there are."""
        return self.one.shape

    @property
    def n_entries(self) -> Integers:
        """At most so many weights of each person are needed at once."""
        found: Integers = self.one.n_entries + self.two.n_entries
        return found

    @property
    def order(self) -> Integers:
        """The people by their kinds in the first."""
        return self.one.order

    def rows(self, people: Integers) -> csr_array:
        """The weights of these people."""
        return self.one.rows(people).multiply(self.two.rows(people)).tocsr()


AnyValueWeights: TypeAlias = ValueWeights | Product


def weights_of(rows: csr_array) -> ValueWeights:
    """Weights that are known, a row for each person."""
    n, n_values = rows.shape
    return ValueWeights(np.arange(n), rows, csr_array(eye_array(n_values)))


def blocks(weights: AnyValueWeights) -> Iterator[tuple[Integers, csr_array]]:
    """All people with their weights, in blocks that fit into memory."""
    order = weights.order
    ends = np.cumsum(weights.n_entries[order])
    start = 0
    while start < len(order):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + _ENTRIES, side="right")))
        people = order[start:stop]
        yield people, weights.rows(people)
        start = stop


class Guess(NamedTuple):
    """The likeliest value of each person, its posterior, and the chance that guessing it is right.

    Of values that are equally likely any is guessed. `weight` is the largest weight.
    """

    best: Codes
    posterior: Floats
    right: Floats
    weight: Floats


def guess(weights: AnyValueWeights, values: Codes) -> Guess:
    """Guess from the weights of values, a row for each person, whose true values are given."""
    n = weights.shape[0]
    own = csr_array((np.ones(n), (np.arange(n), values)), shape=weights.shape)
    return guess_among(weights, own)


def guess_among(weights: AnyValueWeights, own: csr_array) -> Guess:
    """The same of people who may have several values: `own` has the share of each among theirs."""
    n = weights.shape[0]
    found = Guess(np.zeros(n, dtype=np.int32), np.zeros(n), np.zeros(n), np.zeros(n))
    for people, rows in blocks(weights):
        best, posterior, right, weight = _guess_rows(rows, own[people])
        found.best[people], found.posterior[people] = best, posterior
        found.right[people], found.weight[people] = right, weight
    return found


def _guess_rows(weights: csr_array, own: csr_array) -> Guess:
    """The guesses of one block of people."""
    n = weights.shape[0]
    data, sizes = weights.data.astype(float), np.diff(weights.indptr)
    most = np.zeros(n)
    # Between the starts of rows that are not empty there is nothing else.
    most[sizes > 0] = np.maximum.reduceat(data, weights.indptr[:-1][sizes > 0]) if len(data) else 0
    top = np.flatnonzero((data >= np.repeat(most * (1 - _SLACK), sizes)) & (data > 0))
    if not len(top):
        return Guess(np.zeros(n, dtype=np.int32), np.zeros(n), np.zeros(n), np.zeros(n))
    rows = np.searchsorted(weights.indptr, top, side="right") - 1
    values = weights.indices[top]
    hit = np.asarray(own[rows, values]).ravel()
    n_top = np.bincount(rows, minlength=n)
    best = np.full(n, weights.shape[1], dtype=np.int32)
    np.minimum.at(best, rows, values)
    best[n_top == 0] = 0
    total = np.asarray(weights.sum(axis=1)).ravel()
    right = np.bincount(rows, hit, minlength=n) / np.maximum(n_top, 1)
    return Guess(best, ratio(most, total), right, most)


def ratio(part: Floats | float, whole: Floats) -> Floats:
    """The parts of wholes, nothing of a whole that is none."""
    found: Floats = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), 0.0)
    return found


def less_own(weights: ValueWeights, values: Codes, own: Floats) -> ValueWeights:
    """The same weights where each person's own value has so much less."""
    n = weights.shape[0]
    return less(weights, csr_array((own, (np.arange(n), values)), shape=weights.shape))


def less(weights: ValueWeights, taken: csr_array) -> ValueWeights:
    """The same weights without what is taken, none of them below nothing."""
    return replace(weights, taken=taken)
