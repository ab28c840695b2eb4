"""Grid files: every combination, and every problem at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shoal._command.experiment.grid import parse_place, put, read_grid
from shoal.errors import PlanError
from tests._command.experiment.small import PEOPLE, grid


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")


def test_every_combination_with_every_seed() -> None:
    design = read_grid(grid(seeds=3))
    assert len(design.grid.trials) == 12
    assert design.grid.trials[-1].place == {"k": 5, "method": "median", "seed": 3}
    assert design.grid.trials[-1].plan["method"] == {"mondrian": {"cut": "median"}}
    assert design.grid.trials[0].plan["privacy"] == [{"k-anonymity": {"k": 2}}]
    assert design.grid.tables["data"]().height == PEOPLE.height
    assert [f.y_label for f in design.figures] == ["glm", "classes"]
    assert design.figures[0].panels[0].series == "method"


def test_a_file_with_a_plan_in_another_folder(tmp_path: Path) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "sex.csv").write_text("M;*\nF;*\n")
    (tmp_path / "plans" / "plan.yaml").write_text(
        "source: ../people.csv\nattributes:\n  age: {role: quasi}\n"
        "  sex: {role: quasi, hierarchy: sex.csv}\n  ill: sensitive\n  pay: drop\n"
        "privacy: [{k-anonymity: {k: 2}}]\n"
    )
    (tmp_path / "grid.yaml").write_text(
        "plan: plans/plan.yaml\nvary: {k: {at: 'privacy[0].k-anonymity.k', values: [2, 5]}}\n"
    )
    design = read_grid(tmp_path / "grid.yaml")
    assert design.grid.tables["data"]().height == PEOPLE.height
    hierarchy = design.grid.trials[0].plan["attributes"]["sex"]["hierarchy"]
    assert Path(hierarchy) == tmp_path / "plans" / "sex.csv"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"kk": 1}, "no key 'kk'"),
        ({"plan": 3}, "'plan' must be a file or a plan"),
        ({"plan": "none.yaml"}, "does not exist"),
        ({"vary": {}}, "'vary' must say"),
        ({"vary": {"seed": {"at": "method", "values": [1]}}}, "'seed' must not be the name"),
        ({"vary": {"k": {"at": "privacy[0].k-anonymity.k"}}}, "must have 'at' and 'values'"),
        (
            {"vary": {"k": {"at": "privacy[0", "values": [1]}}},
            "not a place in a plan. Write it",
        ),
        (
            {"vary": {"k": {"at": "privacy[7].x", "values": [1]}}},
            "no such place. Write it like",
        ),
        ({"vary": {"k": {"at": "method", "values": []}}}, "'values' must be a list"),
        ({"vary": {"k": {"at": "method", "values": ["nonsense"]}}}, "nonsense"),
        ({"seeds": 0}, "'seeds' must be"),
        ({"measures": ["glum"]}, "no measure 'glum'"),
        ({"figures": [{"x": "k"}]}, "A figure has x and y"),
        ({"figures": [{"x": "z", "y": "glm"}]}, "'x' must be something that is varied"),
        ({"figures": [{"x": "k", "y": "dm"}]}, "'y' must be one of the measures"),
    ],
)
def test_what_is_wrong_is_said(words: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError, match=said.replace("[", r"\[")):
        read_grid(grid(**words))


def test_all_problems_at_once() -> None:
    with pytest.raises(PlanError) as caught:
        read_grid(grid(kk=1, seeds=0, measures=["glum"]))
    assert len(caught.value.problems) == 3


def test_no_table_at_all() -> None:
    words = grid()
    del words["data"]
    with pytest.raises(PlanError, match="Neither the grid nor its plan names a table"):
        read_grid(words)


def test_places() -> None:
    assert parse_place("a.b[2][0].c d") == ("a", "b", 2, 0, "c d")
    for wrong in ("", "a..b", "a]", ".a"):
        with pytest.raises(PlanError):
            parse_place(wrong)
    plan: dict[str, Any] = {"a": [{"b": 1}]}
    put(plan, ("a", 0, "c"), 5)
    assert plan == {"a": [{"b": 1, "c": 5}]}
