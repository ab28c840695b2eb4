"""Bits lost, by hand."""

from __future__ import annotations

import pytest

from shoal.measure.entropy import Entropy
from tests.measure.small import view_of


@pytest.mark.parametrize(
    ("cells", "classes", "lost"),
    [
        (list("abcd"), [0, 0, 0, 0], 1),
        (list("abcd"), [0, 1, 2, 3], 0),
        (list("abcd"), [-1, -1, -1, -1], 1),
        # Each cell is one of 4 rows in its set and was one of 2: 1 bit lost of 2.
        (list("aabbccdd"), [0, 0, 0, 0, 1, 1, 1, 1], 0.5),
        # Two cells lose 1 bit of 2, one is suppressed and loses 2, one keeps its value.
        (list("abcd"), [0, 0, -1, 1], 0.5),
        (["a", "a"], [0, 0], 0),
        (["a"], [0], 0),
        (["a", None], [0, 0], 1),
    ],
)
def test_bits_lost_of_the_bits_in_the_input(
    cells: list[str | None], classes: list[int], lost: float
) -> None:
    view = view_of({"q": cells}, {"q": "quasi"}, classes)
    assert Entropy().value(view) == pytest.approx(lost)
