"""Grouping, against dictionaries."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.kernels.group import (
    add_keys,
    find_bounds,
    find_masks,
    group_keys,
    list_members,
    list_sets,
)

classes = st.lists(st.integers(-1, 4), min_size=1, max_size=30)


def _dense(numbers: list[int]) -> tuple[list[int], int]:
    """The same classes without gaps, -1 staying."""
    place = {c: i for i, c in enumerate(sorted({c for c in numbers if c >= 0}))}
    return [place.get(c, -1) for c in numbers], len(place)


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**62 - 1)), max_size=60))
def test_keys_are_numbered_as_they_appear(keys: list[int]) -> None:
    out = np.empty(len(keys), dtype=np.int32)
    with np.errstate(over="ignore"):
        n_groups = group_keys(np.array(keys, dtype=np.int64), out)
    place = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    assert out.tolist() == [place[key] for key in keys]
    assert n_groups == len(place)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=20))
def test_keys_are_a_mixed_radix(pairs: list[tuple[int, int]]) -> None:
    keys = np.array([key for key, _ in pairs], dtype=np.int64)
    codes = np.array([code for _, code in pairs] * 2, dtype=np.uint8)
    nodes = np.array([4, 0, 2], dtype=np.int64)
    which = np.arange(len(pairs))
    add_keys(keys, codes, nodes, which, 5)
    assert keys.tolist() == [key * 5 + [4, 0, 2][code] for key, code in pairs]


@given(classes, st.data())
def test_bounds_and_sets_of_classes(numbers: list[int], data: st.DataObject) -> None:
    unit_class, n_classes = _dense(numbers)
    codes = data.draw(st.lists(st.integers(0, 6), min_size=len(numbers), max_size=len(numbers)))
    found = [
        {c for c, k in zip(codes, unit_class, strict=True) if k == n} for n in range(n_classes)
    ]
    of_unit, as_codes = np.array(unit_class, dtype=np.int32), np.array(codes, dtype=np.uint8)
    low, high = np.full(n_classes, 7, dtype=np.int64), np.full(n_classes, -1, dtype=np.int64)
    find_bounds(as_codes, of_unit, low, high)
    assert low.tolist() == [min(s) for s in found]
    assert high.tolist() == [max(s) for s in found]

    masks = np.zeros(n_classes, dtype=np.uint64)
    find_masks(as_codes, of_unit, masks)
    assert masks.tolist() == [sum(1 << code for code in s) for s in found]

    starts = np.zeros(n_classes + 1, dtype=np.int64)
    units = np.empty(sum(k >= 0 for k in unit_class), dtype=np.int32)
    list_members(of_unit, n_classes, starts, units)
    assert [units[starts[n] : starts[n + 1]].tolist() for n in range(n_classes)] == [
        [u for u, k in enumerate(unit_class) if k == n] for n in range(n_classes)
    ]

    ends = np.zeros(n_classes + 1, dtype=np.int64)
    members, digests = np.empty(len(units), dtype=np.int32), np.empty(n_classes, dtype=np.uint64)
    with np.errstate(over="ignore"):
        list_sets(starts, units, as_codes, 7, ends, members, digests)
    assert [members[ends[n] : ends[n + 1]].tolist() for n in range(n_classes)] == [
        sorted(s) for s in found
    ]
    alike = {(frozenset(s), d) for s, d in zip(found, digests.tolist(), strict=True)}
    assert len(alike) == len({s for s, _ in alike}) == len({d for _, d in alike})


def test_a_word_has_a_bit_for_each_of_64_codes() -> None:
    masks = np.zeros(1, dtype=np.uint64)
    find_masks(np.array([63, 0], dtype=np.uint8), np.array([0, 0], dtype=np.int32), masks)
    assert masks.tolist() == [2**63 + 1]
