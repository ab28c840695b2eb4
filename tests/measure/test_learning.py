"""What a learner loses."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measure.learning import MLUtility
from shoal.method.mhsa.symbol import ShownColumn
from tests.measure.small import view_of

pytest.importorskip("sklearn")
ATTRIBUTES = {"q": "quasi", "s": "sensitive"}


def test_nothing_is_lost_from_original_values_and_all_from_stars() -> None:
    columns = {"q": [1, 2] * 60, "s": ["x", "y"] * 60}
    assert MLUtility().value(view_of(columns, ATTRIBUTES, [0, 1] * 60)) == pytest.approx(0)
    assert MLUtility().value(view_of(columns, ATTRIBUTES, [0] * 120)) == pytest.approx(1)


@pytest.mark.parametrize(
    ("secrets", "applies"),
    [
        (["x"] * 3 + ["y"] * 3, True),
        (["x"] * 4 + ["y"] * 2, False),  # too few y for three folds
        (["x"] * 6, False),
        ([1, 1, 1, 2, 2, 2], False),  # a number is no class to predict
        ([f"v{i % 50}" for i in range(150)], True),
        ([f"v{i % 51}" for i in range(153)], False),
    ],
)
def test_the_target_has_a_few_common_values(secrets: list[str | int], applies: bool) -> None:
    n = len(secrets)
    view = view_of({"q": [1] * n, "s": secrets}, ATTRIBUTES, [0] * n)
    assert MLUtility().applies(view) is applies


def test_symbols_are_no_target() -> None:
    cells = ShownColumn(np.zeros(6, dtype=np.int32), ("*",), np.zeros(6))
    columns = {"q": [1] * 6, "s": list("xxxyyy")}
    assert not MLUtility().applies(view_of(columns, ATTRIBUTES, [0] * 6, symbols={"s": cells}))


def test_suppressed_rows_do_not_count() -> None:
    columns = {"q": [1] * 6, "s": list("xxxyyy")}
    assert not MLUtility().applies(view_of(columns, ATTRIBUTES, [0, 0, 0, 0, 0, -1]))


def test_a_target_of_nearly_as_many_values_as_rows_is_no_reason_to_warn() -> None:
    """Warnings are errors here."""
    secrets = [*["x", "y"] * 5, *(f"v{i}" for i in range(40))]
    view = view_of({"q": list(range(50)), "s": secrets}, ATTRIBUTES, list(range(50)))
    assert MLUtility().applies(view)
    MLUtility().value(view)
