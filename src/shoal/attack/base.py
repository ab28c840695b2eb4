"""An attack measures what an adversary gains from a release, beside what was promised.

All that is looked at are published files and what the adversary knows: never how a release was
made. Every rate comes with what guessing from the published totals gives (the baseline) and what
the same attack gives of people who are not in the data (the control): only what is beyond both is
owed to the release.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import sqrt
from typing import ClassVar, TypeAlias

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal.reading.encoding import Codes, Floats, Integers, combine_codes, encode_text
from shoal.schema import Requirement, Role, Schema
from shoal.schema.specification import Specification
from shoal.verify.text.assignment import Shown, known_axes
from shoal.verify.text.join import Axis, contained_pairs, equal_axis

Held: TypeAlias = tuple[Integers, Integers, pl.Series]
# 95 %.
_Z = 1.959963984540054
_QUANTILES = (0.0, 0.25, 0.5, 0.75, 0.95, 1.0)


@dataclass(frozen=True)
class Rate:
    """A share of `n` people, with the ends of Wilson's interval of 95 %.

    >>> rate = Rate.of(5, 10)
    >>> rate.share, round(rate.low, 3), round(rate.high, 3)
    (0.5, 0.237, 0.763)
    """

    share: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, successes: float, n: int) -> Rate:
        """The share of successes; an expected number of them will do."""
        if n == 0:
            return cls(0.0, 0.0, 1.0, 0)
        p, z = successes / n, _Z * _Z / n
        middle, half = p + z / 2, _Z * sqrt(p * (1 - p) / n + z / (4 * n))
        low, high = (middle - half) / (1 + z), (middle + half) / (1 + z)
        return cls(p, max(0.0, low), min(1.0, high), n)


@dataclass(frozen=True)
class Gain:
    """What one attack gains.

    `success` is the rate at which it is right, `bound` the rate that was promised for every single
    person, where one was, `baseline` that of guessing from the published totals, `control` that of
    people who are not in the data. `worst` is the highest chance of any person, whose row
    of what the adversary knows is `person` (from 0); `quantiles` are those of all people's chances.
    """

    attack: str
    about: str
    success: Rate
    baseline: Rate
    control: Rate | None
    worst: float
    bound: float | None = None
    person: int | None = None
    quantiles: Mapping[float, float] = field(default_factory=dict)
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether nobody's chance is beyond what was promised; None where nothing was."""
        return None if self.bound is None else self.worst <= self.bound * (1 + 1e-9)


def gain(
    attack: str, about: str, chances: Floats, success: Rate, baseline: Rate, control: Rate | None
) -> Gain:
    """A gain whose worst person and quantiles are those of these chances."""
    if not len(chances):
        return Gain(attack, about, success, baseline, control, 0.0)
    spread = {q: float(np.quantile(chances, q, method="higher")) for q in _QUANTILES}
    person = int(np.argmax(chances))
    worst = float(chances[person])
    return Gain(attack, about, success, baseline, control, worst, person=person, quantiles=spread)


@dataclass(frozen=True, eq=False)
class Target:
    """A release and what an adversary knows of people: their quasi-identifiers.

    `known` is a table with the quasi-identifiers of people, one row each or, where `person` names
    its column of people, one row for each of their records. `buckets` has for each attribute the
    bucket of every row (-1: none), and buckets with their values; `other` is another release, with
    the same people.
    """

    data: pl.DataFrame
    schema: Schema
    requirements: Sequence[Requirement]
    known: pl.DataFrame
    ranges: str = "tight"
    symbols: tuple[str, ...] = ()
    person: str | None = None
    linked: bool = False
    buckets: Mapping[str, Held] = field(default_factory=dict)
    other: Target | None = None

    @cached_property
    def owners(self) -> Codes:
        """The unit of every published row: a person, or the row itself."""
        individual = self.schema.individual
        if individual is None:
            return np.arange(self.data.height, dtype=np.int32)
        return encode_text(self.data[individual.column]).codes

    @cached_property
    def crowd(self) -> Crowd:
        """Which published units can be each person."""
        return find_crowd(self)

    def least(self, model: str, name: str, attribute: str | None = None) -> float | None:
        """The largest parameter of this name that requirements of a model have."""
        found = [
            r.parameters[name]
            for r in self.requirements
            if r.model == model
            and name in r.parameters
            and r.parameters.get("attribute") in (None, attribute)
        ]
        return max(found, default=None)


