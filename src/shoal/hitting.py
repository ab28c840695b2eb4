"""Hitting sets: what an adversary could pick to explain a class (identity-reserved anonymity).

A hitting set has an element in common with every given set. The fewest distinct sensitive values
that one row of each person can show is the size of a minimum hitting set (Theorem 3.1).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from shoal.errors import DataError

Element = TypeVar("Element", bound=Hashable)


def minimal_hitting_sets(sets: Iterable[Iterable[Element]]) -> list[frozenset[Element]]:
    """All hitting sets from which no element can be taken away.

    Complete, unlike the paper's BHS, which lists three of the four in the paper's own example. Sets
    are taken in one by one (Berge's algorithm): a hitting set that misses the next set is extended
    by each of its elements, and supersets are absorbed.

    >>> sorted(map(sorted, minimal_hitting_sets([{1, 3}, {1, 6}, {3, 5}])))
    [[1, 3], [1, 5], [3, 6]]
    """
    found: list[frozenset[Element]] = [frozenset()]
    for members in _checked(sets):
        hitting = [h for h in found if h & members]
        extended = {h | {e} for h in found if not h & members for e in members}
        # An extended set never lies inside one that hits anyway: what it extends would lie inside
        # it too, and that one would not have been minimal.
        found = hitting + [h for h in extended if not any(g <= h for g in hitting)]
        found = [h for h in found if not any(g < h for g in found)]
    return found


def minimum_size(sets: Iterable[Iterable[Hashable]]) -> int:
    """The size of a smallest hitting set.

    >>> minimum_size([{1, 3}, {1, 3, 5}, {1, 6}, {3, 5}, {5, 7}, {4}, {4, 5}, {4, 6}])
    3
    """
    found = _checked(sets)
    # Disjoint sets need a hit each, so nothing smaller is worth a search.
    size = _count_disjoint(found, len(found))
    while not _can_hit(found, size):
        size += 1
    return size


def at_least(sets: Iterable[Iterable[Hashable]], l: int) -> bool:  # noqa: E741
    """Whether every hitting set has at least l elements: exact, for any number of sets.

    >>> at_least([{1, 2}, {2, 3}], 1), at_least([{1, 2}, {2, 3}], 2)
    (True, False)
    """
    found = _checked(sets)
    # l disjoint sets prove it at once; only where there are fewer is there anything to search for.
    return _count_disjoint(found, l) >= l or not _can_hit(found, l - 1)


def _checked(sets: Iterable[Iterable[Element]]) -> list[frozenset[Element]]:
    found = [frozenset(members) for members in sets]
    if not all(found):
        raise DataError("No set can be empty: nothing hits an empty set.")
    return found


def _count_disjoint(sets: Iterable[frozenset[Hashable]], enough: int) -> int:
    """How many sets, smallest first, share nothing with earlier ones; each needs its own hit."""
    seen: set[Hashable] = set()
    n_disjoint = 0
    for members in sorted(sets, key=len):
        if n_disjoint >= enough:
            break
        if seen.isdisjoint(members):
            seen |= members
            n_disjoint += 1
    return n_disjoint


def _can_hit(sets: Iterable[frozenset[Hashable]], most: int) -> bool:
    """Whether some `most` elements hit every set; the search ends as soon as this is decided."""
    from shoal.kernels.hitting import FOUND, find_hitting

    if most < 0:
        return False
    distinct = sorted(set(sets), key=len)
    place = {element: i for i, element in enumerate(dict.fromkeys(e for s in distinct for e in s))}
    starts = np.cumsum([0, *map(len, distinct)], dtype=np.int64)
    values = np.array([place[e] for s in distinct for e in s], dtype=np.int64)
    found = np.empty(most, dtype=np.int64)
    # Here an answer is wanted, however long it takes; models search within a budget.
    unlimited = np.iinfo(np.int64).max
    return bool(find_hitting(starts, values, len(place), most, unlimited, found) == FOUND)
