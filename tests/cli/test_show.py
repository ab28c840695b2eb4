"""Words and numbers for people, JSON for programs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from shoal.cli import show


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
    assert show.number(value) == text


@pytest.mark.parametrize("n", [0, 2])
def test_only_one_is_singular(n: int) -> None:
    assert show.count(n, "row") == f"{n} rows"
    assert show.count(1, "person", "people") == "1 person"


def test_a_document_is_plain_json(capsys: pytest.CaptureFixture[str]) -> None:
    document = {
        "n": np.int64(3), "inf": math.inf, "nan": float("nan"), "path": Path("a"), "yes": True,
        "none": None, "list": (1, {"x": np.float64(0.5)}),
    }  # fmt: skip
    show.print_json(document)
    assert json.loads(capsys.readouterr().out) == {
        "n": 3, "inf": None, "nan": None, "path": "a", "yes": True, "none": None,
        "list": [1, {"x": 0.5}],
    }  # fmt: skip
