"""The published tables, in published order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.recode import class_numbers
from shoal.recode.table import _id_numbers
from tests.papers.mhsa.cases import PATIENTS, patients_plan


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


@pytest.mark.parametrize(
    ("rows", "numbers"), [([3, 0, 2, 1], [2, 1, 3]), ([0, 1, 2, 3], [1, 3, 2]), ([2], [2, 3, 1])]
)
def test_classes_are_numbered_as_they_appear(rows: list[int], numbers: list[int]) -> None:
    """A class that does not appear has a number after those that do."""
    row_class = np.array([0, 0, 2, 1], dtype=np.int32)
    found = class_numbers(row_class, np.array(rows, dtype=np.int64), 3)
    assert found.tolist() == numbers


def test_people_are_numbered_as_they_appear() -> None:
    assert _id_numbers(np.array([5, 2, 5, 9], dtype=np.int32)).to_list() == ["1", "2", "1", "3"]
    assert _id_numbers(np.array([], dtype=np.int32)).to_list() == []


def test_two_tables_are_linked_by_the_class_only() -> None:
    tables = shoal.run(patients_plan({"qi-mhsa": {"tables": "split"}}), PATIENTS).tables
    shared = set(tables["data"].columns) & set(tables["sensitive"].columns)
    assert shared == {"GID"}
    rows = [(int(row[0]), row[1:]) for row in tables["sensitive"].rows()]
    assert rows == sorted(rows)