@dataclass(frozen=True, eq=False)
class Crowd:
    """People of one kind against published units of one kind.

    `of_person` is the kind of every person that is known, `fits` has a 1 where units of a
    published kind can be people of a kind, `of_unit` is the kind of every published unit, `rows`
    one row of the known table for every person.
    """

    of_person: Codes
    of_unit: Codes
    fits: csr_array
    rows: Integers

    @cached_property
    def sizes(self) -> Integers:
        """How many units there are of each published kind."""
        return np.bincount(self.of_unit, minlength=self.fits.shape[1])

    @cached_property
    def matches(self) -> Integers:
        """How many published units can be each person."""
        found: Integers = (self.fits @ self.sizes)[self.of_person]
        return found


def find_crowd(
    target: Target, known: pl.DataFrame | None = None, *, count_records: bool = True
) -> Crowd:
    """Join people with the published units whose labels cover what is known of them.

    Where people have several records, how many they have is known too, unless it is not to count.
    """
    people = target.known if known is None else known
    schema = replace(target.schema, attributes=target.schema.of(Role.QUASI, Role.SEMI_SENSITIVE))
    axes = known_axes(Shown(target.data, people, schema, target.ranges))
    rows, units = np.arange(people.height), np.arange(target.data.height)
    if target.schema.individual is not None:
        units = _first(target.owners)
        if target.person is not None and target.person in people.columns:
            who = encode_text(people[target.person]).codes
            rows = _first(who)
            axes = _at(axes, rows, units)
            axes += [_number_of_rows(target, people, who)] if count_records else []
        else:
            axes = _at(axes, rows, units)
    left, n_left = combine_codes([(a.values, a.n_values) for a in axes], len(rows))
    right, n_right = combine_codes([(a.labels, len(a.low)) for a in axes], len(units))
    kinds = _at(axes, _first(left, n_left), _first(right, n_right))
    pairs = list(contained_pairs(kinds, n_left if len(rows) else 0, n_right if len(units) else 0))
    one, other = (np.concatenate([np.zeros(0, np.int64), *(p[i] for p in pairs)]) for i in (0, 1))
    ones = np.ones(len(one), dtype=np.int64)
    return Crowd(left, right, csr_array((ones, (one, other)), shape=(n_left, n_right)), rows)


def _at(axes: Sequence[Axis], rows: Integers, units: Integers) -> list[Axis]:
    return [replace(a, values=a.values[rows], labels=a.labels[units]) for a in axes]


def _first(codes: Codes, n_codes: int = 0) -> Integers:
    """The first place of every code."""
    n = max(n_codes, int(codes.max(initial=-1)) + 1)
    first = np.zeros(n, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first[np.bincount(codes, minlength=n) > 0] if not n_codes else first


def _number_of_rows(target: Target, people: pl.DataFrame, who: Codes) -> Axis:
    """How many different records people have, which the published rows of a person show."""
    published = np.bincount(target.owners)
    there = [a.name for a in target.schema.published if a.name in people.columns]
    records = people.select(pl.Series("who", who), *there).unique()["who"].to_numpy()
    n_known = np.bincount(records, minlength=int(who.max(initial=-1)) + 1)
    n_known = n_known[np.bincount(who) > 0]
    most = int(max(published.max(initial=0), n_known.max(initial=0))) + 1
    return equal_axis(n_known.astype(np.int32), published[published > 0].astype(np.int32), most)


def strangers(target: Target, seed: int = 0) -> pl.DataFrame:
    """People who are not in the data: each value is somebody's, and nobody has them all.

    Every quasi-identifier is dealt out anew, by itself, so that its totals stay what they are.
    """
    draw = np.random.default_rng(seed)
    names = [a.name for a in target.schema.quasi]
    n = target.known.height
    dealt = target.known.select(target.known[name].gather(draw.permutation(n)) for name in names)
    return dealt.join(target.known.select(names), on=names, how="anti", nulls_equal=True)


class Attack(Specification):
    """Something that an adversary may try."""

    needs: ClassVar[str] = "the original"

    def run(self, target: Target) -> Iterator[Gain]:
        """What the attack gains, one gain for each thing that it is about."""
        raise NotImplementedError
