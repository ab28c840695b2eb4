"""What does this person have? Inference from the rows that can be theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain
from shoal.attack.posterior import guess, guess_totals, less_own
from shoal.reading.encoding import Codes, combine_codes
from shoal.schema import Attribute
from shoal.verify.text.assignment import same_codes


class Inference(Attack):
    """Attribute inference: what sensitive value does this person have?

    The adversary knows the quasi-identifiers of somebody, looks for the rows whose labels cover
    them, and guesses the commonest value in them: its share there is the posterior. The baseline is
    the commonest value of the whole release; the control is the same guess from all these rows but
    the person's own, as for somebody who is not in the data. The note says for how many people all
    rows have one value (homogeneity), and by how much at most a posterior exceeds the share of its
    value in the whole release (skew). Where there are several sensitive columns, they are also
    guessed together.
    """

    name: ClassVar[str] = "inference"
    cite: ClassVar[papers.Citations] = (papers.cite("machanavajjhala"),)

    def run(self, target: Target) -> Iterator[Gain]:
        if target.schema.individual is not None or target.linked:
            return
        shown = visible(target)
        coded = [same_codes(target.known[a.name], target.data[a.name], a) for a in shown]
        for attribute, (own, published, n) in zip(shown, coded, strict=True):
            found = self._guess(target, attribute.name, own, published, n)
            yield replace(found, bound=bound(target, attribute))
        if len(shown) > 1:
            n_own = target.known.height
            both, n = combine_codes(
                [(np.append(left, right), size) for left, right, size in coded],
                n_own + target.data.height,
            )
            names = " and ".join(a.name for a in shown)
            yield self._guess(target, names, both[:n_own], both[n_own:], n)

    def _guess(self, target: Target, about: str, own: Codes, shown: Codes, n: int) -> Gain:
        crowd, values = target.crowd, own[target.crowd.rows]
        weights = counts_of(target, shown, n)
        found = guess(weights, values)
        alone = guess(less_own(weights, values, np.ones(len(values))), values)
        total = np.bincount(shown, minlength=n) / max(len(shown), 1)
        lift = found.posterior / np.maximum(total[found.best], 1e-12)
        single = float((found.posterior == 1).mean()) if len(values) else 0.0
        reached = gain(
            self.name,
            about,
            found.posterior,
            Rate.of(float(found.right.sum()), len(values)),
            guess_totals(shown, values),
            Rate.of(float(alone.right.sum()), len(values)),
        )
        text = f"{single:.1%} of people fit rows of one value only; the largest lift is "
        return replace(
            reached,
            person=None if reached.person is None else int(crowd.rows[reached.person]),
            note=f"{text}{lift.max(initial=0):.3g}",
        )


def visible(target: Target) -> list[Attribute]:
    """The sensitive attributes whose values stand in the rows of their people."""
    return [
        a
        for a in target.schema.sensitive
        if a.name not in target.symbols
        and a.name not in target.buckets
        and a.name in target.data.columns
        and a.name in target.known.columns
    ]


def counts_of(target: Target, shown: Codes, n: int) -> csr_array:
    """Per person how often each value stands in the rows that can be theirs."""
    crowd = target.crowd
    by_kind = csr_array(
        (np.ones(len(shown)), (crowd.of_unit, shown)), shape=(crowd.fits.shape[1], n)
    )
    return (crowd.fits @ by_kind).tocsr()[crowd.of_person]


def bound(target: Target, attribute: Attribute) -> float | None:
    """The largest posterior that requirements allow; distinct and entropy l allow any below 1."""
    mine = [
        r for r in target.requirements if r.parameters.get("attribute") in (None, attribute.name)
    ]
    limits = [
        1 / r.parameters["l"]
        for r in mine
        if r.model == "l-diversity" and r.parameters.get("kind") == "frequency"
    ]
    limits += [r.parameters["alpha"] for r in mine if r.model == "alpha-k"]
    limits += [r.parameters["c"] for r in mine if r.model == "lkc"]
    return min(limits, default=None)
