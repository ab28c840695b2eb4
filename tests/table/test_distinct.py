from __future__ import annotations

import numpy as np
import pytest

from shoal.table.distinct import by_appearance, distinct, distinct_pairs, first_of


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("n", [0, 1, 2, 500])
def test_every_key_is_there_once_and_in_order(n: int, kind: type[np.integer]) -> None:
    keys = np.random.default_rng(n).integers(0, 60, n).astype(kind)
    found = distinct(keys)
    assert found.dtype == kind
    assert found.tolist() == sorted(set(keys.tolist()))


def test_the_keys_stay_as_they_are() -> None:
    keys = np.array([2, 1, 2])
    distinct(keys)
    assert keys.tolist() == [2, 1, 2]


@pytest.mark.parametrize("n", [0, 1, 300])
def test_codes_are_numbered_as_they_appear(n: int) -> None:
    """Those that do not appear are numbered after those that do."""
    codes = np.random.default_rng(n).integers(0, 40, n).astype(np.int32)
    appear = list(dict.fromkeys(codes.tolist()))
    absent = [code for code in range(45) if code not in appear]
    number = {code: place for place, code in enumerate([*appear, *absent])}
    assert by_appearance(codes, 45).tolist() == [number[code] for code in range(45)]
    first = [codes.tolist().index(code) if code in appear else n for code in range(45)]
    assert first_of(codes, 45).tolist() == first


@pytest.mark.parametrize("n", [0, 1, 300])
def test_every_pair_is_there_once_and_in_order(n: int) -> None:
    draw = np.random.default_rng(n)
    owners, values = draw.integers(0, 9, n).astype(np.int32), draw.integers(0, 7, n)
    found = distinct_pairs(owners, values, 7)
    expected = sorted(set(zip(owners.tolist(), values.tolist(), strict=True)))
    assert list(zip(*(part.tolist() for part in found), strict=True)) == expected


def test_owners_beyond_32_bits_together_with_values() -> None:
    owners, values = distinct_pairs(
        np.array([2**31 - 1, 2**31 - 1], np.int32), np.array([9, 8]), 1_000_000
    )
    assert (owners.tolist(), values.tolist()) == ([2**31 - 1] * 2, [8, 9])
