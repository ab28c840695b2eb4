"""The fewest values that one row of each person can show: minimum hitting sets, class by class.

Written from the definition: a hitting set has a value in common with every person's set, and every
choice of one row of each person shows one (Theorem 3.1 of identity-reserved anonymity).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from shoal.reading.encoding import (
    Codes,
    Flags,
    Integers,
    Runs,
    combine_codes,
    dense_codes,
    find_starts,
)


def fewest_values(holdings: Runs, owners: Codes, n_classes: int, most: int) -> Integers:
    """The size of a minimum hitting set of every class's sets, counted up to `most`.

    `holdings` lists the values of every set, `owners` is the class of every set, in order. What a
    person with one value shows is certain; only sets without such a value are searched.
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
        fewest[number] = known + _search(sets, most - known)
    return fewest


def _gather(
    holdings: Runs, owners: Codes, cells: Codes, open_sets: Flags
) -> Iterator[tuple[int, list[list[int]]]]:
    """The distinct chosen sets, by class and smallest first, with values 0, 1, …

    `cells` numbers the (class, value) pairs in order, so that those of a class are neighbours.
    """
    lengths = holdings.lengths
    chosen = np.flatnonzero(open_sets)
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
        yield numbers[first], [values[a:b] for a, b in pairwise(cuts[first : last + 1])]


def _first_of_equals(starts: Integers, lengths: Integers, cells: Codes, sets: Integers) -> Flags:
    """Which of the sets have no equal before them; equal sets of two classes differ in cells."""
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


def _search(sets: list[list[int]], most: int) -> int:
    """The size of a minimum hitting set, counted up to `most`; the smallest sets come first."""
    masks = [sum(1 << value for value in members) for members in sets]
    used, least = 0, 0
    for mask in masks:
        # Disjoint sets need a value each: a lower bound.
        if not mask & used:
            used |= mask
            least += 1
            if least >= most:
                return most
    hits = _transpose(sets)
    return next((size for size in range(least, most) if _can_hit(sets, hits, size)), most)


def _transpose(sets: list[list[int]]) -> list[int]:
    """For every value the sets that have it, as bits."""
    n_values = 1 + max(max(members) for members in sets)
    width = len(sets) // 8 + 1
    rows = [bytearray(width) for _ in range(n_values)]
    for place, members in enumerate(sets):
        byte, bit = place >> 3, 1 << (place & 7)
        for value in members:
            rows[value][byte] |= bit
    return [int.from_bytes(row, "little") for row in rows]


def _can_hit(sets: list[list[int]], hits: list[int], size: int) -> bool:
    """Whether so many values hit all sets: branch on the values of the smallest set left.

    A value that was tried is not tried again with the next one. A branch ends where even the
    commonest values together are in too few of the sets left. A set that contains a smaller one
    needs no special case: the smaller is branched on first, and hits both.
    """
    stack = [((1 << len(sets)) - 1, size, frozenset[int]())]
    while stack:
        left, n_more, tried = stack.pop()
        if not left:
            return True
        smallest = (left & -left).bit_length() - 1
        counts = {v: (left & h).bit_count() for v, h in enumerate(hits) if v not in tried}
        if sum(sorted(counts.values(), reverse=True)[:n_more]) < left.bit_count():
            continue
        branches = []
        for value in sorted(set(sets[smallest]) - tried, key=lambda v: (-counts[v], v)):
            branches.append((left & ~hits[value], n_more - 1, tried))
            tried = tried | {value}
        stack += reversed(branches)
    return False
