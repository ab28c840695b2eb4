"""Made-up people with sensitivities, and a plan for them."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

PLAN: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi", "kind": "numeric", "hierarchy": {"width": 5, "levels": 3}},
        "town": {"role": "quasi", "hierarchy": "flat"},
        "f": "sensitivity",
        "ill": "sensitive",
    },
    "privacy": [{"k-anonymity": {"k": 1}}],
    "method": "ece-mks3wd",
    "seed": 3,
}


def people(n: int = 240, seed: int = 1) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(20, 60, n),
            "town": draw.choice(list("abcd"), n),
            "f": draw.random(n).round(3),
            "ill": draw.choice(["x", "y", "z"], n),
        }
    )
