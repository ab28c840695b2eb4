"""Hitting sets: what an adversary could pick to explain a class (identity-reserved anonymity).

A hitting set has an element in common with every given set. The fewest distinct sensitive values
that one row of each person can show is the size of a minimum hitting set (Theorem 3.1).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError

Element = TypeVar("Element", bound=Hashable)


def minimal_hitting_sets(sets: Iterable[Iterable[Element]]) -> list[frozenset[Element]]:
    """All hitting sets from which no element can be taken away.

    Complete, unlike the paper's BHS: its own example has four, of which it lists three. Sets are
    taken in one by one (Berge's algorithm): a hitting set that misses the next set is extended by
    each of its elements, and supersets are absorbed.

    >>> sorted(map(sorted, minimal_hitting_sets([{1, 3}, {1, 6}, {3, 5}])))
    [[1, 3], [1, 5], [3, 6]]
    """
    found: list[frozenset[Element]] = [frozenset()]
    for members in _checked(sets):
        hitting = [h for h in found if h & members]
        extended = {h | {e} for h in found if not h & members for e in members}
        found = hitting + [h for h in extended if not any(g <= h for g in hitting)]
        found = [h for h in found if not any(g < h for g in found)]
    return found


def minimum_size(sets: Iterable[Iterable[Hashable]]) -> int:
    """The size of a smallest hitting set.

    >>> minimum_size([{1, 3}, {1, 3, 5}, {1, 6}, {3, 5}, {5, 7}, {4}, {4, 5}, {4, 6}])
    3
    """
    bits, n_elements = _as_bits(_checked(sets))
    size = 0
    while not _can_hit(bits, n_elements, size):
        size += 1
    return size


def at_least(sets: Iterable[Iterable[Hashable]], l: int) -> bool:  # noqa: E741
    """Whether every hitting set has at least l elements: exact, for any number of sets.

    >>> at_least([{1, 2}, {2, 3}], 1), at_least([{1, 2}, {2, 3}], 2)
    (True, False)
    """
    bits, n_elements = _as_bits(_checked(sets))
    return l <= 0 or not _can_hit(bits, n_elements, l - 1)


def _checked(sets: Iterable[Iterable[Element]]) -> list[frozenset[Element]]:
    found = [frozenset(members) for members in sets]
    if not all(found):
        raise DataError("No set can be empty: nothing hits an empty set.")
    return found


def _as_bits(sets: Sequence[frozenset[Hashable]]) -> tuple[NDArray[np.uint64], int]:
    """Sets as rows of bits, smallest first, without those that hold another one."""
    place: dict[Hashable, int] = {}
    for members in sets:
        for element in members:
            place.setdefault(element, len(place))
    masks = sorted({sum(1 << place[e] for e in s) for s in sets}, key=lambda m: (m.bit_count(), m))
    kept: list[int] = []
    for mask in masks:
        if not any(small & mask == small for small in kept):
            kept.append(mask)
    n_words = max(1, -(-len(place) // 64))
    rows = [[(mask >> (64 * w)) & (2**64 - 1) for w in range(n_words)] for mask in kept]
    return np.array(rows, dtype=np.uint64).reshape(len(kept), n_words), len(place)


def _can_hit(bits: NDArray[np.uint64], n_elements: int, most: int) -> bool:
    from shoal.kernels.hitting import can_hit

    return bool(can_hit(bits, n_elements, most))
