"""What two versions reveal together, against all pairs of people by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import shoal
from tests._run.test_update import PLAN, people


@pytest.mark.parametrize("seed", range(8))
def test_the_counts_are_those_of_a_loop(tmp_path: Path, seed: int) -> None:
    plan = {**PLAN, "privacy": [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}]}
    frame = people(50, seed=seed)
    first = shoal.run(plan, frame, output=tmp_path / "release", private=tmp_path / "own")
    gone = [f"p{i}" for i in np.random.default_rng(seed).permutation(50)[:20]]
    second = shoal.update(tmp_path / "own", people(6, 100, seed + 1), gone)
    old, new = _values(first), _values(second)
    shared = [len(old[who] & new[who]) for who in old.keys() & new.keys()]
    assert second.overlap is not None
    assert second.overlap.people == len(shared)
    assert second.overlap.least == min(shared)
    assert second.overlap.exposed == sum(n < 2 for n in shared)


def _values(release: shoal.Release) -> dict[str, set[str]]:
    """The sensitive values of everybody's class."""
    rows = release.rows.with_columns(ill=release.source["ill"]).drop_nulls("class")
    by_class = {c: set(part["ill"]) for (c,), part in rows.group_by("class")}
    return {who: by_class[c] for who, c in rows.select("individual", "class").iter_rows()}


def test_nobody_in_both(tmp_path: Path) -> None:
    shoal.run(PLAN, people(6), output=tmp_path / "release", private=tmp_path / "own")
    gone = [f"p{i}" for i in range(6)]
    found = shoal.update(tmp_path / "own", people(6, 100, seed=5), gone).overlap
    assert found is not None
    assert (found.people, found.least, found.exposed) == (0, None, 0)
