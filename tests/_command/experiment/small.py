"""A small table and a grid over it."""

from __future__ import annotations

from typing import Any

import polars as pl

PEOPLE = pl.DataFrame(
    {
        "age": [20 + i % 17 for i in range(60)],
        "sex": ["MF"[i % 2] for i in range(60)],
        "ill": ["abcde"[i % 5] for i in range(60)],
        "pay": [1000 + 10 * (i % 7) for i in range(60)],
    }
)
PLAN: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi", "kind": "numeric"},
        "sex": "quasi",
        "ill": "sensitive",
        "pay": {"role": "sensitive", "kind": "numeric"},
    },
    "privacy": [{"k-anonymity": {"k": 2}}],
    "method": "mondrian",
}


def grid(**words: Any) -> dict[str, Any]:
    return {
        "plan": PLAN,
        "data": "people.csv",
        "vary": {
            "k": {"at": "privacy[0].k-anonymity.k", "values": [2, 5]},
            "method": {
                "at": "method",
                "values": {"loss": "mondrian", "median": {"mondrian": {"cut": "median"}}},
            },
        },
        "measures": ["glm", "classes"],
        **words,
    }
