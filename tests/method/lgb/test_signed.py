"""Buckets that keep everybody's signature, whoever comes and goes; against the definition."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.method.lgb.signed import NEW, SecretCells, Signed, sign_buckets


def secrets(
    values: list[int],
    signature: list[int],
    signatures: list[set[int]],
    before: list[int] | None = None,
    n_values: int = 6,
) -> SecretCells:
    return SecretCells(
        np.array(values, dtype=np.int64),
        np.array(signature, dtype=np.int64),
        [frozenset(s) for s in signatures],
        np.array(before or [NEW] * len(values), dtype=np.int64),
        n_values,
    )


def contents(made: Signed, values: list[int]) -> list[list[int]]:
    """The values of every bucket, with entries that are nobody's."""
    found: list[list[int]] = [[] for _ in range(made.n_buckets)]
    for bucket, value in zip(made.buckets.tolist(), values, strict=True):
        found[bucket].append(value)
    for bucket, value in made.entries:
        found[bucket].append(value)
    return found


def test_who_is_new_takes_the_place_of_who_left() -> None:
    left = sign_buckets(secrets([1, 2], [0, NEW], [{1, 2}], [0, NEW]), 2)
    assert left is not None
    assert (left.n_buckets, left.entries) == (1, [])


def test_what_nobody_has_is_an_entry() -> None:
    made = sign_buckets(secrets([1, 1, 2], [0, 0, 0], [{1, 2}]), 2)
    assert made is not None
    assert sorted(map(sorted, contents(made, [1, 1, 2]))) == [[1, 2], [1, 2]]
    assert [value for _, value in made.entries] == [2]


def test_buckets_whose_people_are_all_there_stay() -> None:
    values, before = [1, 2, 1, 2, 1], [4, 4, 7, 7, 9]
    made = sign_buckets(secrets(values, [0] * 5, [{1, 2}], before), 2)
    assert made is not None
    buckets = made.buckets.tolist()
    assert buckets[0] == buckets[1]
    assert buckets[2] == buckets[3]
    assert len(made.entries) == 1


def test_those_who_are_new_and_too_much_alike_get_entries() -> None:
    made = sign_buckets(secrets([3, 3], [NEW, NEW], []), 3)
    assert made is not None
    assert [len(set(own)) for own in contents(made, [3, 3])] == [3, 3]
    assert len(made.entries) == 4
    assert sign_buckets(secrets([0, 0], [NEW, NEW], [], n_values=2), 3) is None


SIGNATURES = [{0, 1}, {1, 2, 3}, {0, 4}]
CELLS = st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 2), st.integers(-1, 8)), max_size=40)


@settings(max_examples=300)
@given(cells=CELLS, l=st.integers(2, 4))
def test_every_bucket_has_the_signature_of_everyone_in_it(
    cells: list[tuple[int, int, int]],
    l: int,  # noqa: E741
) -> None:
    signature = [s for _, s, _ in cells]
    values = [v if s == NEW else sorted(SIGNATURES[s])[v % len(SIGNATURES[s])] for v, s, _ in cells]
    made = sign_buckets(secrets(values, signature, SIGNATURES, [b for _, _, b in cells]), l)
    assert made is not None
    _check(made, values, signature, l)


def _check(made: Signed, values: list[int], signature: list[int], l: int) -> None:  # noqa: E741
    held = contents(made, values)
    people = [np.flatnonzero(made.buckets == b).tolist() for b in range(made.n_buckets)]
    for own, members in zip(held, people, strict=True):
        assert members
        assert len(set(own)) == len(own)
        signed = {signature[cell] for cell in members} - {NEW}
        assert len(signed) <= 1
        if signed:
            assert set(own) == SIGNATURES[signed.pop()]
        else:
            assert len(own) >= l
    assert min(made.buckets.tolist(), default=0) >= 0


@settings(max_examples=100)
@given(values=st.lists(st.integers(0, 2), min_size=1, max_size=30))
def test_no_more_entries_than_a_search_by_hand(values: list[int]) -> None:
    """All of one signature: as many buckets as its commonest value has people, and no fewer."""
    made = sign_buckets(secrets(values, [0] * len(values), [{0, 1, 2}]), 3)
    assert made is not None
    counts = [values.count(v) for v in range(3)]
    assert len(made.entries) == sum(max(counts) - n for n in counts)
