"""What does this person keep secret? The posterior of buckets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.posterior import guess, guess_totals, less_own
from shoal.schema import Attribute
from shoal.verify.text.assignment import same_codes


class Bucket(Attack):
    """Buckets: what is the value of this person in a bucket?

    The adversary knows the quasi-identifiers of somebody and looks for the rows whose labels cover
    them. Each points to a bucket, in which a value has its share: the posterior of a value is the
    mean of its shares (Lemma 2 bounds the largest). The baseline is the commonest value of all
    buckets, the control the same guess without what the person's own value adds to it.
    """

    name: ClassVar[str] = "bucket"
    cite: ClassVar[papers.Citations] = (papers.cite("lgb", "Lemma 2"),)

    def run(self, target: Target) -> Iterator[Gain]:
        for attribute in target.schema.sensitive:
            if attribute.name in target.buckets and attribute.name in target.known.columns:
                yield self._guess(target, attribute)

    def _guess(self, target: Target, attribute: Attribute) -> Gain:
        crowd, (inside, owners, listed) = target.crowd, target.buckets[attribute.name]
        own, codes, n = same_codes(target.known[attribute.name], listed, attribute)
        values = own[crowd.rows]
        n_buckets = int(max(owners.max(initial=-1), inside.max(initial=-1))) + 1
        sizes = np.bincount(owners, minlength=n_buckets)
        shares = csr_array((1 / sizes[owners], (owners, codes)), shape=(n_buckets, n))
        rows = np.flatnonzero(inside >= 0)
        to_bucket = csr_array(
            (np.ones(len(rows)), (crowd.of_unit[rows], inside[rows])),
            shape=(crowd.fits.shape[1], n_buckets),
        )
        weights = (crowd.fits @ (to_bucket @ shares)).tocsr()[crowd.of_person]
        found = guess(weights, values)
        # In a bucket of size s the own value adds 1/s to each of the s rows that may be there.
        added = 1 / np.maximum(crowd.matches, 1)
        alone = guess(less_own(weights, values, added * np.minimum(crowd.matches, 1)), values)
        reached = gain(
            self.name,
            attribute.name,
            found.posterior,
            Rate.of(float(found.right.sum()), len(values)),
            guess_totals(codes, values),
            Rate.of(float(alone.right.sum()), len(values)),
        )
        return replace(
            reached,
            bound=_bound(target, attribute),
            person=None if reached.person is None else int(crowd.rows[reached.person]),
        )


def _bound(target: Target, attribute: Attribute) -> float | None:
    """1/l of the buckets, where l counts values: each has all its values equally often."""
    limits = [
        1 / r.parameters["l"]
        for r in target.requirements
        if r.model == "l-diversity"
        and (r.parameters.get("kind") or "distinct") in ("distinct", "frequency")
        and r.parameters.get("attribute") in (None, attribute.name)
    ]
    return min(limits, default=None)
