"""Which published row is this person? Linkage by containment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np

from shoal import papers
from shoal.attack.base import Attack, Crowd, Gain, Rate, Target, find_crowd, gain
from shoal.attack.posterior import ratio
from shoal.attack.target import MADE_UP, strangers
from shoal.reading.encoding import Floats, Integers
from shoal.schema.wording import percent

_ROUNDS = 100


class Linkage(Attack):
    """Linkage: which published row, or which number, is this person?

    The adversary knows the quasi-identifiers of somebody and that they are in the data (a
    prosecutor), and looks for the rows whose labels cover them. Any of these may be the right one,
    so the chance is one over their number; k-anonymity promises at most 1/k. For people with
    several records, the adversary may also know how many they have; this is measured as well, but
    nothing is promised about it. The baseline is one row out of all; the control is people who are
    not in the data: those of a register if one is given, otherwise made-up ones. Whatever the
    adversary believes about these is wrong.
    """

    name: ClassVar[str] = "linkage"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)
    case: ClassVar[str] = (
        "Ages 30 and 34 in a class `[30, 34]` of two, and 33, 40 and 44 in a class `[33, 44]` "
        "of three. A person of 30 fits two rows and is found with probability 1/2; one of 34 fits "
        "all five: 1/5."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        people, who = strangers(target)
        kind = "row" if target.schema.individual is None else "person"
        made_up = who == MADE_UP
        others = target.made_up[0] if made_up else find_crowd(target, people, count_records=False)
        yield replace(self._link(target, kind, target.crowd, others), strangers=who)
        if target.schema.individual is not None and target.person in target.known.columns:
            others = find_crowd(target, people)
            counted = self._link(target, "person, by records", find_crowd(target), others)
            # The promised k does not allow for adversaries who know how many records people have.
            yield replace(counted, strangers=who, beside=True)

    def _link(self, target: Target, about: str, crowd: Crowd, others: Crowd) -> Gain:
        chances, believed = one_of(crowd.matches), one_of(others.matches)
        n, n_units = len(chances), len(crowd.of_unit)
        found = gain(
            self.name,
            about,
            chances,
            Rate.of(float(chances.sum()), n),
            Rate.of(n / max(n_units, 1), n),
            Rate.of(float(believed.sum()), len(believed)),
            crowd.rows,
        )
        there, not_there = (float((c > 0).mean()) if len(c) else 0.0 for c in (chances, believed))
        note = (
            f"{percent(there)} of people fit a published {about.split(',')[0]}; so do "
            f"{percent(not_there)} of those who are not in the data"
        )
        return replace(found, bound=promised(target), note=note)


class Journalist(Attack):
    """Journalist: who in a register is this published row?

    The adversary has a register of people, who may or may not be in the data, and looks for the
    people in it who fit the labels of a published row. The chance of naming the right one is at
    most one over their number; a row that fits nobody in the register is not named at all. The
    baseline is one person out of the whole register, the control a register of made-up people.
    """

    name: ClassVar[str] = "journalist"
    needs: ClassVar[str] = "a register"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)
    case: ClassVar[str] = (
        "A class `[30, 34]` of two rows, and a register with four people of 30 to 34: each row "
        "is named with probability 1/4, although a prosecutor would find somebody with 1/2."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        crowd, (made_up, _) = target.crowd, target.made_up
        fitting, wrong = _people_of(crowd), _people_of(made_up)
        chances, believed = one_of(fitting), one_of(wrong)
        found = gain(
            self.name,
            "row" if target.schema.individual is None else "person",
            chances,
            Rate.of(float(chances.sum()), len(chances)),
            Rate.of(len(chances) / max(len(crowd.of_person), 1), len(chances)),
            Rate.of(float(believed.sum()), len(believed)),
        )
        note = (
            f"{percent(float((fitting > 0).mean()) if len(fitting) else 0.0)} of rows fit somebody"
        )
        # The chances are those of published rows here, so the worst is not somebody who is known.
        yield replace(found, person=None, note=note, strangers="a register of made-up people")


class Marketer(Attack):
    """Marketer: how many links are right if everybody is linked at once?

    The adversary knows the quasi-identifiers of everybody and gives each person a separate row. A
    row that somebody else needs is not free, so a link can be likelier than one over the number of
    rows that fit: people and rows are weighed until each person has one row and each row one person
    (Sinkhorn's scaling, the likeliest share of every link), and the likeliest row is chosen. The
    baseline is one row out of all, the control the same for made-up people. A class of k equal rows
    keeps everybody's chance at 1/k.
    """

    name: ClassVar[str] = "marketer"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)
    case: ClassVar[str] = (
        "Rows `[1, 5]` and `[4, 9]`, people of 1 and of 5. Taken alone, the person of 5 fits "
        "both rows. But the person of 1 needs the first row, so the second belongs to the person "
        "of 5: both links are right."
    )

    def run(self, target: Target) -> Iterator[Gain]:
        crowd, (made_up, _) = target.crowd, target.made_up
        chances, believed = likeliest_links(crowd), likeliest_links(made_up)
        n, n_units = len(chances), len(crowd.of_unit)
        found = gain(
            self.name,
            "all rows" if target.schema.individual is None else "all people",
            chances,
            Rate.of(float(chances.sum()), n),
            Rate.of(n / max(n_units, 1), n),
            Rate.of(float(believed.sum()), len(believed)),
            crowd.rows,
        )
        alone = float(one_of(crowd.matches).sum())
        note = f"{float(chances.sum()):,.1f} links are right; one by one it would be {alone:,.1f}"
        yield replace(found, bound=promised(target), note=note, strangers=MADE_UP)


def likeliest_links(crowd: Crowd) -> Floats:
    """Per person the share of the likeliest link, where each row has one person at most.

    Whoever is left over, of people or of rows, is linked with somebody or something unknown.

    >>> from scipy.sparse import csr_array
    >>> fits = csr_array(np.array([[1, 0], [1, 1]]))
    >>> likeliest_links(Crowd(np.array([0, 1]), np.array([0, 1]), fits, np.arange(2))).round(1)
    array([1., 1.])
    """
    n_people = np.bincount(crowd.of_person, minlength=crowd.fits.shape[0]).astype(float)
    sizes = crowd.sizes.astype(float)
    left, right = crowd.fits.tocoo().coords
    more_people = max(n_people.sum() - sizes.sum(), 0.0)
    more_rows = max(sizes.sum() - n_people.sum(), 0.0)
    rows, unknown_row = np.ones(len(sizes)), 1.0
    for _ in range(_ROUNDS):
        reach = np.bincount(left, (rows * sizes)[right], minlength=len(n_people))
        people = ratio(1.0, reach + unknown_row * more_people)
        unknown_person = ratio(1.0, np.array([rows @ sizes]))[0] if more_rows else 0.0
        used = np.bincount(right, (people * n_people)[left], minlength=len(sizes))
        rows = ratio(1.0, used + unknown_person * more_rows)
        unknown_row = ratio(1.0, np.array([people @ n_people]))[0] if more_people else 0.0
    reach = np.bincount(left, (rows * sizes)[right], minlength=len(n_people))
    # Once more for people: then the shares of each person's links add up to 1.
    people = ratio(1.0, reach + unknown_row * more_people)
    found = np.zeros(len(n_people))
    np.maximum.at(found, left, people[left] * rows[right])
    return found[crowd.of_person]


def _people_of(crowd: Crowd) -> Integers:
    """How many people can be each published unit."""
    n_people = np.bincount(crowd.of_person, minlength=crowd.fits.shape[0])
    fitting: Integers = (crowd.fits.T @ n_people)[crowd.of_unit]
    return fitting


def one_of(counts: Integers) -> Floats:
    """One over each number, and 0 for none."""
    return np.where(counts > 0, 1 / np.maximum(counts, 1), 0.0)


def promised(target: Target) -> float | None:
    """1/k, where a k is required for everybody."""
    k = max((x for m in ("k-anonymity", "ir-k") if (x := target.least(m, "k"))), default=None)
    return None if k is None else 1 / k
