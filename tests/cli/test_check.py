"""`shoal check`: verdicts, and the classes that are to blame."""

from __future__ import annotations

import pytest

from tests.cli.place import SECRET, Place

TABLE = "name,age,town,ill\n" + "".join(
    f"{SECRET},{age},{SECRET},{ill}\n"
    for age, ill in [(30, "a"), (31, "a"), (30, "b"), (32, "a"), (30, "c"), (31, "a"), (32, "b")]
)


@pytest.fixture
def table(place: Place) -> Place:
    place.write("people.csv", TABLE)
    place.plan(privacy=[{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2}}])
    return place


def test_failing_classes_are_listed_by_number_size_and_first_row(table: Place) -> None:
    before = table.look()
    outcome = table.run("check", "people.csv", "--plan", "plan.yaml")
    assert outcome.code == 1
    assert outcome.err == ""
    lines = [line.split() for line in outcome.out.splitlines()]
    start = lines.index(["Class", "Rows", "First", "row"])
    assert lines[start + 1 : start + 3] == [["2", "2", "2"], ["3", "2", "4"]]
    assert "✗ does not hold" in outcome.out
    assert "2 of 2 requirements not met; people.csv has 7 rows in 3 classes" in outcome.out
    assert SECRET not in outcome.out
    assert table.look() == before


def test_a_summary_comes_before_the_list(table: Place) -> None:
    table.write("people.csv", TABLE + f"{SECRET},99,{SECRET},a\n")
    out = table.run("check", "people.csv", "--plan", "plan.yaml").out
    summary = "5 rows in failing classes (62.5%); 1 row is alone"
    assert -1 < out.index(summary) < out.index("First row")
    data = table.run("check", "people.csv", "--plan", "plan.yaml", "--json").data
    assert data["failing"] == {"rows": 5, "share": 0.625, "alone": 1}
    table.plan(privacy=[{"k-anonymity": {"k": 1}}])
    assert "failing classes" not in table.run("check", "people.csv", "--plan", "plan.yaml").out


def test_a_person_with_several_rows_can_be_alone(table: Place) -> None:
    rows = "a,30,u,x\na,30,u,y\nb,31,u,x\nc,31,u,y\n"
    table.write("people.csv", "name,age,town,ill\n" + rows)
    table.plan(privacy=[{"k-anonymity": {"k": 2}}], individual="name")
    data = table.run("check", "people.csv", "--plan", "plan.yaml", "--json").data
    assert data["failing"] == {"rows": 2, "share": 0.5, "alone": 2}


def test_a_release_is_sent_to_the_audit(table: Place) -> None:
    table.plan(privacy=[{"k-anonymity": {"k": 2}}])
    assert table.run("run", "plan.yaml", "--quiet").code == 0
    outcome = table.run("check", "release/data.csv", "--plan", "plan.yaml")
    assert outcome.code == 2
    assert "looks like a release" in outcome.words
    assert "shoal audit release" in outcome.words
    assert "no such column" in outcome.words
    (table.folder / "release" / "manifest.json").unlink()
    outcome = table.run("check", "release/data.csv", "--plan", "plan.yaml")
    assert "release:" not in outcome.words
    assert "shoal audit" not in outcome.words


def test_the_document_says_the_same(table: Place) -> None:
    outcome = table.run("check", "people.csv", "--plan", "plan.yaml", "--json")
    assert outcome.code == 1
    assert outcome.err == ""
    assert SECRET not in outcome.out
    assert outcome.data["holds"] is False
    assert outcome.data["counts"] == {"rows": 7, "classes": 3}
    small, alike = outcome.data["requirements"]
    assert small["failing"] == 2
    assert small["classes"] == [
        {"class": 2, "rows": 2, "first_row": 2},
        {"class": 3, "rows": 2, "first_row": 4},
    ]
    assert alike["attribute"] == "ill"
    assert alike["classes"] == [{"class": 2, "rows": 2, "first_row": 2}]


def test_as_many_classes_are_listed_as_asked_for(table: Place) -> None:
    asked = ("check", "people.csv", "--plan", "plan.yaml", "--classes")
    assert "and 1 more" in table.run(*asked, "1").out
    assert "First row" not in table.run(*asked, "0").out
    assert len(table.run(*asked, "1", "--json").data["requirements"][0]["classes"]) == 1


def test_a_requirement_of_rows_fails_in_classes_too(place: Place) -> None:
    """The verifier names the rows, but what is listed and counted are their classes."""
    rows = "".join(f"{a},0.9,{ill}\n" for a in (1, 2, 3) for ill in "abc")
    place.write("people.csv", "a,f,ill\n" + rows)
    place.plan(
        attributes={
            "a": {"role": "quasi", "kind": "categorical", "hierarchy": "flat"},
            "f": "sensitivity",
            "ill": "sensitive",
        },
        privacy=[{"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[6, 1]]}}],
        method="ece-mks3wd",
    )
    outcome = place.run("check", "people.csv", "--plan", "plan.yaml")
    assert "fails in 3 classes" in outcome.out
    assert " more;" not in outcome.out
    fewer = place.run("check", "people.csv", "--plan", "plan.yaml", "--classes", "1")
    assert "and 2 more;" in fewer.out


def test_values_are_shown_only_when_asked_for(table: Place) -> None:
    asked = ("check", "people.csv", "--plan", "plan.yaml", "--show-values")
    assert SECRET in table.run(*asked).out
    classes = table.run(*asked, "--json").data["requirements"][0]["classes"]
    assert classes[0]["values"] == {"age": "31", "town": SECRET}


def test_a_table_that_is_fine_is_said_to_be(table: Place) -> None:
    table.plan(privacy=[{"k-anonymity": {"k": 2}}])
    outcome = table.run("check", "people.csv", "--plan", "plan.yaml")
    assert outcome.code == 0
    assert "✓ Everything holds" in outcome.out
    quiet = table.run("check", "people.csv", "--plan", "plan.yaml", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_quiet_tells_by_its_code(table: Place) -> None:
    outcome = table.run("check", "people.csv", "--plan", "plan.yaml", "--quiet")
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "")


def test_columns_called_class_and_size_do_no_harm(table: Place) -> None:
    table.write("people.csv", "class,size,first_row\n" + "1,2,3\n" * 2 + "4,5,6\n")
    table.plan(
        attributes=dict.fromkeys(("class", "size", "first_row"), "quasi"),
        privacy=[{"k-anonymity": {"k": 2}}],
    )
    outcome = table.run("check", "people.csv", "--plan", "plan.yaml", "--json", "--show-values")
    assert outcome.data["requirements"][0]["classes"] == [
        {
            "class": 2,
            "rows": 1,
            "first_row": 3,
            "values": {"class": "4", "size": "5", "first_row": "6"},
        }
    ]


@pytest.mark.parametrize("table_name", ["nothing.csv", "plan.yaml", "."])
def test_what_is_no_table_is_wrong_input(table: Place, table_name: str) -> None:
    outcome = table.run("check", table_name, "--plan", "plan.yaml")
    assert outcome.code == 2
    assert str(table.folder) not in outcome.err
