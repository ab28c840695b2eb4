"""`shoal update` from a terminal."""

from __future__ import annotations

from tests.cli.place import Place

PLAN = """
source: people.csv
individual: name
attributes: {name: identifier, age: quasi, ill: sensitive}
privacy: [{k-anonymity: {k: 2}}]
method: mondrian
output: may
"""
PEOPLE = "name,age,ill\n" + "\n".join(f"p{i},{20 + 5 * i},{'ab'[i % 2]}" for i in range(8)) + "\n"


def begin(place: Place) -> None:
    place.write("plan.yaml", PLAN)
    place.write("people.csv", PEOPLE)
    assert place.run("run", "plan.yaml", "--private", "own-may").code == 0


def test_people_come_and_leave(place: Place) -> None:
    begin(place)
    place.write("june.csv", "name,age,ill\nzoe,24,b\n")
    place.write("gone.txt", "p7\n")
    outcome = place.run(
        "update", "own-may", "june.csv", "--remove", "gone.txt", "-o", "june", "--private", "own"
    )
    assert outcome.code == 0, outcome.err
    assert "1 arrived, 1 left" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80
    assert "zoe" not in outcome.out
    assert place.run("audit", "june").code == 0
    data = place.run("update", "own", "--remove", "gone.txt", "--json")
    assert data.code == 2
    again = place.run("update", "own", "june.csv", "--json").data
    assert (again["arrived"], again["left"]) == (1, 0)


def test_what_is_wrong_is_said(place: Place) -> None:
    begin(place)
    assert "not a folder" in place.run("update", "nowhere", "people.csv").err
    assert "Cannot read" in place.run("update", "own-may", "--remove", "nothing.txt").err
    assert "--remove FILE" in place.run("update", "own-may").words
    place.write("gone.txt", "p1\n\nzoe\np2\nmax\n")
    words = place.run("update", "own-may", "--remove", "gone.txt").words
    assert "2 of the 4 people to remove are not in the state: lines 3 and 5 of the list." in words
    assert "zoe" not in words
    assert place.run("update", "own-may", "people.csv", "--private", "x").code == 2
