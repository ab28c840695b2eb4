"""What was it before it was made coarser? Labels that are as narrow as they can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.reading.encoding import Flags, Floats, Integers, encode_text
from shoal.schema import Attribute
from shoal.schema.wording import percent
from shoal.verify.text.join import Axis, bounds_axis, is_star, label_axis

# Larger sets would need more terms than they tell.
_LARGEST = 8
_MOST = 20_000_000
_MOST_LABELS = 20_000


class Downcoding(Attack):
    """Downcoding: what exact value is behind a range or a set?

    Where ranges and sets are no wider than the values of their class, somebody has each end of a
    range and each member of a set. The adversary knows how common every value is, but nobody's
    quasi-identifiers, and guesses the value of a row from its label and the size of its class,
    given that the ends are there. Cells that are published as they were do not count. The baseline
    is the commonest value of the whole column, the control the commonest one that the label covers:
    what the label says about anybody, in the data or not. It analyses labels alone, without a
    replay of the method, and ignores hierarchies, since how narrow their labels are depends on the
    method. Nothing is promised about it.
    """

    name: ClassVar[str] = "downcoding"
    cite: ClassVar[papers.Citations] = (papers.cite("cohen"),)
    case: ClassVar[str] = (
        "A class `[30, 34]` of two. However common 32 is, one of the two is 30 and the other 34: "
        "each row is either with probability 1/2."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        # The ends of snapped ranges need not be anybody's values.
        if target.ranges == "snapped":
            return
        for attribute in target.schema.quasi:
            found = None if attribute.hierarchy is not None else self._guess(target, attribute)
            if found is not None:
                yield found

    def _guess(self, target: Target, attribute: Attribute) -> Gain | None:
        (axis, star), crowd = _axis(target, attribute), target.crowd
        of_kind = np.zeros(crowd.fits.shape[1], dtype=np.int64)
        of_kind[crowd.of_unit] = axis.labels[target.first_rows]
        # What a row tells depends on its label and on the size of its class alone.
        keys, kind = np.unique(np.stack([of_kind, crowd.sizes]), axis=1, return_inverse=True)
        n_keys = keys.shape[1]
        if not n_keys or n_keys > _MOST_LABELS or n_keys * axis.n_values > _MOST:
            return None
        shares = np.bincount(axis.values, minlength=axis.n_values) / max(len(axis.values), 1)
        told = [
            _tell(axis, shares, int(label), 0 if star[label] else int(size))
            for label, size in keys.T
        ]
        coarse, best, posterior, usual = (np.array(one)[kind] for one in zip(*told, strict=True))
        return self._measure(target, attribute.name, axis, coarse, best, posterior, usual, shares)

    def _measure(
        self,
        target: Target,
        about: str,
        axis: Axis,
        coarse: Integers,
        best: Integers,
        posterior: Floats,
        usual: Integers,
        shares: Floats,
    ) -> Gain | None:
        """Everybody's chance, over the rows that can be theirs and show something coarser."""
        crowd = target.crowd
        own, weight = axis.values[crowd.rows], (crowd.sizes * coarse).astype(float)
        total = (crowd.fits @ weight)[crowd.of_person]
        there = total > 0
        if not there.any():
            return None

        def hits(guessed: Integers) -> Floats:
            """Everybody's share of the rows for which their own value is guessed."""
            at = (np.arange(len(guessed)), guessed)
            by_value = crowd.fits @ csr_array((weight, at), shape=(len(guessed), axis.n_values))
            found: Floats = np.asarray(by_value.tocsr()[crowd.of_person[there], own[there]]).ravel()
            shares_of: Floats = found / total[there]
            return shares_of

        right, alone = hits(best), hits(usual)
        chances = (crowd.fits @ (weight * posterior))[crowd.of_person][there] / total[there]
        n = len(own)
        common = int(shares.argmax())
        n_there = int(there.sum())
        found = gain(
            self.name,
            about,
            chances,
            Rate.of(float(right.sum()), n_there),
            Rate.of(float((own[there] == common).sum()), n_there),
            Rate.of(float(alone.sum()), n_there),
            crowd.rows[there],
        )
        note = f"{percent(n_there / n)} of people fit a row that shows something coarser"
        return replace(found, note=note, strangers="anybody whom the label covers")


def _axis(target: Target, attribute: Attribute) -> tuple[Axis, Flags]:
    """What the labels cover, and which of them cover everything, whoever is in the class."""
    name, data, known = attribute.name, target.data, target.known
    if name in data.columns:
        labels = encode_text(data[name])
        return label_axis(labels, known[name], attribute), is_star(labels)
    low, high = data[f"{name}_low"], data[f"{name}_high"]
    axis = bounds_axis(low, high, known[name], attribute)
    star = np.zeros(len(axis.low), dtype=np.bool_)
    star[axis.labels[(low.is_null() & high.is_null()).to_numpy()]] = True
    return axis, star


def _tell(axis: Axis, shares: Floats, label: int, size: int) -> tuple[bool, int, float, int]:
    """Whether a label is coarse, the likeliest value with its chance, and the usual one.

    The size is that of the class, 0 where nothing says which values are in it.
    """
    values = np.arange(axis.low[label], axis.high[label] + 1)
    values = values[axis.covers(values, np.full(len(values), label)) & (shares[values] > 0)]
    if len(values) < 2:
        only = int(values[0]) if len(values) else 0
        return False, only, 1.0, only
    prior = shares[values] / shares[values].sum()
    needed = np.arange(len(values)) if axis.ragged[label] else np.array([0, len(values) - 1])
    chance = given_all_there(prior, needed, size) if size and len(needed) <= _LARGEST else prior
    best = int(chance.argmax())
    return True, int(values[best]), float(chance[best]), int(values[int(prior.argmax())])


def given_all_there(shares: Floats, needed: Integers, size: int) -> Floats:
    """The chance of every value in a row of a class, given that all `needed` ones are in the class.

    By inclusion and exclusion over those that are lacking in the other rows.

    Of two people one is 30 and the other is 34, however rare these ages are.

    >>> given_all_there(np.array([0.1, 0.8, 0.1]), np.array([0, 2]), 2)
    array([0.5, 0. , 0.5])
    """
    lacking = _subsets(len(needed))
    signs = 1 - 2 * (lacking.sum(axis=1) % 2)
    terms = signs * np.maximum(1 - lacking @ shares[needed], 0.0) ** (size - 1)
    others = np.full(len(shares), terms.sum())
    # A needed value that the row itself has cannot be lacking.
    others[needed] = terms @ (1 - lacking)
    found = shares * np.maximum(others, 0.0)
    total = float(found.sum())
    return found / total if total > 1e-12 else shares


@cache
def _subsets(n: int) -> Integers:
    """All subsets of n things, a row each."""
    found: Integers = np.arange(1 << n)[:, None] >> np.arange(n) & 1
    return found
