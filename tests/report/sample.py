"""Releases for the tests of reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

import shoal
from shoal._run import Release
from shoal.folder.manifest import manifest_of
from shoal.reading.manifest import Manifest
from shoal.report import private_report

TREE = {"*": {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}}
PLAN: dict[str, Any] = {
    "attributes": {
        "age": {"role": "quasi", "kind": "numeric"},
        "town": {"role": "quasi", "hierarchy": {"tree": TREE}},
        "job": {"role": "quasi", "kind": "categorical"},
        "seen": {"role": "quasi", "kind": "date"},
        "illness": "sensitive",
        "visit": "insensitive",
    },
    "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
    "method": "mondrian",
    "seed": 3,
}


def people(n: int = 400, seed: int = 5) -> pl.DataFrame:
    """People of nowhere."""
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "town": draw.choice(["Oslo", "Turku", "Rome", "Nice"], n),
            "job": draw.choice(["baker", "clerk", "smith, retired"], n),
            "seen": np.datetime64("2024-01-01") + draw.integers(0, 300, n),
            "illness": draw.choice(["zoster", "gout", "scurvy"], n),
            "visit": draw.integers(1, 4, n),
        }
    )


def release(n: int = 400, **changes: Any) -> tuple[Release, pl.DataFrame]:
    """A release of these people, and the table that it was made of."""
    frame = people(n)
    return shoal.run({**PLAN, **changes}, frame), frame


def manifest(made: Release, **changes: Any) -> Manifest:
    """What would be written beside the tables."""
    return Manifest.model_validate({**manifest_of(made).model_dump(), **changes})


def by_hand(columns: Mapping[str, str] | None = None, **more: Any) -> Manifest:
    """A manifest by hand, with a role for every column."""
    entries = [{"name": n, "role": r, "kind": "categorical"} for n, r in (columns or {}).items()]
    empty = {"columns": entries, "requirements": [], "verdicts": [], "ranges": "tight"}
    return Manifest.model_validate({**empty, **more})


def private_page(made: Release) -> str:
    """The publisher's report."""
    return private_report(made, manifest_of(made))
