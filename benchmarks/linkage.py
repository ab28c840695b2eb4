"""Linkage by containment: how long it takes on Adult, and how that grows with the rows.

Releases are by `auto`; who fits which row is found warm, as an audit does it.
"""

from __future__ import annotations

import time
from math import log10
from typing import Any

import polars as pl

import shoal
from benchmarks.data import adult, synthetic, synthetic_attributes
from shoal.attack import Target
from shoal.schema import Requirement

K = 5


def target(frame: pl.DataFrame, attributes: dict[str, Any], k: int) -> Target:
    """A release of a table, with the table itself as what the adversary knows."""
    privacy = [{"k-anonymity": {"k": k}}]
    release = shoal.run({"attributes": attributes, "privacy": privacy, "seed": 1}, frame)
    required = (Requirement("k-anonymity", {"k": k}),)
    return Target(release.frame, release.schema, required, frame)


def timed(one: Target) -> tuple[float, int, int]:
    """Seconds for all people, how many pairs of kinds there are, the fewest rows of a person."""
    fresh = Target(one.data, one.schema, one.requirements, one.known)
    start = time.perf_counter()
    least = int(fresh.crowd.matches.min())
    return time.perf_counter() - start, int(fresh.crowd.fits.nnz), least


def measure(rows: int) -> dict[str, Any]:
    """Adult where no rows are given, else synthetic ones, with the exponent from a tenth."""
    if not rows:
        people = adult()
        roles = {name: {"role": "quasi"} for name in people.columns}
        return _row("Adult, 9 quasi-identifiers", target(people, roles, K))
    small, large = (
        _row("synthetic, 8 quasi-identifiers", target(synthetic(n), synthetic_attributes(), K))
        for n in (rows // 10, rows)
    )
    return {**large, "exponent": log10(large["link s"] / small["link s"])}


def _row(name: str, one: Target) -> dict[str, Any]:
    timed(one)
    seconds, pairs, least = timed(one)
    return {
        "table": name,
        "rows": one.known.height,
        "link s": seconds,
        "pairs of kinds": pairs,
        "fewest rows": least,
    }
