"""`shoal demo`: the tables, the plans, the releases, and where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shoal._command.demo import folder
from shoal.cli import main

PLANS = [name.removesuffix(".yaml") for name in folder.PLANS]


def test_a_demo_writes_releases_and_keeps_what_is_private_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "demo"
    assert main(["demo", str(place), "--people", "400", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [Path(one["plan"]).stem for one in shown["plans"]] == PLANS
    for one in shown["plans"]:
        output, private = Path(one["output"]), Path(one["private"])
        assert all(verdict["holds"] for verdict in one["requirements"])
        assert (output / "manifest.json").is_file()
        assert (private / "private.json").is_file()
        assert output not in private.parents
        assert private not in output.parents


def test_the_table_shows_every_plan_and_its_release(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo", "--people", "300"]) == 0
    shown = capsys.readouterr().out
    for plan in PLANS:
        assert f"shoal-demo/releases/{plan}" in shown
    assert max(map(len, shown.splitlines())) <= 80
    words = " ".join(shown.split())
    for demo in folder.DEMOS:
        assert demo.system in words
        assert demo.look in words
    assert main(["demo", "--people", "300"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main(["demo", "--people", "250", "--force", "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert main(["demo", str(tmp_path), "--force", "--quiet"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
