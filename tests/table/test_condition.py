"""Conditions on numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.table.condition import Condition
from tests.papers.mhsa import twin

NUMBERS = st.integers(-5, 5).map(str) | st.sampled_from(["0.5", "-2.5", "3e0"])


SIGNS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@st.composite
def conditions(draw: st.DrawFn) -> str:
    chains = []
    for _ in range(draw(st.integers(1, 3))):
        sides = draw(st.permutations(["x", *draw(st.lists(NUMBERS, min_size=1, max_size=2))]))
        words = [sides[0]]
        for side in sides[1:]:
            words += [draw(SIGNS), side]
        chains.append(" ".join(words))
    joints = [draw(st.sampled_from([" and ", " or "])) for _ in chains[1:]]
    return chains[0] + "".join(j + c for j, c in zip(joints, chains[1:], strict=True))


@given(conditions())
def test_conditions_mean_what_the_twin_says(text: str) -> None:
    numbers = [-6, -2.5, -1, 0, 0.5, 1, 3, 5, 7]
    found = Condition.parse(text).holds(np.array(numbers, dtype=float)).tolist()
    assert found == [twin.holds(text, n) for n in numbers]


@pytest.mark.parametrize(
    "text", ["", "x", "x <", "1 < 2", "x < y", "x < 1 and", "f(x) > 1", "x<1;"]
)
def test_what_is_no_condition_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must compare|cannot be read"):
        Condition.parse(text)
