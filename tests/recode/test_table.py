"""The published tables, in published order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal


@pytest.mark.parametrize(
    ("cells", "columns"),
    [
        ([1, 2, 30, 40], ["q_low", "q_high"]),
        ([0.5, 2, 1e300, None], ["q_low", "q_high"]),
        (["2020-01-01", "2020-05-01", "2021-01-01", "2021-05-01"], ["q"]),
        (["a", "b", "c", "d"], ["q"]),
    ],
)
def test_ranges_as_columns(cells: list[Any], columns: list[str], tmp_path: Path) -> None:
    plan = {"attributes": {"q": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}],
            "ranges": "columns", "seed": 1}  # fmt: skip
    release = shoal.run(plan, pl.DataFrame({"q": cells}, strict=False), output=tmp_path / "r")
    assert release.frame.columns == columns
    if len(columns) == 2:
        for low, high in release.frame.rows():
            inside = [c for c in cells if c is not None and low is not None and low <= c <= high]
            assert low is None or len(inside) >= 2
