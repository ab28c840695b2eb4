"""The tables that stay with the publisher."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.plan import Plan
from shoal.release.own import column_beside, private_rows
from shoal.table import encode
from shoal.table.partition import Partition

FRAME = pl.DataFrame({"who": ["a", "a", "b"], "age": [1, 1, 2]})


@pytest.mark.parametrize("people", [False, True])
def test_suppressed_rows_have_neither_class_nor_level(people: bool) -> None:
    more = {"individual": "who"} if people else {}
    roles = {"who": "identifier", "age": "quasi"}
    plan = Plan.of({"attributes": roles, "privacy": [{"k-anonymity": {"k": 1}}], **more})
    table = encode(FRAME, plan.schema)
    unit_class = np.arange(table.n_units, dtype=np.int32)
    unit_class[-1] = -1
    level = np.ones(table.n_units, dtype=np.int8)
    partition = Partition(unit_class, table.n_units - 1, level=level)
    rows = private_rows(FRAME, table, partition, np.array([1, 1, -1], dtype=np.int64))
    assert rows["class"].to_list() == [1, 1, None]
    assert rows["level"].to_list() == [1, 1, None]
    assert rows["k"].to_list() == rows["region"].to_list() == [None] * 3
    assert rows["individual"].to_list() == (["a", "a", "b"] if people else [None] * 3)


@pytest.mark.parametrize("name", ["class", "size", "people", "first_row"])
def test_names_of_the_tables_own_columns_are_not_taken(name: str) -> None:
    assert column_beside(name) == f"{name} (published)"
    assert column_beside(f"{name}s") == f"{name}s"


def test_a_class_has_its_size_and_its_labels() -> None:
    roles = {"size": {"role": "quasi", "kind": "numeric"}}
    plan = {"attributes": roles, "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}
    classes = shoal.run(plan, pl.DataFrame({"size": [1, 1, 7, 7, 8]})).classes
    assert classes.columns == ["class", "size", "people", "size (published)"]
    assert classes["class"].to_list() == [1, 2]
    found = dict(zip(classes["size (published)"].cast(pl.String), classes["size"], strict=True))
    assert found == {"1": 2, "[7, 8]": 3}
