"""Small releases and views, for tests of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal.measure import View
from shoal.recode import generalise
from shoal.table import encode
from shoal.table.partition import Partition


def release_of(
    frame: pl.DataFrame, attributes: dict[str, Any], k: int, **more: Any
) -> shoal.Release:
    """A release of this table with k people in a class."""
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": k}}], "seed": 1, **more}
    return shoal.run(plan, frame)


def view_of(
    columns: dict[str, Any], attributes: dict[str, Any], classes: Sequence[int], **more: Any
) -> View:
    """The view of a table whose rows are in these classes (-1: suppressed)."""
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 1}}]}
    table = encode(pl.DataFrame(columns), shoal.Plan.of(plan).schema)
    partition = Partition(np.array(classes, dtype=np.int32), max(classes, default=-1) + 1)
    return View(table, partition, generalise(table, partition), **more)
