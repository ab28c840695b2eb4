"""Hilbert beside Mondrian and one group_by of polars, on large tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import data
from benchmarks.clock import best, grown_by
from shoal.measure import View
from shoal.measure.loss import NCP
from shoal.method import METHODS, Task
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.recode import generalise
from shoal.table import encode

Row = dict[str, Any]


def large(rows: int) -> Row:
    """Both methods on the same coded table, k = 10, and what they lose by ncp."""
    frame = data.loaded(rows)
    plan = Plan.of(
        {"attributes": data.synthetic_attributes(), "privacy": [{"k-anonymity": {"k": 10}}]}
    )
    table = encode(frame, plan.schema)
    task = Task(table, Requirements.of(plan.models, table), 1, threads=2)
    quasi = [a.name for a in plan.schema.quasi]
    group_by = best(lambda: frame.group_by(quasi).len())
    found: Row = {"rows": rows, "group_by s": group_by}
    few = table.take(np.arange(min(rows, 2_000)))
    small = Task(few, Requirements.of(plan.models, few), 1, threads=2)
    for name in ("hilbert", "mondrian"):
        method = METHODS[name]()
        method.partition(small)
        found[f"{name} bytes a row"] = grown_by(lambda m=method: m.partition(task)) / rows
        seconds = best(lambda m=method: m.partition(task))
        partition = method.partition(task)
        loss = NCP().value(View(table, partition, generalise(table, partition)))
        found |= {
            f"{name} s": seconds,
            f"{name} ncp": loss,
            f"{name} / group_by": seconds / group_by,
        }
    return found
