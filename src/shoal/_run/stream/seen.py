"""Who was in an earlier batch, in memory that does not grow: a Bloom filter.

It never overlooks anybody. It may take a few for known who are new: with 10,000,000 people in it,
fewer than 1 in 100.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# 2**27 bits are 16 MiB; with four of them for each, fewer than 1 in 100 of 10,000,000 people are
# taken for known by mistake.
_BITS = 27
_HASHES = 4


class Seen:
    """A set of people by 64-bit digests of their names; 16 MiB whatever their number."""

    def __init__(self) -> None:
        self._bits = np.zeros(1 << (_BITS - 3), dtype=np.uint8)

    def add(self, people: NDArray[np.uint64]) -> None:
        """Remember people."""
        for place in _places(people):
            np.bitwise_or.at(self._bits, place >> 3, np.uint8(1) << (place & 7).astype(np.uint8))

    def has(self, people: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Who of these is remembered."""
        found = np.ones(len(people), dtype=np.bool_)
        for place in _places(people):
            found &= (self._bits[place >> 3] >> (place & 7).astype(np.uint8)) & 1 == 1
        return found


def _places(people: NDArray[np.uint64]) -> list[NDArray[np.int64]]:
    """Where the bits of people are: two halves of a mixed digest, added up (Kirsch 2006)."""
    mixed = people * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    one, other = mixed & np.uint64(0xFFFFFFFF), (mixed >> np.uint64(32)) | np.uint64(1)
    mask = np.uint64((1 << _BITS) - 1)
    return [((one + np.uint64(i) * other) & mask).astype(np.int64) for i in range(_HASHES)]
