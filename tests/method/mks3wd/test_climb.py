"""An offer to the unsafe: how many complete a group, singly and sort by sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.method.mks3wd.climb import UNSAFE, Offer
from tests.cases import Case, as_field, task_of

CATEGORY = {"kind": "categorical"}


def _offer(ill: str, n_unsafe: int, k: int, rank: list[int], **l_diversity: Any) -> Offer:
    """The first rows are unsafe, the others offered; each has its illness."""
    fields = {
        "q": as_field("q", CATEGORY, ["x"] * len(ill)),
        "ill": as_field("ill", CATEGORY, list(ill)),
    }
    attributes = {"q": {"role": "quasi", **CATEGORY}, "ill": {"role": "sensitive", **CATEGORY}}
    privacy: list[dict[str, Any]] = [{"k-anonymity": {"k": 2}}]
    if l_diversity:
        privacy.append({"l-diversity": l_diversity})
    units = np.arange(len(ill))
    requirements = task_of(Case(fields, attributes, privacy)).requirements
    return Offer(units[:n_unsafe], units[n_unsafe:], k, requirements, np.array(rank, np.int64))


@pytest.mark.parametrize(("k", "least"), [(1, 2), (2, 2), (5, 5)])
def test_the_least_size_is_the_larger_of_both(k: int, least: int) -> None:
    assert _offer("aab", 1, k, [0, 0]).least == least


def test_at_first_nobody_is_released() -> None:
    marks, taken = _offer("aabb", 1, 2, [0, 0, 0]).nobody(4)
    assert marks.tolist() == [UNSAFE] * 4
    assert taken.tolist() == [False] * 3


@pytest.mark.parametrize(
    ("k", "singly", "chosen"),
    [
        (2, True, [0]),
        (3, True, [0, 1]),
        (2, False, [0, 1]),
        (4, False, [0, 1, 2]),
        (6, True, [0, 1, 2, 3, 4]),
        (7, True, []),
        (7, False, []),
    ],
)
def test_no_more_come_than_complete_the_group(k: int, singly: bool, chosen: list[int]) -> None:
    """One is unsafe, and five are offered, of the sorts 0, 0, 1, 2 and 2."""
    offer = _offer("aaaaaa", 1, k, [0, 0, 1, 2, 2])
    found = offer.portion(offer.unsafe, np.arange(5), singly)
    assert found.tolist() == chosen


def test_a_group_is_complete_when_it_holds_what_else_is_asked() -> None:
    offer = _offer("aaab", 1, 2, [0, 1, 2], l=2)
    assert offer.portion(offer.unsafe, np.arange(3), True).tolist() == [0, 1, 2]
    assert offer.portion(offer.unsafe, np.array([0, 2]), False).tolist() == [0, 2]
    assert offer.portion(offer.unsafe, np.array([0, 1]), True).tolist() == []


def test_where_nobody_is_free_nobody_comes() -> None:
    offer = _offer("aab", 1, 2, [0, 0])
    assert offer.portion(offer.unsafe, np.arange(0), False).tolist() == []
