"""Sizes of classes, by hand."""

from __future__ import annotations

import pytest

from shoal.measure.size import DM, AverageClass, Suppression
from tests.measure.small import view_of


@pytest.mark.parametrize(
    ("classes", "dm", "average", "suppressed"),
    [
        ([0, 0, 0, 0, 0], 25, 5, 0),
        ([0, 0, 1, 1, 1], 4 + 9, 2.5, 0),
        ([0, 0, 1, 1, -1], 4 + 4 + 5, 2, 0.2),
        ([0, 0, 1, 2, -1], 4 + 4 + 5, 2, 0.2),  # the classes 1 and 2 look alike
        ([-1, -1, -1, -1, -1], 25, 0, 1),
    ],
)
def test_sizes(classes: list[int], dm: float, average: float, suppressed: float) -> None:
    view = view_of({"q": list("aabbb")}, {"q": "quasi"}, classes)
    assert DM().value(view) == dm
    assert AverageClass().value(view) == average
    assert Suppression().value(view) == suppressed
