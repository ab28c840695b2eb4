"""The graph methods: how close they come, how they grow, and what they cost."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.restarts import best_of_restarts, edge_sum
from shoal.graph import adjacency_matrix

Row = dict[str, Any]
TREE = {"*": {"west": {"coast": ["a", "b"], "hill": ["c", "d"]}, "east": {"plain": ["e", "f"]}}}


def mixed(rows: int, seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Random rows: two numbers, a tree and a set, skewed."""
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": np.clip(draw.normal(40, 15, rows), 17, 90).astype(int),
            "hours": draw.integers(1, 9, rows) * 5,
            "place": draw.choice(list("abcdef"), rows, p=draw.dirichlet(np.full(6, 2.0))),
            "work": draw.choice(list("uvwxyz"), rows, p=draw.dirichlet(np.full(6, 2.0))),
        }
    )
    attributes: dict[str, Any] = {
        "age": {"role": "quasi", "kind": "numeric"},
        "hours": {"role": "quasi", "kind": "numeric"},
        "place": {"role": "quasi", "hierarchy": {"tree": TREE}},
        "work": {"role": "quasi", "kind": "categorical"},
    }
    return frame, attributes


def closeness(rows: int, k: int, tables: int = 5, restarts: int = 100) -> Row:
    """weighted-graph beside the best of many restarts of a strong search: ratios of edge sums."""
    ratios, seconds = [], 0.0
    for seed in range(tables):
        frame, attributes = mixed(rows, seed)
        matrix = np.asarray(adjacency_matrix(frame, attributes, normalise=True), dtype=np.float64)
        plan = {
            "attributes": attributes, "privacy": [{"k-anonymity": {"k": k}}], "seed": 1,
            "method": {"weighted-graph": {"normalise": True}},
        }  # fmt: skip
        start = time.perf_counter()
        release = shoal.run(plan, frame)
        seconds = time.perf_counter() - start
        labels = release.rows.sort("row")["class"].to_numpy()
        known = best_of_restarts(matrix, k, restarts, seed)
        ratios.append(edge_sum(matrix, labels) / known)
    return {
        "rows": rows, "k": k, "tables": tables, "restarts": restarts,
        "mean ratio": float(np.mean(ratios)), "worst ratio": max(ratios), "last run s": seconds,
    }  # fmt: skip
