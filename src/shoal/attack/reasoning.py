"""What does everybody have who can be this person? Reasoning over people with several records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from shoal import papers
from shoal.attack.base import Attack, Crowd, Gain, Rate, Target, gain
from shoal.attack.inference import WITHOUT_THEM, visible
from shoal.attack.posterior import ValueWeights, guess, less
from shoal.attack.value import weigh
from shoal.reading.encoding import Codes, Floats, Integers
from shoal.schema import Attribute
from shoal.schema.wording import percent
from shoal.table.distinct import distinct_pairs
from shoal.verify.text.assignment import same_codes


class Reasoning(Attack):
    """Reasoning sets: what do all the people who can be this person have in common?

    The adversary knows the quasi-identifiers of somebody and looks for the people of the release
    whose labels cover them. A reasoning set takes one record of each (Definition 3.2); the share of
    a value in such a set is at most the share of these people who have it, which is the chance that
    the person has it. It is 1 where all of them do: hypertension in the second class of Table 3.
    The baseline is the value that most people of the release have, the control the same guess
    without the person's own records.
    """

    name: ClassVar[str] = "reasoning"
    cite: ClassVar[papers.Citations] = (papers.cite("identity", "Definition 3.2"),)
    case: ClassVar[str] = (
        "In the second class of Table 3 Mike, Tim and Jane all have hypertension, as well as "
        "other illnesses: anybody who knows that a person is one of them knows that they have it. "
        "In Table 4 no value is shared by more than half of a class."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        if (
            target.schema.individual is None
            or target.linked
            or target.person not in target.known.columns
        ):
            return
        for attribute in visible(target):
            yield self._guess(target, target.crowd, attribute)

    def _guess(self, target: Target, crowd: Crowd, attribute: Attribute) -> Gain:
        name = attribute.name
        own, shown, n = same_codes(target.known[name], target.data[name], attribute)
        has = _holders(target.who, own, n)
        published = _holders(target.owners, shown, n)
        weights = weigh(crowd, published)
        best, posterior = _likeliest(weights, crowd.matches)
        people = np.arange(len(crowd.rows))
        right = np.asarray(has[people, best]).ravel()
        common = int(np.asarray(published.sum(axis=0)).ravel().argmax()) if n else 0
        # Without their own records, everybody has one candidate less.
        alone, _ = _likeliest(less(weights, has), crowd.matches - 1)
        reached = gain(
            self.name,
            name,
            posterior,
            Rate.of(float(right.sum()), len(people)),
            Rate.of(float(has[:, [common]].sum()), len(people)),
            Rate.of(float(np.asarray(has[people, alone]).sum()), len(people)),
            crowd.rows,
        )
        certain = float((posterior >= 1).mean()) if len(posterior) else 0.0
        return replace(
            reached,
            bound=min(
                (
                    r.parameters["beta"]
                    for r in target.requirements
                    if r.model == "eir-alpha-beta" and r.parameters.get("attribute") in (None, name)
                ),
                default=None,
            ),
            strangers=WITHOUT_THEM,
            note=f"for {percent(certain)} of people, a value is known for certain",
        )


def _holders(owners: Codes, values: Codes, n: int) -> csr_array:
    """Who has which value, however often."""
    n_owners = int(owners.max(initial=-1)) + 1
    pairs = distinct_pairs(owners, values, n)
    return csr_array((np.ones(len(pairs[0])), pairs), shape=(n_owners, n))


def _likeliest(weights: ValueWeights, matches: Integers) -> tuple[Codes, Floats]:
    """The value that most of somebody's candidates have, and the share of those who do."""
    n = weights.shape[0]
    found = guess(weights, np.zeros(n, dtype=np.int32))
    return found.best, np.where(matches > 0, found.weight / np.maximum(matches, 1), 0.0)
