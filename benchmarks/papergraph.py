"""The graph methods on the paper's part of Adult, on all of Adult, and on a million rows."""

from __future__ import annotations

import time
from typing import Any

import polars as pl

from benchmarks import data
from benchmarks.cases import name_of
from benchmarks.clock import Stages, peak, resident
from shoal._command.reproduce.graph import QUASI, losses

Row = dict[str, Any]
METHODS: list[Any] = [
    "adjacency",
    "weighted-graph",
    {"adjacency": {"normalise": True}},
    {"weighted-graph": {"normalise": True}},
    {"weighted-graph": {"weight": "loss"}},
    "k-member",
    {"mondrian": {"cut": "median"}},
    "mondrian",
]


def subset() -> pl.DataFrame:
    """Complete rows of Adult's training part with a capital loss: 1,427."""
    return losses(data.data_folder(), 0, 1)


def subset_attributes() -> dict[str, Any]:
    """Age as a number, the others with their ARX hierarchies, and the loss sensitive."""
    with_trees = {name: words for name, words in data.adult_attributes().items() if name in QUASI}
    return {
        **{name: with_trees[name] for name in QUASI},
        "age": {"role": "quasi", "kind": "numeric"},
        "capital-loss": {"role": "sensitive", "kind": "numeric"},
    }


def _plan(attributes: dict[str, Any], method: Any, k: int) -> dict[str, Any]:
    privacy = [{"k-anonymity": {"k": k}}]
    return {"attributes": attributes, "privacy": privacy, "method": method, "seed": 1}


def paper(method: Any, k: int) -> Row:
    """PREC, DM, query errors and time on the paper's rows; the time is the method's, warm."""
    import shoal

    plan, frame, stages = _plan(subset_attributes(), method, k), subset(), Stages()
    shoal.run(plan, frame)
    release = shoal.run(plan, frame, progress=stages)
    errors = shoal.graph.query_errors(release).group_by("kind").agg(pl.col("error").mean())
    name = release.method
    return {
        "method": name_of(method), "k": k, "rows": frame.height,
        "method s": stages.seconds[name],
        **{m: release.measures[m] for m in ("prec", "dm", "glm")},
        **{f"{kind} error": error for kind, error in sorted(errors.rows())},
    }  # fmt: skip


def whole(method: Any, k: int) -> Row:
    """All of Adult, 9 quasi-identifiers with ARX hierarchies."""
    import shoal

    frame, stages = data.adult(), Stages()
    plan = _plan(data.adult_attributes(), method, k)
    shoal.run(plan, frame.head(2_000))
    before = resident()
    release = shoal.run(plan, frame, progress=stages)
    return {
        "method": name_of(method), "k": k, "rows": frame.height,
        "method s": stages.seconds[release.method], "glm": release.measures["glm"],
        "prec": release.measures["prec"], "dm": release.measures["dm"],
        "MB above": max(peak() - before, 0) / 1e6,
    }  # fmt: skip


def large(method: Any, n: int) -> Row:
    """n synthetic rows, 8 quasi-identifiers, k = 10."""
    import shoal

    frame, stages = data.synthetic(n), Stages()
    plan = _plan(data.synthetic_attributes(), method, 10)
    shoal.run(plan, frame.head(5_000))
    before, start = resident(), time.perf_counter()
    release = shoal.run(plan, frame, progress=stages)
    return {
        "method": name_of(method), "k": 10, "rows": n,
        "method s": stages.seconds[release.method], "whole run s": time.perf_counter() - start,
        "glm": release.measures["glm"], "bytes a row above": max(peak() - before, 0) / n,
    }  # fmt: skip
