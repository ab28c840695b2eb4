"""Classes of a later version in which everyone keeps their signature (Xiao and Tao 2007).

The signature of a person is the set of sensitive values of their class. Whoever knows all versions
that a person is in knows that their value is in every one of these sets: if the sets are the same,
that is no more than one version shows. As in the paper, a class that lost a value takes in somebody
new who has it, or else a counterfeit. Unlike there, values of a class need not differ, so any
method may make the first version, and classes stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

UnitNumbers = NDArray[np.int64]
NOWHERE = -1


@dataclass(frozen=True)
class Roster:
    """People of a version, as units.

    `codes` are their quasi-identifiers, `weights` what one step in each is worth. `values` are the
    sensitive values of every unit, as numbers that no two attributes share. `signature` is the
    place of a unit's signature among `signatures` (-1: new), `start` the class it was in (-1:
    none), `least` the size that it needs of its class.
    """

    codes: NDArray[np.int64]
    weights: NDArray[np.float64]
    values: Sequence[frozenset[int]]
    signature: UnitNumbers
    signatures: Sequence[frozenset[int]]
    start: UnitNumbers
    least: UnitNumbers

    def span(self, low: UnitNumbers, high: UnitNumbers) -> NDArray[np.float64]:
        """About what a row of a class loses that reaches from low to high, of one or of many.

        This is not the metric of kernels/box/space.py but a span of codes: `glm` of evenly spaced
        numbers, at most that of a tree, at least that of a set. Classes change with every person
        who is placed, and of a span the two ends are all that must be kept up to date. It decides
        no more than which of the classes that keep everyone's signature somebody joins; what that
        loses is measured by the metric.
        """
        return np.asarray((high - low) @ self.weights)


@dataclass
class Group:
    """A class: its members, how many of them have each value, and its signature."""

    signature: int
    members: list[int] = field(default_factory=list)
    count: dict[int, int] = field(default_factory=dict)
    touched: bool = False


@dataclass(frozen=True)
class Kept:
    """Where everyone is: a class for every unit, or nowhere.

    `missing` are the values of its signature that nobody in a class has, `touched` says which
    classes have other members than before, `strangers` are new units that fit no signature.
    `before` is the number that a class had, -1 if it is new.
    """

    unit_class: UnitNumbers
    missing: list[list[int]]
    touched: NDArray[np.bool_]
    before: UnitNumbers
    strangers: UnitNumbers


def keep_signatures(roster: Roster) -> Kept:
    """Place everyone who can be placed so that their class has their signature.

    New people go first where a value or a person is missing, then where it costs least. What is
    still missing is taken from a class with the same signature that can spare it; classes that are
    too small are merged with one, or left out. Classes that became large are divided.
    """
    work = _Work(roster)
    work.bring_back()
    work.fill_gaps()
    strangers = work.place_new()
    work.grow_small()
    work.lend()
    work.divide()
    return work.finished(strangers)


class _Work:
    """The classes while people are placed."""

    def __init__(self, roster: Roster) -> None:
        self.roster = roster
        n = int(roster.start.max(initial=NOWHERE)) + 1
        self.n_before = n
        self.groups = [Group(NOWHERE) for _ in range(n)]
        d = roster.codes.shape[1]
        # A quarter of the range, so that the span of an empty class does not overflow.
        self.low = np.full((n, d), np.iinfo(np.int64).max // 4)
        self.high = np.full((n, d), np.iinfo(np.int64).min // 4)
        self.sizes = np.zeros(n, dtype=np.int64)
        self.new = []
        self.back = []
        for unit, (signature, start) in enumerate(
            zip(roster.signature.tolist(), roster.start.tolist(), strict=True)
        ):
            if signature == NOWHERE:
                self.new.append(unit)
            # Whoever comes back with a value that their signature lacks is left out.
            elif roster.values[unit] <= roster.signatures[signature]:
                if start == NOWHERE:
                    self.back.append(unit)
                else:
                    self.groups[start].signature = signature
                    self._count(self.groups[start], unit)
        self._bound()

    def _bound(self) -> None:
        members = [unit for group in self.groups for unit in group.members]
        of = np.repeat(np.arange(len(self.groups)), [len(g.members) for g in self.groups])
        codes = self.roster.codes[members]
        np.minimum.at(self.low, of, codes)
        np.maximum.at(self.high, of, codes)
        self.sizes = np.bincount(of, minlength=len(self.groups))

    def _count(self, group: Group, unit: int) -> None:
        group.members.append(unit)
        for value in self.roster.values[unit]:
            group.count[value] = group.count.get(value, 0) + 1

    def add(self, number: int, unit: int) -> None:
        """A unit joins a class."""
        group = self.groups[number]
        self._count(group, unit)
        group.touched = True
        codes = self.roster.codes[unit]
        self.low[number] = np.minimum(self.low[number], codes)
        self.high[number] = np.maximum(self.high[number], codes)
        self.sizes[number] += 1

    def reset(self, number: int, members: list[int]) -> None:
        """A class has these members only."""
        group = self.groups[number]
        group.members, group.count, group.touched = [], {}, True
        self.sizes[number] = 0
        if members:
            codes = self.roster.codes[members]
            self.low[number], self.high[number] = codes.min(axis=0), codes.max(axis=0)
            self.sizes[number] = len(members)
            for unit in members:
                self._count(group, unit)

    def found(self, signature: int, members: list[int]) -> int:
        """A class that was not there."""
        d = self.low.shape[1]
        self.groups.append(Group(signature))
        self.low = np.append(self.low, np.zeros((1, d), dtype=np.int64), axis=0)
        self.high = np.append(self.high, np.zeros((1, d), dtype=np.int64), axis=0)
        self.sizes = np.append(self.sizes, 0)
        self.reset(len(self.groups) - 1, members)
        return len(self.groups) - 1

    def by_signature(self) -> dict[int, list[int]]:
        """The classes of each signature that have members."""
        found: dict[int, list[int]] = {}
        for number, group in enumerate(self.groups):
            if group.members:
                found.setdefault(group.signature, []).append(number)
        return found

    def absent(self, number: int) -> list[int]:
        """The values of its signature that nobody in a class has."""
        group = self.groups[number]
        return sorted(self.roster.signatures[group.signature].difference(group.count))

    def need(self, number: int) -> int:
        """How many more units a class needs for its members to have the size that they ask for."""
        members = self.groups[number].members
        return int(self.roster.least[members].max(initial=0)) - len(members)

    def cost(
        self, numbers: UnitNumbers, low: UnitNumbers, high: UnitNumbers, n_units: int
    ) -> NDArray[np.float64]:
        """What each class would lose more with this many further units, from low to high."""
        one, other = self.low[numbers], self.high[numbers]
        span, sizes = self.roster.span, self.sizes[numbers]
        before, after = span(one, other), span(np.minimum(one, low), np.maximum(other, high))
        return np.asarray((sizes + n_units) * after - sizes * before)

    def nearest_unit(self, number: int, units: UnitNumbers) -> int:
        """The place of the unit with which a class grows least."""
        codes = self.roster.codes[units]
        low, high = np.minimum(self.low[number], codes), np.maximum(self.high[number], codes)
        return int(np.argmin(self.roster.span(low, high)))

    def bring_back(self) -> None:
        """Who was left out, or away, joins a class with their signature, or waits for others."""
        if not self.back:
            return
        by_signature = self.by_signature()
        for unit in self.back:
            signature = int(self.roster.signature[unit])
            there = by_signature.setdefault(signature, [])
            if there:
                codes = self.roster.codes[unit]
                numbers = np.array(there)
                self.add(int(numbers[np.argmin(self.cost(numbers, codes, codes, 1))]), unit)
            else:
                there.append(self.found(signature, [unit]))

    def fill_gaps(self) -> None:
        """Classes that lack a value, or people, take in the nearest who are new and fit."""
        waiting = _Waiting(self.new, self.roster.values)
        for number, group in enumerate(self.groups):
            if not group.members:
                continue
            allowed = self.roster.signatures[group.signature]
            for value in self.absent(number):
                if value not in group.count:
                    self._take(number, waiting, waiting.having([value], allowed))
            while self.need(number) > 0 and self._take(
                number, waiting, waiting.having(allowed, allowed)
            ):
                pass
        self.new = waiting.left()

    def _take(self, number: int, waiting: _Waiting, units: list[int]) -> bool:
        if not units:
            return False
        unit = units[self.nearest_unit(number, np.array(units))]
        waiting.take(unit)
        self.add(number, unit)
        return True

    def place_new(self) -> list[int]:
        """All other new people join the class where it costs least; returns those who fit none."""
        having: dict[int, list[int]] = {}
        for number, group in enumerate(self.groups):
            if group.members:
                # Whoever has a value of the signature fits, whether or not anybody in the class has
                # it now.
                for value in self.roster.signatures[group.signature]:
                    having.setdefault(value, []).append(number)
        arrays = {value: np.array(numbers) for value, numbers in having.items()}
        strangers = []
        for unit in self.new:
            found = [arrays.get(value) for value in sorted(self.roster.values[unit])]
            numbers = _common(found)
            if not len(numbers):
                strangers.append(unit)
                continue
            codes = self.roster.codes[unit]
            self.add(int(numbers[np.argmin(self.cost(numbers, codes, codes, 1))]), unit)
        return strangers

    def grow_small(self) -> None:
        """Classes that are too small join the nearest with the same signature, or go."""
        small = [n for n, g in enumerate(self.groups) if g.members and self.need(n) > 0]
        if not small:
            return
        by_signature = self.by_signature()
        for number in small:
            group = self.groups[number]
            while group.members and self.need(number) > 0:
                there = by_signature[group.signature]
                others = np.array([n for n in there if n != number and self.sizes[n]], dtype=int)
                if not len(others):
                    self.reset(number, [])
                    break
                low, high = self.low[number], self.high[number]
                costs = self.cost(others, low, high, len(group.members))
                other = int(others[np.argmin(costs)])
                for unit in self.groups[other].members:
                    self.add(number, unit)
                self.reset(other, [])

    def lend(self) -> None:
        """A value that is missing comes from a class with the same signature that can spare it."""
        short = [n for n, g in enumerate(self.groups) if g.members and self.absent(n)]
        if not short:
            return
        by_signature = self.by_signature()
        for number in short:
            for value in self.absent(number):
                spare = [
                    (unit, other)
                    for other in by_signature[self.groups[number].signature]
                    if other != number and self.groups[other].count.get(value, 0) > 1
                    for unit in self.spare(other, value)
                ]
                if spare:
                    units = np.array([unit for unit, _ in spare])
                    unit, other = spare[self.nearest_unit(number, units)]
                    self.reset(other, [u for u in self.groups[other].members if u != unit])
                    self.add(number, unit)

    def spare(self, number: int, value: int) -> list[int]:
        """The members with a value without whom a class still has all its values, and its size."""
        group, values = self.groups[number], self.roster.values
        # With one member less, the class would be too small.
        if self.need(number) >= 0:
            return []
        return [
            unit
            for unit in group.members
            if value in values[unit] and all(group.count[v] > 1 for v in values[unit])
        ]

    def divide(self) -> None:
        """Divide classes that took somebody in, where both parts have all that the whole has."""
        todo = [n for n, group in enumerate(self.groups) if group.touched and group.members]
        while todo:
            number = todo.pop()
            parts = self.halves(number)
            if parts is not None:
                self.reset(number, parts[0])
                todo += [number, self.found(self.groups[number].signature, parts[1])]

    def halves(self, number: int) -> tuple[list[int], list[int]] | None:
        """Two parts of a class that lose less than it, and have its signature; None: none found."""
        group = self.groups[number]
        least = int(self.roster.least[group.members].max(initial=1))
        # Each part needs the size and, as its signature, every value of the whole.
        if len(group.members) < 2 * least or min(group.count.values()) < 2:
            return None
        # Both parts would lack the value, and need a counterfeit each.
        if self.absent(number):
            return None
        spans = (self.high[number] - self.low[number]) * self.roster.weights
        for j in np.argsort(-spans, kind="stable").tolist():
            if spans[j] <= 0:
                return None
            units = sorted(group.members, key=lambda unit: (self.roster.codes[unit, j], unit))
            n = len(units)
            # A cut in the middle may leave all who have a value on one side. Where people have one
            # value each, taking half of those with each value never does.
            cuts = (units[: n // 2], units[: (n + 1) // 2], self._by_value(units))
            pairs = [(left, sorted(set(units).difference(left))) for left in cuts]
            found = [pair for pair in pairs if self._may_be_parts(number, *pair, least)]
            if found:
                return min(found, key=lambda pair: self._lost(*pair))
        return None

    def _by_value(self, units: list[int]) -> list[int]:
        """Half of those with each value, as they stand."""
        by_value: dict[int, list[int]] = {}
        for unit in units:
            by_value.setdefault(min(self.roster.values[unit], default=NOWHERE), []).append(unit)
        left, up = [], False
        for value in sorted(by_value):
            n = len(by_value[value])
            # Odd numbers are rounded up and down in turn, so that the parts differ by one at most.
            left += by_value[value][: (n + 1) // 2 if up and n % 2 else n // 2]
            up = up != bool(n % 2)
        return left

    def _may_be_parts(self, number: int, left: list[int], right: list[int], least: int) -> bool:
        wanted = set(self.groups[number].count)
        if min(len(left), len(right)) < least:
            return False
        for part in (left, right):
            if set().union(*(self.roster.values[unit] for unit in part)) != wanted:
                return False
        return self._lost(left, right) < self._lost(left + right)

    def _lost(self, *parts: list[int]) -> float:
        return sum(len(part) * self._span(part) for part in parts)

    def _span(self, units: list[int]) -> float:
        codes = self.roster.codes[units]
        return float(self.roster.span(codes.min(axis=0), codes.max(axis=0)))

    def finished(self, strangers: list[int]) -> Kept:
        unit_class = np.full(len(self.roster.start), NOWHERE, dtype=np.int64)
        numbers = [n for n, group in enumerate(self.groups) if group.members]
        for place, number in enumerate(numbers):
            unit_class[self.groups[number].members] = place
        return Kept(
            unit_class,
            [self.absent(number) for number in numbers],
            np.array([self.groups[n].touched for n in numbers], dtype=np.bool_),
            np.array([n if n < self.n_before else NOWHERE for n in numbers], dtype=np.int64),
            np.array(strangers, dtype=np.int64),
        )


class _Waiting:
    """Units that are new and have no class yet, by their values."""

    def __init__(self, units: Iterable[int], values: Sequence[frozenset[int]]) -> None:
        self.values = values
        self.units = dict.fromkeys(units)
        self.by_value: dict[int, dict[int, None]] = {}
        for unit in self.units:
            for value in values[unit]:
                self.by_value.setdefault(value, {})[unit] = None

    def having(self, wanted: Iterable[int], allowed: frozenset[int]) -> list[int]:
        """The units that have one of these values, and none that is not allowed."""
        found = dict.fromkeys(
            unit for value in sorted(wanted) for unit in self.by_value.get(value, ())
        )
        return [unit for unit in found if self.values[unit] <= allowed]

    def take(self, unit: int) -> None:
        del self.units[unit]
        for value in self.values[unit]:
            del self.by_value[value][unit]

    def left(self) -> list[int]:
        return list(self.units)


def _common(found: Sequence[UnitNumbers | None]) -> UnitNumbers:
    """The numbers that are in all of these arrays."""
    numbers = found[0] if found else None
    for other in found[1:]:
        if numbers is None or other is None:
            return np.zeros(0, dtype=np.int64)
        numbers = np.intersect1d(numbers, other, assume_unique=True)
    return np.zeros(0, dtype=np.int64) if numbers is None else numbers
