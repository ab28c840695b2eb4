"""`shoal experiment` and `shoal reproduce`."""

from __future__ import annotations

import os

import pytest

from tests._command.experiment.small import PEOPLE
from tests.cli.place import Place

GRID = """
plan:
  attributes: {age: quasi, sex: quasi, ill: sensitive, pay: drop}
  privacy: [{k-anonymity: {k: 2}}]
data: people.csv
vary: {k: {at: "privacy[0].k-anonymity.k", values: [2, VALUE]}}
"""


@pytest.fixture
def here(place: Place, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    place.write("people.csv", PEOPLE.write_csv())
    return place


def test_an_experiment(here: Place) -> None:
    here.write("grid.yaml", GRID.replace("VALUE", "5"))
    outcome = here.run("experiment", "grid.yaml", "--output", "out")
    assert (outcome.code, outcome.err) == (0, "")
    assert "2 of 2 plans ran\n" in outcome.out
    assert "out/figure-1.svg" in outcome.out
    data = here.run("experiment", "grid.yaml", "-o", "out", "--json").data
    assert (data["plans"], data["computed"], data["errors"]) == (2, 0, [])
    again = here.run("experiment", "grid.yaml", "-o", "out")
    assert "2 of 2 plans ran; 2 of them were in the cache" in again.out


def test_a_plan_that_fails(here: Place) -> None:
    here.write("grid.yaml", GRID.replace("VALUE", "100"))
    outcome = here.run("experiment", "grid.yaml")
    assert outcome.code == 1
    assert "1 of 2 plans ran" in outcome.out


def test_a_grid_that_is_wrong(here: Place) -> None:
    here.write("grid.yaml", GRID.replace("vary", "varied"))
    outcome = here.run("experiment", "grid.yaml")
    assert outcome.code == 2
    assert "varied" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frieda",), "There is no paper 'frieda'."),
        (("mks3wd", "--figure", "99"), "There is no figure 99 in mks3wd."),
        (("mks3wd", "--data", "nowhere"), "The folder of data sets, nowhere, does not exist."),
    ],
)
def test_what_does_not_exist(here: Place, arguments: tuple[str, ...], said: str) -> None:
    outcome = here.run("reproduce", *arguments)
    assert outcome.code == 2
    assert said in " ".join(outcome.err.split())


def test_tables_that_are_missing(here: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOAL_DATA", raising=False)
    outcome = here.run("reproduce", "mks3wd", "--quick", "--output", "out")
    assert outcome.code == 1
    said = " ".join(outcome.out.split())
    assert "uci-glass" in said
    assert "archive.ics.uci.edu" in said
    assert (here.folder / "out" / "mks3wd.html").is_file()
