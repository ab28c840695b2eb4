"""The folder in which a command is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.cli import main
from tests.cli.place import Outcome, Place, people
from tests.cli.secret import plan
from tests.papers.lgb.cases import PATIENTS


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    # What is said while a new machine compiles is no part of what a command says.
    monkeypatch.setattr("shoal.kernels.jit._tell_once", lambda: None)

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Outcome(code, shown.out, shown.err)

    here = Place(tmp_path, run)
    here.write("people.csv", people())
    here.plan()
    return here


@pytest.fixture
def lgb(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("COLUMNS", "100")
    place.write("patients.csv", PATIENTS.write_csv())
    plan(place)
    return place


@pytest.fixture
def released(lgb: Place) -> Place:
    outcome = lgb.run("run", "plan.yaml", "--private", "own", "--quiet")
    assert (outcome.code, outcome.out) == (0, "")
    return lgb
