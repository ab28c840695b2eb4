"""Which published row is this person? Linkage by containment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from shoal import papers
from shoal.attack.base import Attack, Gain, Rate, Target, find_crowd, gain, strangers


class Linkage(Attack):
    """Linkage: which published row, or which number, is this person?

    The adversary knows the quasi-identifiers of somebody and looks for the rows whose labels cover
    them; of people with several records also how many they have. Any of the rows may be the one, so
    that the chance is one over their number. The worst person is what a prosecutor gains who knows
    that somebody is in the data, the rate what a marketer gains who links everybody; the control
    are people who are not there, with values dealt out anew: what the adversary wrongly
    believes of them. With a register of the population, a journalist's chance is one over the
    number of people in the register who fit the row as well.
    """

    name: ClassVar[str] = "linkage"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)

    def run(self, target: Target) -> Iterator[Gain]:
        n_units = len(np.unique(target.owners))
        matches = target.crowd.matches
        chances = np.where(matches > 0, 1 / np.maximum(matches, 1), 0.0)
        others = find_crowd(target, strangers(target)).matches
        believed = np.where(others > 0, 1 / np.maximum(others, 1), 0.0)
        found = gain(
            self.name,
            "row" if target.schema.individual is None else "person",
            chances,
            Rate.of(float(chances.sum()), len(chances)),
            Rate.of(len(chances) / max(n_units, 1), len(chances)),
            Rate.of(float(believed.sum()), len(believed)),
        )
        k = max((x for m in ("k-anonymity", "ir-k") if (x := target.least(m, "k"))), default=None)
        share = float((matches > 0).mean()) if len(matches) else 0.0
        yield replace(
            found,
            bound=None if k is None else 1 / k,
            person=None if found.person is None else int(target.crowd.rows[found.person]),
            note=f"{share:.1%} of people fit a published row; of those who are not there "
            f"{float((others > 0).mean()) if len(others) else 0.0:.1%}",
        )


class Journalist(Attack):
    """Journalist: who in a register is this published row?

    The adversary has a register of people, who may or may not be in the data, and looks for the
    people of it whom the labels of a published row cover. The chance of naming the right one is at
    most one over their number; a row whom nobody in the register fits is not named at all.
    """

    name: ClassVar[str] = "journalist"
    needs: ClassVar[str] = "a register"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)

    def run(self, target: Target) -> Iterator[Gain]:
        crowd = target.crowd
        n_people = np.bincount(crowd.of_person, minlength=crowd.fits.shape[0])
        fitting = (crowd.fits.T @ n_people)[crowd.of_unit]
        chances = np.where(fitting > 0, 1 / np.maximum(fitting, 1), 0.0)
        others = find_crowd(target, strangers(target))
        n_others = np.bincount(others.of_person, minlength=others.fits.shape[0])
        wrong = (others.fits.T @ n_others)[others.of_unit]
        believed = np.where(wrong > 0, 1 / np.maximum(wrong, 1), 0.0)
        found = gain(
            self.name,
            "row" if target.schema.individual is None else "person",
            chances,
            Rate.of(float(chances.sum()), len(chances)),
            Rate.of(len(chances) / max(len(crowd.of_person), 1), len(chances)),
            Rate.of(float(believed.sum()), len(believed)),
        )
        note = f"{float((fitting > 0).mean()) if len(fitting) else 0.0:.1%} of rows fit somebody"
        yield replace(found, person=None, note=note)
