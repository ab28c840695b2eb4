"""What does this person keep secret? The posterior of buckets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import ClassVar, TypeAlias

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.inference import WITHOUT_THEM
from shoal.attack.posterior import guess, less_own
from shoal.attack.value import weigh
from shoal.model.l_diversity import limits_guesses
from shoal.reading.encoding import Codes, dense_codes
from shoal.schema import Attribute, Requirement
from shoal.verify.text.assignment import same_codes

BucketShares: TypeAlias = tuple[Codes, csr_array]


class Bucket(Attack):
    """Buckets: what is the value of this person in a bucket?

    The adversary knows the quasi-identifiers of somebody and looks for the rows whose labels cover
    them. Each points to a bucket, in which every value has a share: the posterior of a value is the
    mean of its shares (Lemma 2 bounds the largest). The baseline is the commonest value of all
    buckets, the control the same guess without what the person's own value adds to it. Two secret
    columns are also guessed together: in a row, any value of one bucket may go with any value of
    the other.
    """

    name: ClassVar[str] = "bucket"
    cite: ClassVar[papers.Citations] = (papers.cite("lgb", "Lemma 2"),)
    case: ClassVar[str] = (
        "Four rows that look alike point to a bucket with a and b and to one with a and c. The "
        "posterior of a is 1/2, that of b and of c is 1/4."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        found = {a: in_buckets(target, a) for a in hidden(target)}
        for attribute, (own, shares) in found.items():
            reached = self._guess(target, attribute.name, own, shares)
            yield replace(reached, bound=guess_limit(target.requirements, attribute.name))
        for one, other in combinations(found, 2):
            about = f"{one.name} and {other.name}"
            yield self._guess(target, about, *_together(found[one], found[other]))

    def _guess(self, target: Target, about: str, own: Codes, shares: csr_array) -> Gain:
        crowd, values = target.crowd, own[target.crowd.rows]
        weights = weigh(crowd, shares)
        found = guess(weights, values)
        # In a bucket of size s the own value adds 1/s to the own row, and to others of the bucket.
        by_unit = weigh(crowd, _smallest(shares)).shown
        added = (crowd.fits @ by_unit.toarray().ravel())[crowd.of_person]
        alone = guess(less_own(weights, values, added / np.maximum(crowd.matches, 1)), values)
        totals = np.asarray(shares.sum(axis=0)).ravel()
        common = int(totals.argmax()) if len(totals) else 0
        reached = gain(
            self.name,
            about,
            found.posterior,
            Rate.of(float(found.right.sum()), len(values)),
            Rate.of(float((values == common).sum()), len(values)),
            Rate.of(float(alone.right.sum()), len(values)),
            crowd.rows,
        )
        return replace(reached, strangers=WITHOUT_THEM)


def _smallest(shares: csr_array) -> csr_array:
    """What one cell of the bucket of every row is worth: its smallest share."""
    least = np.zeros(shares.shape[0])
    rows = np.repeat(np.arange(len(least)), np.diff(shares.indptr))
    least[rows] = 1.0
    np.minimum.at(least, rows, shares.data)
    return csr_array(least[:, None])


def hidden(target: Target) -> list[Attribute]:
    """The sensitive attributes whose values are in buckets."""
    return [
        a
        for a in target.schema.sensitive
        if a.name in target.buckets and a.name in target.known.columns
    ]


def in_buckets(target: Target, attribute: Attribute) -> BucketShares:
    """The known values, and of every published row the shares of values in its bucket."""
    inside, owners, listed = target.buckets[attribute.name]
    own, codes, n = same_codes(target.known[attribute.name], listed, attribute)
    n_buckets = int(max(owners.max(initial=-1), inside.max(initial=-1))) + 1
    sizes = np.bincount(owners, minlength=n_buckets)
    # The last one is for rows that point to no bucket.
    shares = csr_array((1 / sizes[owners], (owners, codes)), shape=(n_buckets + 1, n))
    return own, shares[np.where(inside < 0, n_buckets, inside)]


def _together(
    one: tuple[Codes, csr_array], other: tuple[Codes, csr_array]
) -> tuple[Codes, csr_array]:
    """Two columns as one, whose values are pairs; in a row their shares multiply."""
    n_other = other[1].shape[1]
    left, right = (
        pl.DataFrame({"row": m.coords[0], name: m.coords[1].astype(np.int64), f"w{name}": m.data})
        for m, name in ((one[1].tocoo(), "a"), (other[1].tocoo(), "b"))
    )
    pairs = left.join(right, on="row")
    keys = (pairs["a"] * n_other + pairs["b"]).to_numpy()
    own = one[0].astype(np.int64) * n_other + other[0]
    codes, distinct = dense_codes(np.append(own, keys))
    shares = (pairs["wa"] * pairs["wb"]).to_numpy()
    shape = (one[1].shape[0], len(distinct))
    return codes[: len(own)], csr_array((shares, (pairs["row"], codes[len(own) :])), shape=shape)


def guess_limit(requirements: Iterable[Requirement], name: str) -> float | None:
    """1/l of the buckets of an attribute; None where nothing limits guesses.

    >>> guess_limit([Requirement("l-diversity", {"l": 4})], "ill")
    0.25
    """
    limits = [
        1 / r.parameters["l"]
        for r in requirements
        if limits_guesses(r.model, r.parameters) and r.parameters.get("attribute") in (None, name)
    ]
    return min(limits, default=None)
