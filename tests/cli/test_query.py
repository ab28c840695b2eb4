"""`shoal query`: a number with bounds, and what they are worth."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests._command.query.written import column, write_folder
from tests.cli.place import SECRET, Place


@pytest.fixture
def release(place: Place) -> Place:
    data = {
        "record": ["1", "2", "3"],
        "GID": ["1", "1", "2"],
        "sex": ["{F, M}", "{F, M}", "F"],
        "age": ["[20, 29]", "[20, 29]", "*"],
        "pay_BID": ["1", "1", "2"],
    }
    columns = [
        column("sex", "quasi", "categorical"),
        column("age", "quasi", "numeric"),
        column("pay", "sensitive", "numeric"),
    ]
    pay = [("1", "10000"), ("1", "20000.55"), ("2", "7")]
    write_folder(place.folder / "lgb", columns, data, {"pay": pay})
    return place


def test_the_answer_and_what_it_is_worth(release: Place) -> None:
    before = release.look()
    outcome = release.run("query", "lgb", "SELECT SUM(pay) WHERE sex = 'F'")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert "spreads the rows of a label evenly over what the label covers" in " ".join(lines[5:-1])
    assert lines == [
        "SUM(pay)",
        "",
        "Lower   Estimate      Upper  Expected from  Expected to",
        "    7  15,007.27  30,007.55         10,007    20,007.55",
        "",
        *lines[5:-1],
        "1 of 3 published rows certainly matches, and at most 3 do.",
    ]
    assert release.look() == before


def test_a_certain_answer(release: Place) -> None:
    outcome = release.run("query", "lgb", "select count(*);")
    assert outcome.code == 0
    assert "Certain for the published rows" in outcome.out
    assert "3 of 3 published rows match." in outcome.out
    assert "Expected" not in outcome.out


def test_notes(release: Place) -> None:
    outcome = release.run("query", "lgb", "SELECT COUNT(*) WHERE age < 25")
    assert "1 row shows nothing of 'age'" in " ".join(outcome.out.split())


def test_the_document_says_the_same(release: Place) -> None:
    outcome = release.run("query", "lgb", "SELECT AVG(pay) WHERE sex = 'M'", "--json")
    assert outcome.code == 0
    assert outcome.data == {
        "folder": "lgb",
        "function": "AVG",
        "attribute": "pay",
        "lower": 10000.0,
        "estimate": 15000.275,
        "upper": 20000.55,
        "certain": False,
        "rows": 3,
        "surely": 0,
        "maybe": 2,
        "notes": [],
        "people": False,
        "certain_lower": 10000.0,
        "certain_upper": 20000.55,
    }


def test_no_mean_of_nobody(release: Place) -> None:
    outcome = release.run("query", "lgb", "SELECT AVG(pay) WHERE sex = 'X'")
    assert outcome.code == 0
    assert "–" in outcome.out


def test_what_cannot_be_understood(release: Place) -> None:
    outcome = release.run("query", "lgb", f"SELECT SUM(pay) WHERE sex = '{SECRET}' OR age = 1")
    assert (outcome.code, outcome.out) == (2, "")
    assert "character 38 of the query" in outcome.words
    assert "Conditions are joined by AND" in outcome.words
    assert SECRET not in outcome.err


def test_every_unknown_attribute(release: Place) -> None:
    outcome = release.run("query", "lgb", "SELECT SUM(pai) WHERE sexx = 'F'", "--json")
    assert outcome.code == 2
    assert outcome.data["error"] == "QueryError"
    hints = [problem["hint"] for problem in outcome.data["problems"]]
    assert hints == ["Did you mean 'pay'?", "Did you mean 'sex'?"]


@pytest.mark.parametrize("text", ["", "'; DROP TABLE people; --", "\x1b[31m", "é" * 200_000])
def test_hostile_texts(release: Place, text: str) -> None:
    outcome = release.run("query", "lgb", text)
    assert (outcome.code, outcome.out) == (2, "")
    assert "\x1b" not in outcome.err
    assert len(outcome.err) < 1000


def test_a_folder_that_is_no_release(place: Place) -> None:
    outcome = place.run("query", ".", "SELECT COUNT(*)")
    assert outcome.code == 2
    assert "has no manifest.json" in outcome.words


def test_a_plan_explains_nodes(place: Place) -> None:
    tree = {"tree": {"north": ["york", "leeds"], "south": ["bath"]}}
    columns = [column("town", "quasi", "categorical", "tree")]
    write_folder(place.folder / "towns", columns, {"town": ["north"] * 4})
    asked = ("query", "towns", "SELECT COUNT(*) WHERE town = 'york'")
    assert "--plan PLAN may explain it" in " ".join(place.run(*asked).out.split())
    attributes = {"town": {"role": "quasi", "kind": "categorical", "hierarchy": tree}}
    place.plan("towns.yaml", attributes=attributes)
    outcome = place.run(*asked, "--plan", "towns.yaml", "--json")
    assert (outcome.data["lower"], outcome.data["upper"]) == (2, 2)
    outcome = place.run(*asked, "--plan", "nowhere.yaml")
    assert outcome.code == 2


def test_a_release_of_a_run(place: Place) -> None:
    assert place.run("run", "plan.yaml", "--quiet").code == 0
    n = place.run("query", "release", "SELECT COUNT(*)", "--json").data["rows"]
    table = (Path("release") / "data.csv").read_text().splitlines()
    assert n == len(table) - 1
    outcome = place.run("query", "release", "SELECT COUNT(*) WHERE age >= 0", "--json")
    assert (outcome.data["lower"], outcome.data["upper"]) == (n, n)


def test_groups_have_a_line_each(release: Place) -> None:
    text = "SELECT COUNT(*) GROUP BY sex"
    lines = [line.split() for line in release.run("query", "lgb", text).out.splitlines()]
    heads = ["Group", "Lower", "Estimate", "Upper", "Expected", "from", "Expected", "to"]
    start = lines.index(heads)
    assert [line[0] for line in lines[start + 1 : start + 4]] == ["F", "M", "all"]
    data = release.run("query", "lgb", text, "--json").data
    assert [group["value"] for group in data["groups"]] == ["F", "M"]
