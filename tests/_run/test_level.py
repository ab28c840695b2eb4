"""Levels that require more than k, where classes of different levels coincide."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import shoal

THRESHOLDS = [[0.9, 0.1], [0.6, 0.5]]


def plan(method: str, more: dict[str, Any]) -> dict[str, Any]:
    levels = [{"k": [5, 1], **more}, [4, 2]]
    return {
        "attributes": {
            "q": {"role": "quasi", "hierarchy": "flat"},
            "ill": "sensitive",
            "f": "sensitivity",
        },
        "privacy": [{"multi-level-k": {"thresholds": THRESHOLDS, "levels": levels}}],
        "method": method,
        "seed": 1,
    }


STRONGER: list[dict[str, Any]] = [
    {"l-diversity": {"l": 2, "kind": "frequency"}},
    {"alpha-k": {"alpha": 0.5, "k": 1}},
]


@pytest.mark.parametrize("more", STRONGER)
@pytest.mark.parametrize("method", ["sd-mks3wd", "se-mks3wd", "ece-mks3wd"])
def test_a_level_holds_in_the_class_that_is_published(method: str, more: dict[str, Any]) -> None:
    """At the top x and y are half a; with z and w, who ask for less, they are three in four."""
    people = pl.DataFrame({"q": list("xyzw"), "ill": list("abaa"), "f": [0.05, 0.05, 0.3, 0.3]})
    release = shoal.run(plan(method, more), people)
    assert sorted(release.frame["ill"]) == ["a", "b"]
    assert release.counts.singly == 2


@pytest.mark.parametrize("method", ["sd-mks3wd", "se-mks3wd", "ece-mks3wd", "ka", "mondrian"])
@pytest.mark.parametrize("shards", [None, 8])
def test_levels_hold_whatever_coincides(method: str, shards: int | None) -> None:
    """Shards publish classes apart that a reader sees as one."""
    for seed in range(12):
        rng = random.Random(seed)
        n = rng.choice([8, 14, 24])
        people = pl.DataFrame(
            {
                "q": rng.choices("vwxyz", k=n),
                "ill": rng.choices("aab", k=n),
                "f": [rng.choice([0.05, 0.3, 0.55, 0.95]) for _ in range(n)],
            }
        )
        given = plan(method, rng.choice(STRONGER))
        if shards is not None:
            given["shards"] = {"rows": shards}
        try:
            shoal.run(given, people)
        except shoal.InfeasibleError:
            continue
