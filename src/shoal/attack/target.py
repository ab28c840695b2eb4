"""What an attack is made on: a release, what an adversary knows, and who can be which row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
import polars as pl
from scipy.sparse import csr_array

from shoal.reading.encoding import (
    Codes,
    Flags,
    Integers,
    combine_codes,
    dense_codes,
    encode_text,
    first_places,
)
from shoal.schema import Attribute, Requirement, Role, Schema
from shoal.verify.secret.secret import read_secrecy
from shoal.verify.text.assignment import Shown, known_axes
from shoal.verify.text.join import Axis, contained_pairs, equal_axis

HeldCells: TypeAlias = tuple[Integers, Integers, pl.Series]
Replay: TypeAlias = Callable[[pl.DataFrame, int], pl.DataFrame]
MADE_UP = "made-up people: each value belongs to somebody, but nobody has them all"
NOT_THERE = "people in the register who are not in the data"


@dataclass(frozen=True, eq=False)
class Target:
    """A release and what an adversary knows of people: their quasi-identifiers.

    `known` is a table with the quasi-identifiers of people, one row each or, where `person` names
    its column of people, one row for each of their records. `buckets` has for each attribute the
    bucket of every row (-1: none), and buckets with their values. Of a release in two tables
    `second` is the one with the sensitive columns. `outsiders` are people who are not in the data;
    `sensitivity` is the known column that says how large a crowd everybody requires; `replay` makes
    a release of a table as the publisher's method does, `worlds` how often it may be asked, and
    `origin` is a known row for every published one, in which all cells are true. `other` is another
    release, with the same people; `together`: both promise to hold together, and all who are known
    are in both.
    """

    data: pl.DataFrame
    schema: Schema
    requirements: Sequence[Requirement]
    known: pl.DataFrame
    ranges: str = "tight"
    symbols: tuple[str, ...] = ()
    person: str | None = None
    linked: bool = False
    buckets: Mapping[str, HeldCells] = field(default_factory=dict)
    other: Target | None = None
    second: pl.DataFrame | None = None
    outsiders: pl.DataFrame | None = None
    sensitivity: str | None = None
    replay: Replay | None = None
    worlds: int = 0
    origin: Integers | None = None
    together: bool = False

    @cached_property
    def owners(self) -> Codes:
        """The unit of every published row: a person, or the row itself."""
        individual = self.schema.individual
        if individual is None:
            return np.arange(self.data.height, dtype=np.int32)
        return dense_codes(encode_text(self.data[individual.column]).codes.astype(np.int64))[0]

    @cached_property
    def first_rows(self) -> Integers:
        """The first published row of every unit."""
        return _first(self.owners)

    @cached_property
    def who(self) -> Codes:
        """The person of every known row, or the row itself where no column names people."""
        return people_of(self, self.known)

    @property
    def cells(self) -> pl.DataFrame:
        """The table that has the sensitive cells."""
        return self.data if self.second is None else self.second

    @cached_property
    def crowd(self) -> Crowd:
        """Which published units can be each person, by their labels alone."""
        return find_crowd(self, count_records=False)

    @cached_property
    def made_up(self) -> tuple[Crowd, Integers]:
        """Which units can be people who are made up, and the known row of their other cells."""
        dealt, rows = deal_anew(self)
        crowd = find_crowd(self, dealt, count_records=False)
        return crowd, rows[crowd.rows]

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
    target: Target,
    known: pl.DataFrame | None = None,
    *,
    count_records: bool = True,
    patterns: bool = False,
) -> Crowd:
    """Join people with the published units whose labels cover what is known of them.

    Where people have several records, how many they have is known too, unless it is not to count.
    With `patterns`, which cells people keep secret is known as well.
    """
    people = target.known if known is None else known
    schema = replace(target.schema, attributes=target.schema.of(Role.QUASI, Role.SEMI_SENSITIVE))
    axes = known_axes(Shown(_withheld(target), people, schema, target.ranges))
    axes += _secret_axes(target, people) if patterns else []
    rows, units = np.arange(people.height), np.arange(target.data.height)
    if target.schema.individual is not None:
        units, who = _first(target.owners), people_of(target, people)
        rows = _first(who)
        axes = _at(axes, rows, units)
        if count_records and target.person in people.columns:
            axes.append(_number_of_rows(target, people, who))
    # Kinds are joined, not people: those who are alike fit the same rows.
    left, n_left = combine_codes([(a.values, a.n_values) for a in axes], len(rows))
    right, n_right = combine_codes([(a.labels, len(a.low)) for a in axes], len(units))
    kinds = _at(axes, _first(left), _first(right))
    pairs = list(contained_pairs(kinds, n_left if len(rows) else 0, n_right if len(units) else 0))
    one, other = (np.concatenate([np.zeros(0, np.int64), *(p[i] for p in pairs)]) for i in (0, 1))
    ones = np.ones(len(one), dtype=np.int64)
    return Crowd(left, right, csr_array((ones, (one, other)), shape=(n_left, n_right)), rows)


def keep_secret(people: pl.DataFrame, attribute: Attribute) -> Flags:
    """Who keeps an attribute secret; all of those of whom that is not known."""
    if attribute.role is not Role.SEMI_SENSITIVE or attribute.flag not in people.columns:
        return np.ones(people.height, dtype=np.bool_)
    return read_secrecy(people, attribute)[0]


def _secret_axes(target: Target, people: pl.DataFrame) -> list[Axis]:
    """What people keep secret is in a bucket or withheld, all else is shown or withheld."""
    axes = []
    for attribute in target.schema.of(Role.SEMI_SENSITIVE):
        name = attribute.name
        if attribute.flag not in people.columns:
            continue
        inside = np.zeros(target.data.height, dtype=np.bool_)
        if name in target.buckets:
            inside = target.buckets[name][0] >= 0
        shown = next(n for n in (name, f"{name}_low") if n in target.data.columns)
        empty = target.data[shown].is_null().to_numpy() & ~inside
        labels = np.where(inside, 1, np.where(empty, 2, 0)).astype(np.int32)
        secret = keep_secret(people, attribute).astype(np.int32)
        nothing = np.zeros(0, dtype=np.int64)
        # Whoever keeps this secret has 1, all others 0. A shown cell covers 0, one in a bucket 1,
        # and a withheld one both.
        low, high = np.array([0, 1, 0]), np.array([0, 1, 1])
        ragged = np.zeros(3, dtype=np.bool_)
        axes.append(Axis(secret, labels, 2, low, high, ragged, nothing))
    return axes


def _withheld(target: Target) -> pl.DataFrame:
    """The published table without what is in buckets: it may be the value of another row."""
    data = target.data
    for attribute in target.schema.of(Role.SEMI_SENSITIVE):
        name = attribute.name
        if name not in target.buckets:
            continue
        public = pl.Series(target.buckets[name][0] < 0)
        shown = [n for n in (name, f"{name}_low", f"{name}_high") if n in data.columns]
        data = data.with_columns(pl.when(public).then(pl.col(n)).alias(n) for n in shown)
    return data


def _at(axes: Sequence[Axis], rows: Integers, units: Integers) -> list[Axis]:
    return [replace(a, values=a.values[rows], labels=a.labels[units]) for a in axes]


def _first(codes: Codes) -> Integers:
    """The first place of every code; there is none that nobody has."""
    return first_places(codes, int(codes.max(initial=-1)) + 1)


def _number_of_rows(target: Target, people: pl.DataFrame, who: Codes) -> Axis:
    """How many different records people have, which the published rows of a person show."""
    published = np.bincount(target.owners)
    there = [a.name for a in target.schema.published if a.name in people.columns]
    records = people.select(pl.Series("who", who), *there).unique()["who"].to_numpy()
    n_known = np.bincount(records)
    most = int(max(published.max(initial=0), n_known.max(initial=0))) + 1
    return equal_axis(n_known.astype(np.int32), published.astype(np.int32), most)


def people_of(target: Target, people: pl.DataFrame) -> Codes:
    """The person of every row of a table of people, or the row itself where no column says."""
    if target.schema.individual is None or target.person not in people.columns:
        return np.arange(people.height, dtype=np.int32)
    assert target.person is not None
    return dense_codes(encode_text(people[target.person]).codes.astype(np.int64))[0]


def deal_anew(target: Target) -> tuple[pl.DataFrame, Integers]:
    """People who are made up: each value is somebody's, and nobody has them all.

    Every quasi-identifier is shuffled by itself, so that its totals stay what they are; all
    other cells are those of a known row, whose number is given.
    """
    # One draw, so that an audit says the same twice.
    draw = np.random.default_rng(0)
    names = [a.name for a in target.schema.quasi]
    n = target.known.height
    dealt = target.known.with_columns(
        [target.known[name].gather(draw.permutation(n)) for name in names]
    )
    numbered = dealt.with_row_index("made up of")
    there = target.known.select(names)
    # Chance may deal out all the values of somebody who is in the data.
    left = numbered.join(there, on=names, how="anti", nulls_equal=True, maintain_order="left")
    return left.drop("made up of"), left["made up of"].to_numpy().astype(np.int64)


def strangers(target: Target) -> tuple[pl.DataFrame, str]:
    """People who are not in the data, real ones where some are known, and who they are."""
    if target.outsiders is not None and target.outsiders.height:
        return target.outsiders, NOT_THERE
    return deal_anew(target)[0], MADE_UP
