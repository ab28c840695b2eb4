"""Buckets that still hold stay, and only the others are made anew."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.method.lgb.kept import NONE, keep_buckets


def kept(values: list[int], before: list[int], l: int) -> list[int] | None:  # noqa: E741
    found = keep_buckets(np.array(values, dtype=np.int64), np.array(before, dtype=np.int64), l)
    return None if found is None else found.tolist()


def test_who_is_new_goes_into_new_buckets() -> None:
    assert kept([0, 1, 2, 3], [5, 5, NONE, NONE], 2) == [0, 0, 1, 1]


def test_a_bucket_that_lost_too_many_is_made_anew() -> None:
    assert kept([0, 1, 2, 3], [5, 5, 6, NONE], 2) == [0, 0, 1, 1]
    assert kept([0, 1, 2], [5, 5, 5], 2) == [0, 0, 0]


def test_others_are_taken_apart_where_the_rest_is_too_much_alike() -> None:
    found = kept([0, 0, 1, 2], [NONE, NONE, 4, 4], 2)
    assert found is not None
    assert sorted(found) == [0, 0, 1, 1]
    assert found[0] != found[1]
    assert kept([0, 0, 0, 1], [NONE, NONE, 4, 4], 2) is None


@settings(max_examples=300)
@given(
    first=st.lists(st.integers(0, 4), max_size=40),
    gone=st.sets(st.integers(0, 39)),
    new=st.lists(st.integers(0, 4), max_size=12),
    l=st.integers(2, 3),
)
def test_any_change_gives_buckets_that_hold(
    first: list[int],
    gone: set[int],
    new: list[int],
    l: int,  # noqa: E741
) -> None:
    before = kept(first, [NONE] * len(first), l) if first else []
    if before is None:
        return
    stay = [i for i in range(len(first)) if i not in gone]
    values = [first[i] for i in stay] + new
    were = [before[i] for i in stay] + [NONE] * len(new)
    if not values:
        return
    found = kept(values, were, l)
    most = max(values.count(v) for v in set(values))
    if found is None:
        assert most * l > len(values)
        return
    members: dict[int, list[int]] = {}
    for i, bucket in enumerate(found):
        members.setdefault(bucket, []).append(i)
    for own in members.values():
        assert len({values[i] for i in own}) == len(own) >= l


def test_nothing_is_touched_where_nobody_came_or_left() -> None:
    first = kept([0, 1, 2, 3, 0, 1], [NONE] * 6, 2)
    assert first is not None
    again = kept([0, 1, 2, 3, 0, 1], first, 2)
    assert again == first
