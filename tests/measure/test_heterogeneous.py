"""Infoloss and privacy loss, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.heterogeneous import (
    InfoLoss,
    InfoLossQuasi,
    InfoLossSensitive,
    PrivacyLoss,
    class_privacy_loss,
)
from shoal.method.mhsa.symbol import ShownColumn
from tests.measure.small import view_of

ATTRIBUTES = {"n": "quasi", "q": {"role": "quasi", "hierarchy": "flat"}, "s": "sensitive"}
COLUMNS = {"n": [0, 5, 10, 10], "q": list("aabc"), "s": list("xxyz")}


def test_ranges_by_length_and_nodes_by_their_leaves() -> None:
    view = view_of(COLUMNS, ATTRIBUTES, [0, 0, 1, 1])
    # [0, 5] of [0, 10] twice; the root over three values costs 2/3, twice.
    assert InfoLossQuasi().value(view) == pytest.approx((2 * 0.5 + 2 * 2 / 3) / 4)
    assert InfoLossSensitive().value(view) == 0
    assert InfoLoss().value(view) == InfoLossQuasi().value(view)


def test_a_suppressed_row_loses_1_in_each_attribute() -> None:
    view = view_of(COLUMNS, ATTRIBUTES, [-1, -1, -1, -1])
    assert (InfoLossQuasi().value(view), InfoLossSensitive().value(view)) == (2, 1)
    assert InfoLoss().value(view) == 3


def test_symbols_lose_what_their_cells_say_where_they_are_published() -> None:
    loss = np.array([0.5, 0.0, 0.0, 0.9])
    cells = ShownColumn(np.zeros(4, dtype=np.int32), ("*",), loss)
    view = view_of(COLUMNS, ATTRIBUTES, [0, 0, 1, -1], symbols={"s": cells})
    assert InfoLossSensitive().value(view) == pytest.approx((0.5 + 1) / 4)


def test_numbers_with_a_hierarchy_lose_the_length_of_their_node() -> None:
    attributes = {"n": {"role": "quasi", "hierarchy": {"intervals": [5]}}}
    view = view_of({"n": [0, 2, 8, 10]}, attributes, [0, 0, 1, 1])
    lost = InfoLossQuasi().value(view)
    assert lost == pytest.approx((2 * 0.5 + 2 * 0.5) / 4)


@pytest.mark.parametrize(
    ("secrets", "classes", "loss"),
    [
        ("xxyz", [0, 0, 0, 0], [0.5]),  # x is half of the class, a person a quarter
        ("wxyz", [0, 0, 0, 0], [0.25]),
        ("xxyz", [0, 0, 1, 1], [1.0, 0.5]),
        ("xxyz", [0, -1, 0, 0], [1 / 3]),
    ],
)
def test_privacy_loss_is_the_surer_of_person_and_value(
    secrets: str, classes: list[int], loss: list[float]
) -> None:
    view = view_of({**COLUMNS, "s": list(secrets)}, ATTRIBUTES, classes)
    assert class_privacy_loss(view).tolist() == pytest.approx(loss)
    sizes = np.bincount(np.array(classes)[np.array(classes) >= 0])
    assert PrivacyLoss().value(view) == pytest.approx(np.average(loss, weights=sizes))


def test_without_secrets_there_is_no_privacy_loss() -> None:
    assert PrivacyLoss().applies(view_of(COLUMNS, ATTRIBUTES, [0] * 4))
    assert not PrivacyLoss().applies(view_of({"n": [1]}, {"n": "quasi"}, [0]))
