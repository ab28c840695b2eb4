"""What do two releases of the same people give away together?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.inference import counts_of, visible
from shoal.attack.posterior import AnyValueWeights, Product, ValueWeights, blocks, guess, less_own
from shoal.attack.target import find_crowd, keep_secret
from shoal.reading.encoding import Codes, Flags, Integers
from shoal.schema import Attribute
from shoal.schema.wording import percent
from shoal.verify.text.assignment import same_codes


class Intersection(Attack):
    """Intersection: what do two releases of overlapping people give away together?

    Somebody who is in both has a value that both allow. The adversary weighs each value by its
    share of the rows that can be the person, multiplied over the two releases. The baseline is what
    one release gives by itself (inference); the control is the same guess without the person's own
    row in either.
    """

    name: ClassVar[str] = "intersection"
    needs: ClassVar[str] = "another release"
    cite: ClassVar[papers.Citations] = (papers.cite("xiao"),)

    def run(self, target: Target) -> Iterator[Gain]:
        other = target.other
        if other is not None and target.together:
            yield from self._count(target, other)
        if other is None or target.schema.individual is not None or target.linked or other.linked:
            return
        shared = {a.name for a in visible(other)}
        for attribute in visible(target):
            if attribute.name in shared:
                yield self._guess(target, other, attribute)

    def _count(self, target: Target, other: Target) -> Iterator[Gain]:
        """How many values both releases allow each person, where they promise to hold together.

        The chance of guessing is one of these values, whatever their shares.
        """
        in_rows = {a.name for a in visible(other)}
        for attribute in (*visible(target), *_in_both_buckets(target, other)):
            least = target.least("l-diversity", "l", attribute.name)
            by_bucket = attribute.name in target.buckets
            if least is None or not (by_bucket or attribute.name in in_rows):
                continue
            allowed = _allowed_by_buckets if by_bucket else _allowed
            one, two, values = allowed(target, other, attribute)
            (n_both, there), (n_one, _) = (
                _count_allowed(x, values) for x in (Product(one, two), one)
            )
            chances = np.where(n_both > 0, 1 / np.maximum(n_both, 1), 1.0)
            reached = gain(
                self.name,
                attribute.name,
                chances,
                Rate.of(float((chances * there).sum()), len(values)),
                Rate.of(float((1 / np.maximum(n_one, 1)).sum()), len(values)),
                None,
            )
            few = int(np.count_nonzero(n_both < least))
            fewest = int(n_both.min(initial=least))
            note = f"both releases allow everyone at least {fewest} values, {few} people fewer than"
            yield replace(reached, bound=1 / least, note=f"{note} {least:g}")

    def _guess(self, target: Target, other: Target, attribute: Attribute) -> Gain:
        name = attribute.name
        own, parts, n = _coded(target, [one.data[name] for one in (target, other)], attribute)
        one, two = (counts_of(t, codes, n) for t, codes in zip((target, other), parts, strict=True))
        values = own[target.crowd.rows]
        ones = np.ones(len(values))
        found = guess(Product(one, two), values)
        alone = guess(Product(less_own(one, values, ones), less_own(two, values, ones)), values)
        single = guess(one, values)
        reached = gain(
            self.name,
            name,
            found.posterior,
            Rate.of(float(found.right.sum()), len(values)),
            Rate.of(float(single.right.sum()), len(values)),
            Rate.of(float(alone.right.sum()), len(values)),
        )
        certain = float((found.posterior == 1).mean()) if len(values) else 0.0
        before = float((single.posterior == 1).mean()) if len(values) else 0.0
        note = (
            f"both releases allow {percent(certain)} of people one value only, "
            f"the one {percent(before)}"
        )
        return replace(reached, note=note)


def _coded(
    target: Target, shown: Sequence[pl.Series], attribute: Attribute
) -> tuple[Codes, Sequence[Codes], int]:
    """The values that people have, and those that each release shows, as codes below n."""
    texts = [series.cast(pl.String).alias("") for series in shown]
    # Coded together, so that a value has the same code in both releases.
    own, codes, n = same_codes(target.known[attribute.name], pl.concat(texts), attribute)
    return own, np.split(codes, [texts[0].len()]), n


def _allowed(
    target: Target, other: Target, attribute: Attribute
) -> tuple[ValueWeights, ValueWeights, Codes]:
    """How often each release allows a person each value, and the value that the person has.

    How many records people have is not used, as it may change from one version to the next.
    """
    shown = [one.data[attribute.name] for one in (target, other)]
    own, parts, n = _coded(target, shown, attribute)
    found = []
    for one, codes in zip((target, other), parts, strict=True):
        crowd = one.crowd
        kinds = crowd.of_unit[one.owners]
        ones = np.ones(len(codes), dtype=np.int64)
        held = csr_array((ones, (kinds, codes)), shape=(crowd.fits.shape[1], n))
        found.append(ValueWeights(crowd.of_person, crowd.fits, held))
    return found[0], found[1], own[crowd.rows]


def _count_allowed(weights: AnyValueWeights, values: Codes) -> tuple[Integers, Flags]:
    """How many values everybody is allowed, and whether their own is among them."""
    n = len(values)
    counts, there = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    for people, rows in blocks(weights):
        counts[people] = np.diff(rows.indptr)
        there[people] = np.asarray(rows[np.arange(len(people)), values[people]]).ravel() > 0
    return counts, there


def _in_both_buckets(target: Target, other: Target) -> list[Attribute]:
    """The attributes whose values are in buckets in both releases."""
    held = target.buckets.keys() & other.buckets.keys()
    known = set(target.known.columns)
    return [a for a in target.schema.secret if a.name in held and a.name in known]


def _allowed_by_buckets(
    target: Target, other: Target, attribute: Attribute
) -> tuple[ValueWeights, ValueWeights, Codes]:
    """The same where values are in buckets, of those who keep this one secret.

    A row that points to a bucket allows all its values. Which cells people keep secret is known.
    """
    name = attribute.name
    listed = [one.buckets[name][2] for one in (target, other)]
    own, parts, n = _coded(target, listed, attribute)
    secret = np.flatnonzero(keep_secret(target.known, attribute))
    found = []
    for one, codes in zip((target, other), parts, strict=True):
        inside, owners, _ = one.buckets[name]
        n_buckets = int(max(owners.max(initial=-1), inside.max(initial=-1))) + 1
        ones = np.ones(len(codes), dtype=np.int64)
        values = csr_array((ones, (owners, codes)), shape=(n_buckets, n))
        crowd = find_crowd(one, count_records=False, patterns=True)
        rows = np.flatnonzero(inside >= 0)
        points = csr_array(
            (np.ones(len(rows), dtype=np.int64), (crowd.of_unit[rows], inside[rows])),
            shape=(crowd.fits.shape[1], n_buckets),
        )
        found.append(ValueWeights(crowd.of_person[secret], crowd.fits, (points @ values).tocsr()))
    return found[0], found[1], own[secret]
