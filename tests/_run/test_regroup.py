"""A few classes parted anew with their nearest: never worse, and only these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.method.graph.weighted import WeightedGraph

PLAN: dict[str, Any] = {
    "attributes": {"id": "identifier", "age": "quasi", "job": "quasi", "ill": "insensitive"},
    "individual": "id",
    "privacy": [{"k-anonymity": {"k": 3}}],
    "method": {"weighted-graph": {"weight": "loss"}},
    "seed": 1,
}


def people(n: int, first: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "id": [f"p{i}" for i in range(first, first + n)],
            "age": draw.integers(18, 90, n),
            "job": draw.choice(list("abcd"), n),
            "ill": draw.choice(list("xyz"), n),
        }
    )


def groups(release: Any) -> set[frozenset[str]]:
    rows = release.rows.drop_nulls("class")
    return {frozenset(part["individual"]) for part in rows.partition_by("class")}


@pytest.mark.parametrize("seed", range(6))
def test_it_loses_no_more_and_moves_two_classes_at_most(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shoal.run(PLAN, people(40, 0, seed), output=tmp_path / "r", private=tmp_path / "own")
    new = people(1, 100, seed + 50)
    found = shoal.update(tmp_path / "own", new)
    assert found.holds
    changed = groups(first) - groups(found)
    assert len(changed) <= 2
    monkeypatch.setattr(WeightedGraph, "exact_units", 0)
    alone = shoal.update(tmp_path / "own", new)
    assert len(groups(first) - groups(alone)) == 1
    assert found.measures["glm"] <= alone.measures["glm"] + 1e-12
    if groups(found) != groups(alone):
        assert found.measures["glm"] < alone.measures["glm"]


def test_somebody_gains_by_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gained = 0
    for seed in range(6):
        own = tmp_path / str(seed)
        shoal.run(PLAN, people(40, 0, seed), output=own / "r", private=own / "own")
        found = shoal.update(own / "own", people(3, 100, seed + 50))
        with monkeypatch.context() as patch:
            patch.setattr(WeightedGraph, "exact_units", 0)
            alone = shoal.update(own / "own", people(3, 100, seed + 50))
        gained += found.measures["glm"] < alone.measures["glm"]
    assert gained


def test_in_large_updates_everybody_else_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal._run.regroup._MOST_MOVED", 1)
    first = shoal.run(PLAN, people(40, 0, 3), output=tmp_path / "r", private=tmp_path / "own")
    found = shoal.update(tmp_path / "own", people(6, 100, 9))
    before, known = groups(first), {f"p{i}" for i in range(40)}
    assert all(any(own & known <= group for group in before) for own in groups(found))


def test_nobody_is_parted_where_something_is_sensitive_or_a_risk_is_refused(tmp_path: Path) -> None:
    """Two versions together would show fewer values, and hide people among fewer."""
    sensitive = {**PLAN, "attributes": {**PLAN["attributes"], "ill": "sensitive"}}
    for number, (plan, refuse) in enumerate([(sensitive, False), (PLAN, True)]):
        for seed in range(6):
            own = tmp_path / f"{number}-{seed}"
            first = shoal.run(plan, people(40, 0, seed), output=own / "r", private=own / "own")
            found = shoal.update(own / "own", people(1, 100, seed + 50), refuse=refuse)
            assert len(groups(first) - groups(found)) == 1
            assert found.overlap.thinned == 0
