"""What a run in shards says of itself is what one that holds the table says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.part.release import WrittenRelease
from tests._run.part.table import (
    keeping_secrets,
    people,
    people_plan,
    plan_of,
    secretive,
    visits,
)


@pytest.mark.parametrize(
    ("plan", "frame"),
    [
        (plan_of(), people()),
        (keeping_secrets(), secretive()),
        (people_plan("mondrian"), visits()),
    ],
)
def test_counts_measures_and_advice_are_those_of_the_whole(
    plan: dict[str, Any], frame: Any, tmp_path: Path
) -> None:
    frame.write_parquet(tmp_path / "t.parquet")
    release = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    assert isinstance(release, WrittenRelease)
    whole = shoal.run(plan, frame)
    assert release.counts == whole.counts
    for name in release.measures:
        assert release.measures[name] == pytest.approx(whole.measures[name]), name
    assert {"dm", "avg-class"} <= set(release.measures)
    assert release.singled_out == pytest.approx(whole.singled_out)
    assert set(release.warnings) == set(whole.warnings)
    assert set(release.published.tables) == set(whole.published.tables)


def test_a_requirement_that_is_listed_twice_is_said(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    plan = plan_of(privacy=[{"k-anonymity": {"k": 4}}] * 2)
    release = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    assert "repeated-requirement" in {a.code for a in release.warnings}


def test_a_shard_whose_lattice_is_not_visited_as_a_whole_says_so(tmp_path: Path) -> None:
    names = [f"q{j}" for j in range(17)]
    rows = {name: [str(i >> j % 5 & 1) for i in range(40)] for j, name in enumerate(names)}
    frame = pl.DataFrame(rows)
    frame.write_parquet(tmp_path / "t.parquet")
    plan = {
        "attributes": {name: {"role": "quasi", "hierarchy": "flat"} for name in names},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "method": {"ka": {"budget": 1}},
        "shards": {"rows": 100},
        "seed": 1,
    }
    release = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    assert isinstance(release, WrittenRelease)
    assert "lattice-budget" in {a.code for a in release.warnings}
    assert set(release.warnings) == set(shoal.run(plan, frame).warnings)


def test_groups_that_reach_l_by_a_missing_value_are_those_of_one_kind(tmp_path: Path) -> None:
    """Without it the one group falls short of the recursive l alone, the other of the frequency."""
    ills = [*"aaabbbccc", None, *"aaaaabbbccddee", None]
    frame = pl.DataFrame({"age": [1] * 10 + [9] * 15, "ill": ills})
    frame.write_parquet(tmp_path / "t.parquet")
    plan = {
        "attributes": {"age": {"role": "quasi", "kind": "numeric"}, "ill": "sensitive"},
        "privacy": [
            {"k-anonymity": {"k": 10}},
            {"l-diversity": {"l": 3, "kind": "frequency"}},
            {"l-diversity": {"l": 3, "kind": "recursive", "c": 1}},
        ],
        "method": "mondrian",
        "shards": {"rows": 15},
        "seed": 1,
    }
    release = shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")
    assert release.counts.classes == 2
    (said,) = (a.text for a in release.warnings if a.code == "missing-counts")
    assert said.startswith("1 group reaches l = 3")
    assert said in {a.text for a in shoal.run(plan, frame).warnings}
