"""What a user's type checker sees of the public names: never Any."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import shoal

ROOT = Path(__file__).parents[1]
SCRIPT = """
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_type

import numpy as np
import polars as pl
from numpy.typing import NDArray

import shoal
from shoal.threeway import Thresholds
from shoal.verify import Risks

people = pl.DataFrame({"age": [31, 33]})
attributes = {"age": "quasi"}
plan = shoal.Plan.of({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})

release = shoal.run(plan, people)
assert_type(release, shoal.Release)
assert_type(release.frame, pl.DataFrame)
assert_type(release.tables, dict[str, pl.DataFrame])
assert_type(release.rows, pl.DataFrame)
assert_type(release.holds, bool)
assert_type(release.warnings, tuple[shoal.Advice, ...])
assert_type(release.measures["glm"], float)
assert_type(release.verdicts, tuple[shoal.Verdict, ...])
assert_type(release.risks, Risks | None)
assert_type(release.counts.published, int)
assert_type(release.save("folder"), Path)

found = shoal.check(people, plan=plan)
assert_type(found, shoal.Check)
assert_type(found[0], shoal.Verdict)
assert_type(found[0].reached, int | float | Mapping[str, int | float] | None)
assert_type(shoal.audit("folder"), shoal.Audit)
assert_type(shoal.query("folder", "COUNT"), shoal.Answer)
assert_type(shoal.open_release("folder", plan), shoal.OpenRelease)
assert_type(shoal.person_risk("folder", people, "own", 4), shoal.PersonAtRisk)
assert_type(shoal.hierarchy_levels(plan, "age"), tuple[shoal.LevelLabels, ...])
assert_type(shoal.init(people), shoal.Proposal)
assert_type(shoal.compare([plan], people), shoal.Comparison)
explained = shoal.explain(plan, people)
assert_type(explained, shoal.Explanation)
assert_type(next(iter(explained)), shoal.Cost)
suggested = shoal.suggest(plan, people)
assert_type(suggested, shoal.Suggestions)
assert_type(suggested[0], shoal.Suggestion)
assert_type(suggested[:2], tuple[shoal.Suggestion, ...])
assert_type(shoal.update("own", people), shoal.Update)
assert_type(shoal.stream(plan, [people], private="own"), shoal.Streamed)
assert_type(shoal.experiment("grid.yaml", "folder"), shoal.Experiment)
assert_type(shoal.reproduce("lgb"), list[shoal.Reproduction])

assert_type(shoal.hitting.minimum_size([{1}, {1, 2}]), int)
assert_type(shoal.hitting.minimal_hitting_sets([{1}, {1, 2}]), list[frozenset[int]])
assert_type(shoal.graph.adjacency_matrix(people, attributes), NDArray[np.int64 | np.float64])
assert_type(shoal.graph.set_distance(people, attributes), float)
assert_type(shoal.graph.query_errors(release), pl.DataFrame)
assert_type(shoal.identity.distances(people, attributes, "age", []), dict[Any, float])
assert_type(shoal.identity.class_distance(people, attributes, "age", [1], [2]), float)
assert_type(shoal.threeway.thresholds(0, 1, 2, 0, 1, 2), Thresholds)
assert_type(shoal.methods(), list[dict[str, Any]])
assert_type(shoal.models(), list[dict[str, Any]])
assert_type(shoal.measures(), list[dict[str, Any]])
shoal.query("folder", "COUNT", plan=3)  # type: ignore[arg-type]
shoal.no_such_name  # type: ignore[attr-defined]
"""


def _mypy(script: Path) -> subprocess.CompletedProcess[str]:
    """The project's own settings, on one script."""
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", str(script)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_user_sees_the_types(tmp_path: Path) -> None:
    script = tmp_path / "user.py"
    script.write_text(SCRIPT)
    found = _mypy(script)
    assert found.returncode == 0, found.stdout + found.stderr


def test_no_public_name_is_anything(tmp_path: Path) -> None:
    script = tmp_path / "names.py"
    lines = [f"reveal_type(shoal.{name})" for name in shoal.__all__]
    script.write_text("\n".join(["import shoal", *lines]))
    told = _mypy(script).stdout.splitlines()
    revealed = [line for line in told if "Revealed type is" in line]
    assert len(revealed) == len(shoal.__all__)
    assert [line for line in revealed if 'is "Any"' in line] == []
