"""DAnonyIR by brute force in plain NumPy, what a fast path has to be compared with.

Every step weighs the growing class against all people left and all classes formed, each with a few
operations on whole arrays. One sensitive attribute, EIR l-diversity.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
CLOSE = 1e-9
# So far beyond the domain that a range with it and a number loses all.
MISSING = 2.0


@dataclass(frozen=True)
class Shape:
    """Where the values of each set attribute lie among the bits of a class, and what one weighs.

    A set attribute starts a new word, so that a word belongs to one attribute.
    """

    n_codes: tuple[int, ...]

    @cached_property
    def weights(self) -> list[float]:
        """What one more value of each set attribute loses (eq. 12)."""
        return [1 / (n - 1) if n > 1 else 0.0 for n in self.n_codes]

    @cached_property
    def first_words(self) -> list[int]:
        """The first word of each set attribute, and the number of words."""
        return [0, *np.cumsum([-(-n // 64) for n in self.n_codes]).tolist()]

    @cached_property
    def attribute_of(self) -> list[int]:
        """The set attribute of each word."""
        return [b for b, n in enumerate(self.n_codes) for _ in range(-(-n // 64))]

    def words_of(self, codes: Ints) -> Words:
        """One value of each attribute for every person, as bits."""
        words = np.zeros((len(codes), self.first_words[-1]), np.uint64)
        for b, first in enumerate(self.first_words[:-1]):
            word, bit = np.divmod(codes[:, b], 64)
            words[np.arange(len(codes)), first + word] = np.uint64(1) << bit.astype(np.uint64)
        return words


@dataclass
class Diversity:
    """The sets that a class has to be hit in, those that contain another left out."""

    masks: list[int] = field(default_factory=list)
    hit_by: int = 0
    """Fewer than l values that are known to hit them all; 0 where none are known."""

    def add(self, mask: int) -> None:
        """Take in one person's values."""
        if any(own & mask == own for own in self.masks):
            return
        self.masks = [own for own in self.masks if own & mask != mask]
        self.masks.append(mask)

    def at_least(self, l: int) -> bool:  # noqa: E741
        """Whether every hitting set has l values or more."""
        if self.hit_by and all(own & self.hit_by for own in self.masks):
            return False
        ordered = sorted(self.masks, key=int.bit_count)
        self.hit_by = 0 if packs(ordered, l) else hitting(ordered, l - 1)
        return self.hit_by == 0


def packs(masks: list[int], l: int) -> bool:  # noqa: E741
    """Whether l sets that share nothing are found by taking the small ones first."""
    taken = n_taken = 0
    for mask in masks:
        if not mask & taken:
            taken, n_taken = taken | mask, n_taken + 1
    return n_taken >= l


def hitting(masks: list[int], most: int) -> int:
    """At most so many values that hit every set, as a mask, or 0; the smallest sets come first."""
    if most == 0 or packs(masks, most + 1):
        return 0
    choices = masks[0]
    while choices:
        value = choices & -choices
        choices ^= value
        rest = [mask for mask in masks if not mask & value]
        found = hitting(rest, most - 1) if rest else value
        if found:
            return found | value
    return 0


class People:
    """Those left, in table order, as one array per attribute."""

    def __init__(self, places: Floats, codes: Ints, rows: Ints, shape: Shape) -> None:
        self.numbers = np.arange(len(rows))
        self.rows = rows.astype(np.float64)
        self.places = [np.ascontiguousarray(column) for column in places.T]
        self.has_missing = bool((places > 1.0).any())
        self.used = [b for b, n in enumerate(shape.n_codes) if n > 1]
        self.codes = [np.ascontiguousarray(codes[:, b]) for b in self.used]
        self.gone = np.zeros(len(rows))
        """Infinite for those who were taken since the arrays were last made dense."""
        self.is_left = np.ones(len(rows), bool)
        self.n_left = len(rows)
        self._scratch = np.empty((3, len(rows)))

    def take(self, person: int) -> None:
        """Leave a person out from now on."""
        self.gone[np.searchsorted(self.numbers, person)] = np.inf
        self.is_left[person] = False
        self.n_left -= 1
        if self.n_left < 0.75 * len(self.numbers):
            self._make_dense()

    def _make_dense(self) -> None:
        kept = self.gone == 0
        self.numbers, self.rows, self.gone = self.numbers[kept], self.rows[kept], self.gone[kept]
        self.places = [column[kept] for column in self.places]
        self.codes = [column[kept] for column in self.codes]
        self._scratch = np.empty((3, len(self.numbers)))

    def distances(self, group: Group) -> Floats:
        """Eq. 17: from a class to everyone; infinite to those taken."""
        total, part, other = self._scratch
        np.copyto(total, self.gone)
        for place, low, high in zip(self.places, group.low, group.high, strict=True):
            np.maximum(place, high, out=part)
            np.minimum(place, low, out=other)
            np.subtract(part, other, out=part)
            if high > 1.0 or self.has_missing:
                np.minimum(part, 1.0, out=part)
            np.add(total, part, out=total)
        for column, b in zip(self.codes, self.used, strict=True):
            np.take(group.tables[b], column, out=part, mode="clip")
            np.add(total, part, out=total)
        np.add(self.rows, group.rows, out=part)
        np.multiply(total, part, out=total)
        np.subtract(total, group.rows * group.loss, out=total)
        return total


