"""Linkage by containment: how long it takes on Adult, and how that grows with the rows.

`python -m benchmarks.linkage --rows 10000 30000 100000` prints a table; releases are by Mondrian.
"""

from __future__ import annotations

import argparse
import time
from math import log
from typing import Any

import polars as pl

import shoal
from benchmarks.data import adult, synthetic, synthetic_attributes
from shoal.attack import Target
from shoal.schema import Requirement


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


def main() -> None:
    """Print a row for Adult and for each size, and the exponent between sizes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 30_000, 100_000])
    parser.add_argument("--k", type=int, default=5)
    chosen = parser.parse_args()
    print("| table | rows | seconds, warm | pairs of kinds | fewest rows | exponent |")
    print("|---|--:|--:|--:|--:|--:|")
    people = adult()
    roles = {name: {"role": "quasi"} for name in people.columns}
    _print("Adult, 9 quasi-identifiers", target(people, roles, chosen.k), None)
    before = None
    for rows in chosen.rows:
        one = target(synthetic(rows), synthetic_attributes(), chosen.k)
        before = _print("synthetic, 8 quasi-identifiers", one, before)


def _print(name: str, one: Target, before: tuple[int, float] | None) -> tuple[int, float]:
    timed(one)
    seconds, pairs, least = timed(one)
    n = one.known.height
    grown = "" if before is None else f"{log(seconds / before[1]) / log(n / before[0]):.2f}"
    print(f"| {name} | {n:,} | {seconds:.2f} | {pairs:,} | {least} | {grown} |", flush=True)
    return n, seconds


if __name__ == "__main__":
    main()
