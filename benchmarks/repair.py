"""Repair that merges many classes: the time beside a sort of the rows, and how it grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import best
from benchmarks.step import exponent
from shoal.method.repair import repair
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode
from shoal.table.partition import Partition

Row = dict[str, Any]
FEW = 10_000
REQUIRED: dict[str, list[dict[str, Any]]] = {
    "k": [{"k-anonymity": {"k": 5}}],
    "k and l": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 4}}],
    "k and frequency l": [
        {"k-anonymity": {"k": 5}},
        {"l-diversity": {"l": 3, "kind": "frequency"}},
    ],
}


def merges(required: str, rows: int) -> Row:
    """Classes of four neighbours, all of which must merge: one merge for every eight rows."""
    few, n_merged = _seconds(required, FEW)
    seconds = few
    if rows != FEW:
        seconds, n_merged = _seconds(required, rows)
    numbers = np.random.default_rng(2).random(rows)
    sort = best(lambda: np.sort(numbers))
    return {
        "required": required, "rows": rows, "merges": n_merged, "repair s": seconds,
        "sort s": sort, "repair / sort": seconds / sort, "us a row": seconds / rows * 1e6,
        f"exponent from {FEW:,}": exponent((FEW, few), (rows, seconds)),
    }  # fmt: skip


def _seconds(required: str, rows: int) -> tuple[float, int]:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            **{f"q{j}": rng.integers(0, 1000, rows) for j in range(3)},
            "town": pl.Series(rng.integers(0, 30, rows)).cast(pl.String),
            "ill": pl.Series(rng.integers(0, 12, rows)).cast(pl.String),
        }
    ).cast(pl.String)
    roles = {
        **{f"q{j}": {"role": "quasi", "kind": "numeric"} for j in range(3)},
        "town": {"role": "quasi", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    plan = Plan.of({"attributes": roles, "privacy": REQUIRED[required]})
    table = encode(frame, plan.schema)
    requirements = Requirements.of(plan.models, table)
    order = np.lexsort([frame[f"q{j}"].cast(pl.Int64).to_numpy() // 100 for j in range(3)])
    unit_class = np.empty(rows, dtype=np.int32)
    unit_class[order] = np.arange(rows) // 4
    partition = Partition(unit_class, int(unit_class.max()) + 1)
    failing = requirements.failing(partition)
    found = repair(table, requirements, partition, failing)
    return best(lambda: repair(table, requirements, partition, failing)), found.n_merged
