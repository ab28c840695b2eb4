"""`shoal hierarchy`: counts for everybody, labels only for those who ask for them."""

from __future__ import annotations

import pytest

from tests.cli.place import SECRET, Place


@pytest.fixture
def towns(place: Place) -> Place:
    place.write("people.csv", "name,age,town,ill\n" + f"a,30,{SECRET},x\n" * 3 + "b,31,Ulm,y\n")
    place.plan()
    return place


def test_levels_are_counted_without_a_value(towns: Place) -> None:
    outcome = towns.run("hierarchy", "plan.yaml", "town")
    assert (outcome.code, outcome.err) == (0, "")
    lines = [line.split() for line in outcome.out.splitlines()]
    assert lines[1:] == [["1", "2", "1", "2", "3"], ["2", "1", "4", "4", "4"]]
    assert SECRET not in outcome.out
    data = towns.run("hierarchy", "plan.yaml", "town", "--json").data
    assert data["levels"][0] == {"level": 1, "labels": 2, "fewest": 1, "median": 2, "most": 3}


def test_labels_are_shown_on_request(towns: Place) -> None:
    out = towns.run("hierarchy", "plan.yaml", "town", "--show-values").out
    assert SECRET in out
    assert "Level 2" in out
    short = towns.run("hierarchy", "plan.yaml", "town", "--show-values", "--labels", "1").out
    assert "and 1 more" in short
    data = towns.run("hierarchy", "plan.yaml", "town", "--json", "--show-values").data
    assert data["levels"][1]["shown"] == [{"label": "*", "values": 2, "rows": 4}]


def test_an_attribute_without_a_hierarchy(towns: Place) -> None:
    outcome = towns.run("hierarchy", "plan.yaml", "age")
    assert outcome.code == 2
    assert "published as ranges or sets" in outcome.words
