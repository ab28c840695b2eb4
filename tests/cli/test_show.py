"""JSON for programs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from shoal.cli import show


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
