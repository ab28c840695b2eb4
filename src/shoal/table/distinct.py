"""Every key once, where each first appears, and every pair of an owner and a value once."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.integer)


def distinct(keys: NDArray[Number]) -> NDArray[Number]:
    """Every key once, in ascending order.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    # np.unique hashes integers, which takes ten times as long as to sort them where most differ.
    ordered = np.sort(keys)
    first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
    return np.asarray(ordered[first])


def first_of(codes: NDArray[np.integer], n: int) -> NDArray[np.int64]:
    """Where each of n codes first appears; one that does not is at the end.

    >>> first_of(np.array([2, 0, 2]), 4).tolist()
    [1, 3, 0, 3]
    """
    first = np.full(n, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return first


def by_appearance(codes: NDArray[np.integer], n: int) -> NDArray[np.int32]:
    """A number for each of n codes, in the order in which they appear; those that do not come last.

    >>> by_appearance(np.array([2, 0, 2]), 4).tolist()
    [1, 2, 0, 3]
    """
    number = np.empty(n, dtype=np.int32)
    number[np.argsort(first_of(codes, n), kind="stable")] = np.arange(n, dtype=np.int32)
    return number


def distinct_pairs(
    owners: NDArray[np.integer], values: NDArray[np.integer], n_values: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The owners with their different values, by owner, then by value; values are below n_values.

    >>> owners, values = distinct_pairs(np.array([1, 0, 1, 1]), np.array([2, 0, 2, 1]), 3)
    >>> owners.tolist(), values.tolist()
    ([0, 1, 1], [0, 1, 2])
    """
    pairs = distinct(owners.astype(np.int64) * n_values + values)
    return pairs // n_values, pairs % n_values
