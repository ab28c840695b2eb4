"""What does this person have? Inference from the rows that can be theirs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, gain, times
from shoal.attack.posterior import ValueWeights, guess_among, less
from shoal.attack.value import ValueShares, values_of, weigh
from shoal.reading.encoding import Codes
from shoal.schema import Attribute
from shoal.schema.wording import percent

WITHOUT_THEM = "everybody in turn, as if their own rows were not there"


class Inference(Attack):
    """Attribute inference: what sensitive value does this person have?

    The adversary knows the quasi-identifiers of somebody, looks for the rows whose labels cover
    them, and guesses the commonest value in them: its share there is the posterior. For people with
    several records, the value of any record is guessed; in a release of two tables, a row shows all
    values of its class. The baseline is the commonest value of the whole release; the control is
    the same guess from all these rows except the person's own, as for somebody who is not in the
    data. The note says for how many people all rows have one value (homogeneity), and how much
    likelier a value becomes for somebody than it is in the whole release (skew). If there are
    several sensitive columns, they are also guessed together.
    """

    name: ClassVar[str] = "inference"
    cite: ClassVar[papers.Citations] = (papers.cite("machanavajjhala"),)
    case: ClassVar[str] = (
        "A class `[1, 2]` of two with the illnesses a and a, and a class `[5, 8]` of three with "
        "b, b and c. Guesses are a, a, b, b, b: right for four of five; the commonest illness "
        "alone would be right for two. The illness of the first two is certain: two people with "
        "the same illness do not hide each other."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        shown = visible(target)
        for attribute in shown:
            found = self._guess(target, attribute.name, values_of(target, [attribute]))
            yield replace(found, bound=bound(target, attribute))
        if len(shown) > 1:
            # Requirements are on one attribute each, so nothing is promised of several together.
            names = " and ".join(a.name for a in shown)
            yield self._guess(target, names, values_of(target, shown))

    def _guess(self, target: Target, about: str, values: ValueShares) -> Gain:
        weights, n = weigh(target.crowd, values.shown), values.own.shape[0]
        found = guess_among(weights, values.own)
        alone = guess_among(less(weights, values.own), values.own)
        common = int(values.totals.argmax()) if len(values.totals) else 0
        reached = gain(
            self.name,
            about,
            found.posterior,
            Rate.of(float(found.right.sum()), n),
            Rate.of(float(values.own[:, [common]].sum()) if n else 0.0, n),
            Rate.of(float(alone.right.sum()), n),
            target.crowd.rows,
        )
        single = float((found.posterior >= 1).mean()) if n else 0.0
        lift = found.posterior / np.maximum(values.totals[found.best], 1e-12) if n else np.zeros(1)
        return replace(
            reached,
            strangers=WITHOUT_THEM,
            note=f"for {percent(single)} of people, all matching rows show the same value; a value "
            f"is at most {times(float(lift.max()))} as likely for somebody as in the whole release",
        )


def visible(target: Target) -> list[Attribute]:
    """The sensitive attributes whose values are in the rows of their people."""
    return [
        a
        for a in target.schema.sensitive
        if a.name not in target.symbols
        and a.name not in target.buckets
        and a.name in target.cells.columns
        and a.name in target.known.columns
    ]


def counts_of(target: Target, shown: Codes, n: int) -> ValueWeights:
    """Per person how often each value is in the rows that can be theirs."""
    crowd = target.crowd
    by_kind = csr_array(
        (np.ones(len(shown)), (crowd.of_unit, shown)), shape=(crowd.fits.shape[1], n)
    )
    return ValueWeights(crowd.of_person, crowd.fits, by_kind)


def bound(target: Target, attribute: Attribute) -> float | None:
    """The largest posterior that requirements allow; distinct and entropy l allow any below 1.

    Those who need not count (missing values, people who require other l) are not promised it, and
    of people with several records rows are counted. LKC promises its c against those who know l of
    the quasi-identifiers, but this adversary knows them all.
    """
    if target.schema.individual is not None:
        return None
    mine = [
        r
        for r in target.requirements
        if r.parameters.get("attribute") in (None, attribute.name)
        and r.parameters.get("missing") != "ignore"
        and not r.parameters.get("personal")
    ]
    limits = [
        1 / r.parameters["l"]
        for r in mine
        if r.model == "l-diversity" and r.parameters.get("kind") == "frequency"
    ]
    limits += [r.parameters["alpha"] for r in mine if r.model == "alpha-k"]
    n_known = len(target.schema.quasi)
    limits += [r.parameters["c"] for r in mine if r.model == "lkc" and r.parameters["l"] >= n_known]
    return min(limits, default=None)
