"""What there is to choose from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from shoal.measure import MEASURES
from shoal.method import METHODS
from shoal.model import MODELS
from shoal.plan.registry import measures, methods, models


@pytest.mark.parametrize(
    ("listed", "known"), [(methods, METHODS), (models, MODELS), (measures, MEASURES)]
)
def test_everything_is_listed_and_described(
    listed: Callable[[], list[dict[str, Any]]], known: dict[str, Any]
) -> None:
    rows = listed()
    assert [row["name"] for row in rows] == list(known)
    assert all(row["summary"] for row in rows)


def test_a_measure_has_a_unit() -> None:
    assert all(row["unit"] for row in measures())
