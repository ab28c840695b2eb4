"""Words and numbers as people read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.cli.text import number
from shoal.schema.wording import counted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (2.0, "2"),
        (0.123456, "0.1235"),
        (np.float64(0.5), "0.5"),
        (np.int32(4), "4"),
        (True, "True"),
        ([1, 2.5], "1, 2.5"),
        ({}, ""),
        ("a\x1bb", "a\ufffdb"),
    ],
)
def test_numbers(value: Any, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("n", [0, 2])
def test_only_one_is_singular(n: int) -> None:
    assert counted(n, "row") == f"{n} rows"
    assert counted(1, "person", "people") == "1 person"
