"""How time and loss grow with rows, quasi-identifiers and k, method by method."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
import polars as pl

from benchmarks.cases import name_of
from shoal._run import run

Row = dict[str, Any]
METHODS: list[Any] = [
    "hilbert", "mondrian", "auto", {"ka": {"climb": "lattice"}}, "top-down",
    {"weighted-graph": {"weight": "loss"}}, "k-member", "adjacency", "danonyir", "geneir",
    "qi-mhsa", "lgb-mdp", "lgb-ncp", "sd-mks3wd", "se-mks3wd", "ece-mks3wd",
]  # fmt: skip
ROWS = (10_000, 30_000, 100_000, 300_000, 1_000_000)
WIDTHS = (2, 4, 8, 12, 16)
DEPTHS = (2, 5, 10, 25, 50, 100)
_WIDE = (74, 7, 16, 7, 14, 5, 2, 41, 12, 9, 24, 3, 6, 18, 4, 30)


def wide(rows: int, n_quasi: int) -> pl.DataFrame:
    """Skewed, independent quasi-identifiers, a secret, and a sensitivity."""
    draw = np.random.default_rng(20_261_116)
    columns: dict[str, Any] = {}
    for j, n in enumerate(_WIDE[:n_quasi]):
        columns[f"q{j}"] = draw.choice(n, size=rows, p=draw.dirichlet(np.full(n, 0.7)))
    columns["s"] = [f"s{v}" for v in draw.integers(0, 20, rows)]
    columns["f"] = draw.random(rows).round(3)
    columns["who"] = np.arange(rows)
    return pl.DataFrame(columns)


def _plan(method: Any, n_quasi: int, k: int) -> dict[str, Any]:
    name = method if isinstance(method, str) else next(iter(method))
    quasi = {
        f"q{j}": {
            "role": "quasi", "kind": "numeric", "hierarchy": {"width": max(n // 8, 1), "levels": 3},
        }
        for j, n in enumerate(_WIDE[:n_quasi])
    }  # fmt: skip
    privacy: list[Any] = [{"k-anonymity": {"k": k}}]
    roles: dict[str, Any] = {"s": "insensitive", "f": "drop", "who": "identifier"}
    more: dict[str, Any] = {}
    if name.endswith("mks3wd"):
        roles["f"] = "sensitivity"
        levels = {"thresholds": [[0.8, 0.2], [0.6, 0.4]], "levels": [[k, 1], [k - 1, 2]]}
        privacy = [{"multi-level-k": {**levels, "strict": False}}] if k > 3 else privacy
    elif name in ("danonyir", "geneir"):
        more["individual"] = "who"
    elif name in ("qi-mhsa", "lgb-mdp", "lgb-ncp"):
        roles["s"] = "sensitive"
        privacy.append({"l-diversity": {"l": 2, "attribute": "s"}})
    attributes = {**quasi, **roles}
    return {"attributes": attributes, "privacy": privacy, "method": method, "seed": 1, **more}


def measure(method: Any, rows: int, n_quasi: int = 8, k: int = 10) -> Row:
    """A whole run, once it is compiled."""
    plan = _plan(method, n_quasi, k)
    run(plan, wide(500, n_quasi))
    frame = wide(rows, n_quasi)
    start = perf_counter()
    release = run(plan, frame)
    seconds = perf_counter() - start
    return {
        "method": name_of(method), "rows": rows, "quasi-identifiers": n_quasi, "k": k,
        "run s": seconds, "glm": release.measures["glm"],
    }  # fmt: skip
