"""What was slow once: growth of methods on tables that are hard for them, as ratios in one run."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import polars as pl

from benchmarks import data
from benchmarks.clock import best

Row = dict[str, Any]


def _task(frame: pl.DataFrame, plan: dict[str, Any]) -> tuple[Any, Any]:
    from shoal.method import Task
    from shoal.model.requirement import Requirements
    from shoal.plan import Plan
    from shoal.table import encode

    parsed = Plan.parse(plan)
    table = encode(frame, parsed.schema)
    enforced = parsed.method.enforced(parsed.models)
    return parsed.method, Task(table, Requirements.of(enforced, table, parsed.models), 1)


def _grown(case: str, sizes: tuple[int, ...], seconds: list[float]) -> Row:
    """Seconds by size, and the exponent between the first and the last."""
    exponent = log(seconds[-1] / seconds[0]) / log(sizes[-1] / sizes[0])
    by_size = {f"{n:,} rows s": s for n, s in zip(sizes, seconds, strict=True)}
    return {"case": case, **by_size, "exponent": exponent}


def close_buckets() -> Row:
    """Buckets by t-closeness of values that are all different."""
    from shoal.method.lgb.bucket import Rule, bucketise
    from shoal.model import TCloseness
    from shoal.schema import Attribute, Kind, Role, Schema
    from shoal.table import encode
    from shoal.table.partition import Partition

    def once(n: int) -> float:
        schema = Schema((Attribute("s", Role.SENSITIVE, Kind.NUMERIC),))
        table = encode(pl.DataFrame({"s": np.arange(n)}), schema)
        rules = {"s": Rule("s", (), (TCloseness(t=0.01),))}
        lots = np.random.default_rng(1).random(n)
        whole = Partition(np.zeros(n, np.int32), 1)
        return best(lambda: bucketise(table, whole, rules, lambda _: lots))

    once(100)
    sizes = (10_000, 40_000, 160_000)
    return _grown("t-closeness buckets", sizes, [once(n) for n in sizes])


def stronger_level() -> Row:
    """Four levels of MKS3WD that also require 2-diversity, on the lattice of Adult."""
    frame = data.adult()
    frame = frame.with_columns(f=pl.Series(np.random.default_rng(1).random(frame.height)))
    attributes = {**data.adult_attributes(), "salary-class": "sensitive", "f": "sensitivity"}
    pairs = ((10, 1), (8, 2), (6, 3), (5, 4))
    levels = [{"k": list(pair), "l-diversity": {"l": 2}} for pair in pairs]
    thresholds = [[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4]]
    plan = {
        "attributes": attributes,
        "privacy": [{"multi-level-k": {"thresholds": thresholds, "levels": levels}}],
        "method": {"sd-mks3wd": {"climb": "lattice"}},
    }

    def once(n: int) -> float:
        method, task = _task(frame.sample(n, seed=1), plan)
        return best(lambda: method.partition(task), 1)

    once(300)
    sizes = (7_500, 15_000, 30_000)
    return _grown("a stronger level on the lattice", sizes, [once(n) for n in sizes])


def shared_value() -> Row:
    """The weighted graph with 2-diversity where 97 of 100 share a value."""
    draw = np.random.default_rng(1)
    n = 20_000
    frame = pl.DataFrame(
        {
            "a": draw.integers(0, 100, n),
            "b": draw.integers(0, 50, n),
            "c": draw.integers(0, 9, n).astype(str),
            "s": np.where(draw.random(n) < 0.97, 0, draw.integers(1, 3, n)).astype(str),
        }
    )
    number, word = {"kind": "numeric"}, {"kind": "categorical"}
    plan = {
        "attributes": {
            "a": {"role": "quasi", **number},
            "b": {"role": "quasi", **number},
            "c": {"role": "quasi", **word},
            "s": {"role": "sensitive", **word},
        },
        "privacy": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 2}}],
        "method": "weighted-graph",
    }

    def once(n: int) -> float:
        method, task = _task(frame.head(n), plan)
        return best(lambda: method.partition(task), 1)

    once(2_100)
    sizes = (2_500, 5_000, 10_000, 20_000)
    return _grown("weighted-graph, a value shared", sizes, [once(n) for n in sizes])


def divided(order: str) -> Row:
    """QI-MHSA's own division (k-division) of a table like Adult, with 3-diversity.

    Runs of rows in order of content, as in a run by default, or in the order of a shuffled input.
    """
    from shoal._run.solve import Work, solve_shard

    draw, n = np.random.default_rng(3), 160_000
    frame = pl.DataFrame(
        {
            "age": draw.integers(17, 90, n),
            "school": draw.integers(0, 16, n).astype(str),
            "sex": draw.integers(0, 2, n).astype(str),
            "hours": draw.integers(1, 99, n),
            "ill": draw.choice(10, n, p=[0.55] + [0.05] * 9).astype(str),
        }
    )
    number, word = {"kind": "numeric"}, {"kind": "categorical"}
    plan = {
        "attributes": {
            "age": {"role": "quasi", **number},
            "school": {"role": "quasi", **word},
            "sex": {"role": "quasi", **word},
            "hours": {"role": "quasi", **number},
            "ill": {"role": "sensitive", **word},
        },
        "privacy": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 3}}],
        "method": {"qi-mhsa": {"division": "k-division"}},
    }

    def once(n: int) -> float:
        rows = frame.head(n)
        method, task = _task(rows.sort(rows.columns) if order == "content" else rows, plan)
        return best(lambda: solve_shard(Work(method, task, 1.0)), 1)

    once(500)
    sizes = (10_000, 40_000, 160_000)
    return _grown(f"k-division and its repair, order: {order}", sizes, [once(n) for n in sizes])


def large_lattice(budget: int) -> Row:
    """A lattice beyond its budget against Mondrian: 20,000 rows, 16 quasi-identifiers."""
    import shoal

    draw, n = np.random.default_rng(2), 20_000
    group = draw.integers(0, 40, n)
    columns, attributes = {}, {}
    for j in range(16):
        # Columns depend on a hidden group, as those of real tables do on each other.
        noise = np.minimum(draw.geometric(0.4, n) - 1, 7)
        columns[f"q{j}"] = (group * (j + 3) // 5 + noise) % 32
        levels = 3 if j < 6 else 1
        hierarchy = {"width": 4, "levels": levels}
        attributes[f"q{j}"] = {"role": "quasi", "kind": "numeric", "hierarchy": hierarchy}
    frame = pl.DataFrame(columns)
    row: Row = {"case": "lattice of 923 million vectors", "budget": budget}
    for name, method in (
        ("mondrian", "mondrian"),
        ("lattice", {"ka": {"climb": "lattice", "budget": budget}}),
    ):
        plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 5}}], "method": method}
        found: list[Any] = []
        row[f"{name} s"] = best(lambda p=plan, f=found: f.append(shoal.run(p, frame)), 1)  # type: ignore[misc]
        row[f"{name} glm"] = found[-1].measures["glm"]
    return row
