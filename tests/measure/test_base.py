"""What a measure looks at, and what all of them share."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.base import Measure, range_share
from shoal.measure.loss import GLM
from tests.measure.small import view_of

SIX = {"q": list("aabbab"), "n": [1, 1, 2, 2, 1, 9]}
BOTH = {"q": "quasi", "n": "quasi"}


def test_classes_that_look_alike_are_published_as_one() -> None:
    view = view_of(SIX, BOTH, [0, 0, 1, 1, 2, -1])
    numbers = view.published_class.tolist()
    assert numbers[0] == numbers[2] != numbers[1]
    assert view.n_published == 2
    assert sorted(view.published_rows.tolist()) == [2, 3]
    assert view.published_sizes.tolist() == [3, 2, 3]
    assert (view.n_rows, view.n_suppressed, view.class_rows.tolist()) == (6, 1, [2, 2, 1])


def test_with_secrets_no_two_classes_look_alike() -> None:
    view = view_of(SIX, BOTH, [0, 0, 1, 1, 2, -1], buckets={})
    assert view.published_class.tolist() == [0, 1, 2]


def test_classes_of_missing_cells_look_alike() -> None:
    view = view_of({"q": [None, "a", None]}, {"q": "quasi"}, [0, 1, 2])
    assert view.n_published == 2


def test_all_rows_suppressed() -> None:
    view = view_of({"q": ["a", "b"]}, {"q": "quasi"}, [-1, -1])
    assert (view.n_published, view.n_suppressed) == (0, 2)
    assert GLM().value(view) == 1


def test_sizes_at_level_1_are_those_of_the_whole_table() -> None:
    view = view_of(SIX, BOTH, [0, 0, 1, 1, 2, -1])
    assert view.sizes_at_level_1.tolist() == [3, 3, 2, 2, 3, 1]


def test_the_loss_by_attribute_counts_suppressed_rows() -> None:
    view = view_of({"q": list("aab"), "n": [1, 3, 5]}, BOTH, [0, 0, -1])
    assert GLM().by_attribute(view) == pytest.approx({"q": 1 / 3, "n": (2 * 0.5 + 1) / 3})
    assert GLM().value(view) == pytest.approx((1 / 3 + 2 / 3) / 2)


def test_the_share_of_a_range() -> None:
    (one,) = view_of({"n": [5, 5]}, {"n": "quasi"}, [0, 0]).labels
    assert range_share(one).tolist() == [0]
    (star,) = view_of({"n": [5, None]}, {"n": "quasi"}, [0, 0]).labels
    assert range_share(star).tolist() == [1]
    (two,) = view_of({"n": [0, 1, 4]}, {"n": "quasi"}, [0, 0, 1]).labels
    assert sorted(range_share(two).tolist()) == [0, 0.25]


def test_a_mean_over_nothing_is_0() -> None:
    assert Measure().finish(np.array([0.0, 0.0])) == 0
    assert Measure().finish(np.array([1.0, 4.0])) == 0.25
