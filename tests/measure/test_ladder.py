"""The measures of MKS3WD, by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.measure.ladder import F1, IGR, Precision, Recall
from tests.measure.small import release_of


def _climbed(k: int, **more: Any) -> shoal.Release:
    frame = pl.DataFrame({"q": list("aaabbc")})
    rows = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    attributes = {"q": {"role": "quasi", "hierarchy": {"rows": rows}}}
    return release_of(frame, attributes, k, method={"ka": {"climb": "together"}}, **more)


def test_by_hand() -> None:
    measures = _climbed(2).measures
    # a and b are released at level 1 of 3; c alone is suppressed.
    assert measures["isr"] == pytest.approx(1 / 6)
    assert measures["igr"] == pytest.approx(5 / (3 * 5))
    assert measures["ilr"] == pytest.approx(1 / 6 + 1 / 3)
    # c needs anonymising but is not published: one false negative, and nobody else is changed.
    assert measures["f1"] == 0
    assert (measures["precision"], measures["recall"]) == (1, 0)


def test_climbing_that_helps() -> None:
    measures = _climbed(5).measures
    # Nobody has 5 alike; a and b are released together at level 2, c is suppressed.
    assert measures["igr"] == pytest.approx(2 / 3)
    assert measures["f1"] == pytest.approx(2 * 5 / (2 * 5 + 1))
    assert measures["precision"] == 1
    assert measures["recall"] == pytest.approx(5 / 6)


def test_nobody_is_changed() -> None:
    measures = _climbed(1).measures
    assert (measures["isr"], measures["f1"]) == (0, 1)


def test_only_methods_that_climb_have_levels() -> None:
    frame = pl.DataFrame({"q": list("aabb")})
    assert "ilr" not in release_of(frame, {"q": "quasi"}, 2).measures


@pytest.mark.parametrize(
    ("sums", "f1", "precision", "recall"),
    [
        ((0, 0, 0), 1, 1, 1),
        ((0, 3, 0), 0, 1, 0),
        ((0, 0, 3), 0, 0, 1),
        ((2, 1, 2), 4 / 7, 1 / 2, 2 / 3),
    ],
)
def test_true_missed_and_in_vain(
    sums: tuple[int, int, int], f1: float, precision: float, recall: float
) -> None:
    counts = np.array(sums, dtype=np.float64)
    found = [measure().finish(counts) for measure in (F1, Precision, Recall)]
    assert found == pytest.approx([f1, precision, recall])


def test_where_nobody_is_published_all_is_generalised() -> None:
    assert IGR().finish(np.zeros(2)) == 1