class Group:
    """A class that grows: its intervals, its values and what a row of it loses."""

    def __init__(self, shape: Shape, n_places: int) -> None:
        self.shape = shape
        self.members: list[int] = []
        self.rows = 0.0
        self.low = np.full(n_places, np.inf)
        self.high = np.full(n_places, -np.inf)
        self.words = np.zeros(shape.first_words[-1], np.uint64)
        """Which values of the set attributes there are, as bits."""
        self.tables = [np.zeros(n) for n in shape.n_codes]
        """What a row would lose of each set attribute, by the value that is added."""
        self.loss = 0.0
        self.diversity = Diversity()

    def add(self, members: list[int], rows: float, low: Floats, high: Floats, words: Words) -> None:
        """Take in a person or a class, but for the sensitive values."""
        self.members = self.members + members
        self.rows += rows
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)
        new = np.flatnonzero(words & ~self.words)
        self.words |= words
        for b in {self.shape.attribute_of[word] for word in new.tolist()}:
            self.tables[b] = self._table(b)
        least = sum(float(table.min()) for table in self.tables)
        self.loss = float(np.minimum(self.high - self.low, 1.0).sum()) + least

    def _table(self, b: int) -> Floats:
        first, end = self.shape.first_words[b : b + 2]
        bits = np.unpackbits(self.words[first:end].view(np.uint8), bitorder="little")
        has = bits[: self.shape.n_codes[b]].astype(np.float64)
        table: Floats = np.multiply(has.sum() - has, self.shape.weights[b])
        return table


