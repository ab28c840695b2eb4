"""The demo as a folder: plans that hold, and nothing of somebody else's that is replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

import shoal
from shoal._command.demo import DEMOS, generate, write_demo
from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.plan import Plan

PLANS = tuple(demo.plan for demo in DEMOS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("demo")
    write_demo(place, people=600, seed=1)
    return place


def test_the_hierarchies_have_every_value(folder: Path) -> None:
    patients = generate(20_000, seed=3)
    for column in ("diagnosis", "ward"):
        rows = Hierarchy.file(folder / "hierarchies" / f"{column}.csv").spec.rows
        assert set(patients[column]) <= {row[0] for row in rows}
        assert {row[-1] for row in rows} == {"*"}


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_holds(folder: Path, name: str) -> None:
    release = shoal.run(folder / f"{name}.yaml")
    assert release.holds
    assert release.counts.suppressed <= 0.2 * release.counts.rows
    assert (folder / "releases" / name / "manifest.json").is_file()


def test_every_system_is_shown(folder: Path) -> None:
    """One plan for each of the five papers."""
    methods = [Plan.load(folder / f"{name}.yaml").method for name in PLANS]
    cited = {citation.paper.key for method in methods for citation in method.cite}
    assert {"mks3wd", "lgb", "identity", "graph", "mhsa"} <= cited


def test_people_are_counted_where_they_have_several_rows(folder: Path) -> None:
    release = shoal.run(folder / "diagnoses-people.yaml", output=folder / "again")
    assert release.counts.people == 600
    assert release.classes["people"].min() >= 5  # type: ignore[operator]


def test_an_occupied_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_text("mine")
    for force in (False, True):
        with pytest.raises(PlanError):
            write_demo(tmp_path, 10, 1, force=force)
    assert [p.name for p in tmp_path.iterdir()] == ["patients.csv"]
    assert (tmp_path / "patients.csv").read_text() == "mine"


def test_a_demo_is_replaced_only_by_force(tmp_path: Path) -> None:
    place = tmp_path / "demo"
    plans = write_demo(place, 20, 1)
    assert [path.stem for path in plans] == list(PLANS)
    before = (place / "patients.csv").read_text()
    with pytest.raises(PlanError, match="--force"):
        write_demo(place, 20, 2)
    assert (place / "patients.csv").read_text() == before
    write_demo(place, 20, 2, force=True)
    assert (place / "patients.csv").read_text() != before


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("")
    with pytest.raises(PlanError, match="is a file"):
        write_demo(tmp_path / "demo", 20, 1, force=True)
