"""What group sizes reveal: against everything that a sensitivity may be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.sensitivity import asked_k
from shoal.release.crowd import Clue, count_alone, read_pairs, sensitivity_clues

MODEL: dict[str, Any] = {
    "thresholds": [[0.8, 0.2], [0.6, 0.5]],
    "levels": [[6, 1], {"k": [5, 2], "l-diversity": {"l": 2}}],
}


def sizes(**groups: int) -> tuple[np.ndarray, np.ndarray]:
    """So many groups of each size, as of4=2."""
    return np.array([int(name[2:]) for name in groups]), np.array([*groups.values()])


@pytest.mark.parametrize(
    ("size", "clue"),
    [
        (1, "at most 0.2"), (2, "at most 0.5"), (4, "at most 0.5"), (5, "below 0.8"), (6, None),
        (7, None),
    ],
)  # fmt: skip
def test_a_small_group_holds_nobody_who_requires_a_large_one(size: int, clue: str | None) -> None:
    found = sensitivity_clues(MODEL, sizes(**{f"of{size}": 3}))
    assert [str(one) for one in found] == ([clue] if clue else [])
    assert [one.n_people for one in found] == ([3 * size] if clue else [])


def test_conclusions_are_counted_together_the_strictest_first() -> None:
    found = sensitivity_clues(MODEL, sizes(of1=4, of2=1, of3=2, of5=1, of9=1))
    assert found == [Clue(0.2, True, 4), Clue(0.5, True, 8), Clue(0.8, False, 5)]
    assert sensitivity_clues(MODEL, (np.empty(0, int), np.empty(0, int))) == []


@st.composite
def models(draw: Any) -> dict[str, Any]:
    n = draw(st.integers(1, 4))
    cuts = sorted(draw(st.lists(st.integers(0, 20), min_size=2 * n, max_size=2 * n)))
    high = sorted(draw(st.sets(st.integers(6, 15), min_size=n, max_size=n)), reverse=True)
    low = sorted(draw(st.sets(st.integers(1, 5), min_size=n, max_size=n)))
    pairs = zip(reversed(cuts[n:]), cuts[:n], strict=True)
    return {
        "thresholds": [[a / 20, b / 20] for a, b in pairs],
        "levels": list(map(list, zip(high, low, strict=True))),
    }


@given(models(), st.integers(1, 16))
def test_a_reader_concludes_all_that_follows_and_no_more(model: dict[str, Any], size: int) -> None:
    """The sensitivities that require at most this size are those that the clue allows."""
    every = np.arange(81) / 80
    allowed = asked_k(every, model["thresholds"], model["levels"]) <= size
    if not allowed.any():
        return
    clues = sensitivity_clues(model, (np.array([size]), np.array([1])))
    if not clues:
        assert allowed.all()
        return
    (clue,) = clues
    below = every <= clue.limit if clue.inclusive else every < clue.limit
    # A threshold may be reached from both sides, where a = b: then f = a is decided as high.
    assert (every[allowed] <= clue.limit).all()
    assert not (allowed & ~below).any()
    assert (below & ~allowed).sum() <= 1


def test_pairs_and_people_alone() -> None:
    assert read_pairs(MODEL) == [(6, 1), (5, 2)]
    assert read_pairs({}) == []
    assert count_alone(sizes(of1=3, of2=5)) == 3
    assert count_alone(sizes(of2=5)) == 0