class Classes:
    """Those formed, oldest first, as one array per attribute and per word of values."""

    def __init__(self, shape: Shape, n_places: int) -> None:
        self.shape, self.n_places = shape, n_places
        self.groups: list[Group | None] = []
        n_words = shape.first_words[-1]
        self.word_weights = [shape.weights[b] for b in shape.attribute_of]
        self.floats = np.empty((3 + 2 * n_places, 16))
        """Rows, loss, whether merged since (infinite); then low and high places."""
        self.bits = np.empty((n_words, 16), np.uint64)
        self._scratch = np.empty((3, 16))
        self._words = np.empty(16, np.uint64)
        self._counts = np.empty(16, np.uint8)

    def form(self, group: Group) -> None:
        """Append a class."""
        if len(self.groups) == self.floats.shape[1]:
            self._make_room()
        self.groups.append(group)
        self.put(len(self.groups) - 1, group)

    def put(self, at: int, group: Group) -> None:
        """Write down how a class stands."""
        self.floats[:, at] = [group.rows, group.loss, 0.0, *group.low, *group.high]
        self.bits[:, at] = group.words

    def _make_room(self) -> None:
        """Leave out the classes that were merged, and double what is then still crowded."""
        kept = [i for i, group in enumerate(self.groups) if group is not None]
        n_room = self.floats.shape[1] * (2 if len(kept) > len(self.groups) // 2 else 1)
        floats, bits = self.floats[:, kept], self.bits[:, kept]
        self.groups = [self.groups[i] for i in kept]
        self.floats = np.empty((len(floats), n_room))
        self.bits = np.empty((len(bits), n_room), np.uint64)
        self.floats[:, : len(kept)], self.bits[:, : len(kept)] = floats, bits
        self._scratch = np.empty((3, n_room))
        self._words = np.empty(n_room, np.uint64)
        self._counts = np.empty(n_room, np.uint8)

    def take(self, at: int) -> Group:
        """Leave a class out from now on."""
        group = self.groups[at]
        assert group is not None
        self.groups[at] = None
        self.floats[2, at] = np.inf
        return group

    def distances(self, group: Group) -> Floats:
        """Eq. 18: from a class to every class formed; infinite to those merged since."""
        n, a = len(self.groups), self.n_places
        total, part, other = (row[:n] for row in self._scratch)
        rows, loss, gone, *ends = self.floats[:, :n]
        np.subtract(gone, sum(self.shape.weights), out=total)
        for i in range(a):
            np.maximum(ends[a + i], group.high[i], out=part)
            np.minimum(ends[i], group.low[i], out=other)
            np.subtract(part, other, out=part)
            np.minimum(part, 1.0, out=part)
            np.add(total, part, out=total)
        self._add_sets(group, total, part)
        np.add(rows, group.rows, out=part)
        np.multiply(total, part, out=total)
        np.multiply(rows, loss, out=part)
        np.subtract(total, part, out=total)
        np.subtract(total, group.rows * group.loss, out=total)
        return total

    def _add_sets(self, group: Group, total: Floats, part: Floats) -> None:
        words, counts = self._words[: len(total)], self._counts[: len(total)]
        for i, weight in enumerate(self.word_weights):
            np.bitwise_or(self.bits[i, : len(total)], group.words[i], out=words)
            np.bitwise_count(words, out=counts)
            np.multiply(counts, weight, out=part)
            np.add(total, part, out=total)


@dataclass
class Search:
    """The greedy, its people and its classes."""

    places: Floats
    codes: Ints
    rows: Ints
    masks: list[int]
    shape: Shape
    l: int  # noqa: E741

    def __post_init__(self) -> None:
        self.words = self.shape.words_of(self.codes)
        self.people = People(self.places, self.codes, self.rows, self.shape)
        self.classes = Classes(self.shape, self.places.shape[1])

    def grow_from(self, starter: int) -> list[int]:
        """Form a class; who is left over where there was nobody to finish it with."""
        group = Group(self.shape, self.places.shape[1])
        self.people.take(starter)
        self.add_person(group, starter)
        while self.people.n_left:
            self._add_nearest(group)
            if group.diversity.at_least(self.l):
                self.classes.form(group)
                return []
        return group.members

    def _add_nearest(self, group: Group) -> None:
        to_people, to_classes = self.people.distances(group), self.classes.distances(group)
        least = to_people.min()
        of_classes = to_classes.min(initial=np.inf)
        if least <= min(least, of_classes) + CLOSE:
            found = np.argmax(to_people <= min(least, of_classes) + CLOSE)
            person = int(self.people.numbers[found])
            self.people.take(person)
            self.add_person(group, person)
        else:
            found = np.argmax(to_classes <= of_classes + CLOSE)
            self._merge(group, self.classes.take(int(found)))

    def add_person(self, group: Group, person: int) -> None:
        """Put a person into a class."""
        own = self.places[person]
        group.add([person], float(self.rows[person]), own, own, self.words[person])
        group.diversity.add(self.masks[person])

    def _merge(self, group: Group, other: Group) -> None:
        group.add(other.members, other.rows, other.low, other.high, other.words)
        for mask in other.diversity.masks:
            group.diversity.add(mask)

    def settle(self, person: int) -> None:
        """Algorithm 7. A class of EIR l-diversity keeps it, whoever joins."""
        if all(group is None for group in self.classes.groups):
            return
        alone = Group(self.shape, self.places.shape[1])
        self.add_person(alone, person)
        distances = self.classes.distances(alone)
        least = distances.min()
        if least <= alone.rows * (self.places.shape[1] + self.codes.shape[1]) + CLOSE:
            at = int(np.argmax(distances <= least + CLOSE))
            group = self.classes.groups[at]
            assert group is not None
            self.add_person(group, person)
            self.classes.put(at, group)


def danonyir_brute(
    places: Floats,
    codes: Ints,
    n_codes: list[int],
    rows: Ints,
    start: Ints,
    values: Ints,
    l: int,  # noqa: E741
    starters: Ints,
) -> Ints:
    """The class of every person, numbered by order of forming, -1 for the suppressed.

    `places` are numeric values as parts of their domains, MISSING where there is none; person p's
    distinct sensitive codes are `values[start[p]:start[p + 1]]`; `starters` is a permutation of all
    people.
    """
    masks = [
        sum(1 << int(value) for value in values[start[p] : start[p + 1]]) for p in range(len(rows))
    ]
    search = Search(places, codes, rows, masks, Shape(tuple(n_codes)), l)
    residual: list[int] = []
    for starter in starters.tolist():
        if search.people.is_left[starter]:
            residual = search.grow_from(starter)
    for person in sorted(residual):
        search.settle(person)
    found = np.full(len(rows), -1)
    for number, group in enumerate(g for g in search.classes.groups if g is not None):
        found[group.members] = number
    return found
