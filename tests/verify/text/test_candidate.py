"""What may describe a person, and whose records are the same."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.verify.text import candidate
from shoal.verify.text.candidate import candidate_rows, record_sets

WHO = np.array([0, 0, 0, 1], dtype=np.int32)
AGE = np.array([5, 5, 7, 9], dtype=np.int32)
TOWN = np.array([1, 2, 2, 1], dtype=np.int32)


@pytest.mark.parametrize(
    ("conflict", "ages", "towns"),
    [
        ("error", [5, 9], [1, 1]),
        ("first", [5, 5, 7, 9], [1, 2, 2, 1]),
        ("mode", [5, 9], [2, 1]),
    ],
)
def test_candidates(conflict: str, ages: list[int], towns: list[int]) -> None:
    (age, town), owner, are_all = candidate_rows([AGE, TOWN], WHO, conflict)
    assert are_all
    assert (AGE[age].tolist(), TOWN[town].tolist()) == (ages, towns)
    assert (WHO[age] == owner).all()
    assert (WHO[town] == owner).all()


def test_ties_are_all_candidates() -> None:
    (age, _), owner, _ = candidate_rows([TOWN[:2], AGE[:2]], WHO[:2], "mode")
    assert (sorted(TOWN[age].tolist()), owner.tolist()) == ([1, 2], [0, 0])


@pytest.mark.parametrize(("n_followed", "are_all"), [(3, False), (4, True)])
def test_only_some_of_many_ties_are_followed(
    monkeypatch: pytest.MonkeyPatch, n_followed: int, are_all: bool
) -> None:
    monkeypatch.setattr(candidate, "_TIES", n_followed)
    (first, second), owner, found_all = candidate_rows([TOWN[:2], TOWN[:2]], WHO[:2], "mode")
    assert owner.tolist() == [0] * n_followed
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == n_followed
    assert found_all is are_all


@pytest.mark.parametrize("conflict", ["error", "first", "mode"])
def test_nobody_has_no_candidates(conflict: str) -> None:
    (age, town), owner, _ = candidate_rows([AGE[:0], TOWN[:0]], WHO[:0], conflict)
    assert (len(age), len(town), len(owner)) == (0, 0, 0)


def test_every_owner_has_the_code_of_their_own_records() -> None:
    """Codes are from 0, below the number of owners."""
    owners = np.arange(200, dtype=np.int32)
    sets = record_sets(owners, owners // np.int32(2)).tolist()
    assert sets[::2] == sets[1::2]
    assert sorted(set(sets)) == list(range(100))


def test_records_are_a_set() -> None:
    sets = record_sets(np.array([0, 0, 1, 2, 2]), np.array([1, 10, 110, 10, 1]))
    assert sets[0] == sets[2] != sets[1]
