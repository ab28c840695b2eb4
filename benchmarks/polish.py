"""Polishing: what it gains in some seconds, and how far that is from the certified bound."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from benchmarks import data
from shoal._run import run

Row = dict[str, Any]


def adult(k: int, seconds: float) -> Row:
    """Adult by the lattice, before and after, warm."""
    plan = {
        "attributes": data.adult_attributes(), "privacy": [{"k-anonymity": {"k": k}}],
        "method": {"ka": {"climb": "lattice"}}, "seed": 1,
    }  # fmt: skip
    frame = data.adult()
    run({**plan, "polish": {"steps": 10}}, frame)
    start = perf_counter()
    before = run(plan, frame)
    middle = perf_counter()
    after = run({**plan, "polish": {"seconds": seconds}}, frame)
    took = perf_counter() - middle
    lost, bound = after.measures["glm"], after.measures["bound"]
    return {
        "k": k, "polish s": seconds, "run s": middle - start, "polished run s": took,
        "lattice": before.measures["glm"], "polished": lost, "bound": bound,
        "polished / bound": lost / bound,
    }  # fmt: skip
