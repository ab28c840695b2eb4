"""The certified lower bound: seconds, and how far the methods are from the best possible."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from benchmarks import data
from shoal._run import run
from shoal.measure.price import price_units

Row = dict[str, Any]


def adult(k: int) -> Row:
    """Adult: the bound beside the lattice, warm."""
    plan = {
        "attributes": data.adult_attributes(), "privacy": [{"k-anonymity": {"k": k}}],
        "method": {"ka": {"climb": "lattice"}}, "seed": 1,
    }  # fmt: skip
    release = run(plan, data.adult())
    table = release.measures.view.table
    price_units(table.take(np.arange(500)), np.full(500, k))
    start = perf_counter()
    prices = price_units(table, np.full(table.n_units, k))
    seconds = perf_counter() - start
    bound = float(prices.sum()) / (table.n_rows * len(table.quasi))
    lost = release.measures["glm"]
    return {
        "k": k, "bound": bound, "bound s": seconds, "lattice": lost,
        "lattice / bound": lost / bound,
    }  # fmt: skip
