"""The fewest values that one row of each person can show: minimum hitting sets, class by class.

Written from the definition: a hitting set has a value in common with every person's set, and every
choice of one row of each person shows one (Theorem 3.1 of identity-reserved anonymity). A search
takes many branches at once, as rows of arrays, and ends undecided after a number of steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shoal.reading.encoding import (
    Codes,
    Flags,
    Integers,
    Runs,
    combine_codes,
    dense_codes,
    find_starts,
)

# The steps of all searches in one class: ten times what a method takes for one search.
BUDGET = 3_000_000_000
# About how many cells the arrays have that are made for branches together: bounds memory.
_AT_ONCE = 1 << 20
# Below every size, so that it cannot pass for one.
UNDECIDED = -1


def fewest_values(
    holdings: Runs, owners: Codes, n_classes: int, most: int, budget: int = BUDGET
) -> Integers:
    """The size of a minimum hitting set of every class's sets, counted up to `most`.

    `holdings` lists the values of every set, `owners` is the class of every set, in order. What a
    person with one value shows is certain; only sets without such a value are searched. UNDECIDED
    where `budget` steps do not tell whether `most` is reached; where they tell, but not what is
    reached instead, the least size that was found.
    """
    classes = owners[holdings.classes].astype(np.int64)
    keys = classes * (int(holdings.values.max(initial=0)) + 1) + holdings.values
    cells, _ = dense_codes(keys)
    certain = np.zeros(int(cells.max(initial=-1)) + 1, dtype=np.bool_)
    alone = np.repeat(holdings.lengths == 1, holdings.lengths)
    certain[cells[alone]] = True
    of_cell = np.zeros(len(certain), dtype=np.int64)
    of_cell[cells] = classes
    n_certain = np.bincount(of_cell[certain], minlength=n_classes)
    fewest = np.minimum(n_certain, most)
    hit = np.logical_or.reduceat(certain[cells], holdings.starts)
    open_sets = ~hit & (n_certain[owners] < most)
    for number, sets in _gather(holdings, owners, cells, open_sets):
        known = int(n_certain[number])
        found = _search(sets, most - known, budget)
        fewest[number] = UNDECIDED if found is None else known + found
    return fewest


def _gather(
    holdings: Runs, owners: Codes, cells: Codes, wanted: Flags
) -> Iterator[tuple[int, list[list[int]]]]:
    """The different ones of the wanted sets, by class and smallest first, with values 0, 1, …

    The order of people does not matter, so a search runs out for all orders or for none.
    `cells` numbers the (class, value) pairs in order, so that those of a class are neighbours.
    """
    lengths = holdings.lengths
    chosen = np.flatnonzero(wanted)
    chosen = chosen[np.lexsort((lengths[chosen], owners[chosen]))]
    chosen = chosen[_first_of_equals(holdings.starts, lengths, cells, chosen)]
    ends = np.append(0, np.cumsum(lengths[chosen]))
    shift = np.repeat(holdings.starts[chosen] - ends[:-1], lengths[chosen])
    members, _ = dense_codes(cells[np.arange(ends[-1]) + shift].astype(np.int64))
    groups = find_starts(owners[chosen])
    if len(groups):
        inside = np.diff(ends[groups], append=len(members))
        members -= np.repeat(np.minimum.reduceat(members, ends[groups]), inside)
    values, cuts, numbers = members.tolist(), ends.tolist(), owners[chosen].tolist()
    for first, last in pairwise([*groups.tolist(), len(chosen)]):
        sets = [values[a:b] for a, b in pairwise(cuts[first : last + 1])]
        yield numbers[first], sorted(sets, key=lambda members: (len(members), members))


def _first_of_equals(starts: Integers, lengths: Integers, cells: Codes, sets: Integers) -> Flags:
    """Which of the sets have no equal before them; cells tell classes apart."""
    fresh = np.zeros(len(sets), dtype=np.bool_)
    n_cells = int(cells.max(initial=0)) + 1
    for length in np.unique(lengths[sets]).tolist():
        places = np.flatnonzero(lengths[sets] == length)
        begin = starts[sets[places]]
        columns = [(cells[begin + i], n_cells) for i in range(length)]
        codes, n_codes = combine_codes(columns, len(places))
        first = np.empty(n_codes, dtype=np.int64)
        first[codes[::-1]] = places[::-1]
        fresh[first] = True
    return fresh


def _search(sets: list[list[int]], most: int, budget: int) -> int | None:
    """The size of a minimum hitting set, counted up to `most`; the smallest sets come first.

    None if it is undecided whether that is `most`.
    """
    used, least = set[int](), 0
    for members in sets:
        # Sets that have nothing in common need a value each.
        if used.isdisjoint(members):
            used.update(members)
            least += 1
            if least >= most:
                return most
    search = _Search.of(sets, budget)
    size = most
    while size > least:
        hit = search.can_hit(size - 1)
        if hit is None:
            return None if size == most else size
        if not hit:
            return size
        size -= 1
    return size


@dataclass
class _Search:
    """Sets as rows of flags, and the steps that are left: cells of these rows looked at.

    `has[s, v]`: whether set s has value v; `sets[s]`: its values, as bits; `hits[v]`: the sets that
    have value v, as bits; `widest` is how many values a set has at most.
    """

    has: Flags
    sets: NDArray[np.uint64]
    hits: NDArray[np.uint64]
    steps: int
    widest: int

    @classmethod
    def of(cls, sets: list[list[int]], budget: int) -> _Search:
        has = np.zeros((len(sets), 1 + max(map(max, sets))), dtype=np.bool_)
        for row, members in zip(has, sets, strict=True):
            row[members] = True
        return cls(has, _as_words(has), _as_words(has.T), budget, max(map(len, sets)))

    def can_hit(self, size: int) -> bool | None:
        """Whether this many values hit all sets; None where the steps ran out."""
        (n_sets, n_values), n_words = self.has.shape, self.hits.shape[1]
        # A branch is followed by one for each value of a set, each with its own row of values.
        many = max(_AT_ONCE // (n_sets + n_values * max(n_words, self.widest)), 1)
        everything = np.bitwise_or.reduce(self.hits, axis=0)[None, :]
        waiting = [_Branches(everything, np.zeros((1, n_values), dtype=np.bool_), size)]
        while waiting:
            # The latest first: a search in depth, so that few branches wait.
            branches = waiting.pop()
            if branches.room == 0:
                # Sets are left, but no value may be taken.
                continue
            if len(branches.left) > many:
                waiting.append(branches.some(slice(many, None)))
                branches = branches.some(slice(many))
            self.steps -= len(branches.left) * n_values * n_words
            if self.steps < 0:
                return None
            following = self._follow(branches)
            if not following.left.any(axis=1).all():
                return True
            if len(following.left):
                waiting.append(following)
        return False

    def _follow(self, branches: _Branches) -> _Branches:
        """The branches after one more value of the set with the fewest that are not tried yet.

        The values in most sets come first, and a value that was tried is not tried with the next. A
        value counts as tried too if it and the commonest others hit too few of the sets left.
        """
        counts = self._count(branches)
        n_left = np.bitwise_count(branches.left).sum(axis=1, dtype=np.int64)
        ranked = -np.sort(-counts, axis=1)[:, : branches.room]
        # A value must hit at least what the room - 1 commonest leave over.
        # With fewer values than may be taken, each of an open branch is common enough.
        wanted = n_left - ranked[:, :-1].sum(axis=1, dtype=np.int64)
        open_ = ranked.sum(axis=1, dtype=np.int64) >= n_left
        branches, counts = branches.some(open_), counts[open_]
        branches.tried[counts < wanted[open_, None]] = True
        narrow = self.has[self._narrowest(branches)] & ~branches.tried
        rows, values = np.nonzero(narrow)
        own, all_counts = counts[rows, values][:, None], counts[rows]
        places = np.arange(counts.shape[1])
        before = (all_counts > own) | ((all_counts == own) & (places < values[:, None]))
        return _Branches(
            branches.left[rows] & ~self.hits[values],
            branches.tried[rows] | (narrow[rows] & before),
            branches.room - 1,
        )

    def _count(self, branches: _Branches) -> NDArray[np.signedinteger]:
        """In how many of the sets left each value is that was not tried, branch by branch."""
        # The smallest integers that do: sums and sorts of them are several times as fast.
        counts = np.zeros(branches.tried.shape, dtype=np.min_scalar_type(-2 * len(self.has)))
        for word in range(self.hits.shape[1]):
            counts += np.bitwise_count(branches.left[:, word, None] & self.hits[:, word])
        counts[branches.tried] = 0
        return counts

    def _narrowest(self, branches: _Branches) -> Integers:
        """The set left that has the fewest values not tried, branch by branch."""
        n_sets = len(self.has)
        self.steps -= len(branches.left) * n_sets
        bits = branches.left.astype("<u8").view(np.uint8)
        left = np.unpackbits(bits, axis=1, count=n_sets, bitorder="little").view(np.bool_)
        free = np.zeros(left.shape, dtype=np.min_scalar_type(-2 * self.has.shape[1]))
        allowed = _as_words(~branches.tried)
        for word in range(allowed.shape[1]):
            free += np.bitwise_count(allowed[:, word, None] & self.sets[:, word])
        narrowest: Integers = np.where(left, free, np.iinfo(free.dtype).max).argmin(axis=1)
        return narrowest


def _as_words(flags: Flags) -> NDArray[np.uint64]:
    """Rows of flags as rows of bits, 64 to a word."""
    n_rows, n_flags = flags.shape
    packed = np.zeros((n_rows, 8 * -(-n_flags // 64)), dtype=np.uint8)
    packed[:, : -(-n_flags // 8)] = np.packbits(flags, axis=1, bitorder="little")
    # Bits were packed from the lowest: words of little-endian bytes on every machine.
    return packed.view("<u8").astype(np.uint64)


@dataclass(frozen=True)
class _Branches:
    """The sets that each branch has left to hit, the values it may not take, and how many it may.

    The sets are bits, the values flags; a row is a branch.
    """

    left: NDArray[np.uint64]
    tried: Flags
    room: int

    def some(self, chosen: slice | Flags) -> _Branches:
        return _Branches(self.left[chosen], self.tried[chosen], self.room)
