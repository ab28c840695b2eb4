"""`shoal compare`: plans side by side, and nothing written but the page."""

from __future__ import annotations

import pytest

from tests.cli.place import SECRET, Place


@pytest.fixture
def plans(place: Place) -> Place:
    for k in (2, 5):
        place.plan(f"k{k}.yaml", privacy=[{"k-anonymity": {"k": k}}, {"l-diversity": {"l": 2}}])
    place.plan("impossible.yaml", privacy=[{"k-anonymity": {"k": 99}}])
    return place


def test_plans_are_laid_side_by_side_and_nothing_is_written(plans: Place) -> None:
    before = plans.look()
    outcome = plans.run("compare", "k5.yaml", "k2.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= 80
    first, second = (next(i for i, x in enumerate(lines) if x.startswith(n)) for n in ("k2", "k5"))
    assert first < second
    assert outcome.out.count("✓ l-diversity {l: 2}") == 2
    assert "* no other plan has both" in outcome.out
    assert SECRET not in outcome.out
    assert plans.look() == before


def test_a_plan_that_fails_is_a_row_and_the_others_run(plans: Place) -> None:
    outcome = plans.run("compare", "k2.yaml", "impossible.yaml", "nothing.yaml")
    assert outcome.code == 1
    assert outcome.out.count("✗ failed") == 2
    assert "- impossible: k-anonymity with k = 99 cannot be achieved" in outcome.out
    assert "✓ k-anonymity {k: 2}" in outcome.out
    data = plans.run("compare", "k2.yaml", "impossible.yaml", "--json").data
    assert data["holds"] is False
    ran, failed = data["plans"]
    assert (ran["plan"], ran["holds"], ran["front"], ran["error"]) == ("k2", True, True, None)
    assert ran["risk"]["largest"] == 1 / ran["smallest"]
    assert 0 < ran["risk"]["mean"] <= ran["risk"]["largest"]
    assert failed["risk"] is None
    assert failed["asked"] == ["k-anonymity {k: 99}"]
    assert failed["problems"]


def test_every_column_has_room_on_a_wide_terminal(
    plans: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "128")
    lines = plans.run("compare", "k5.yaml", "k2.yaml").out.splitlines()
    row = next(line for line in lines if line.startswith("k2"))
    assert "auto" in row
    assert "✓ k-anonymity {k: 2}" in row


def test_other_data_may_stand_in(plans: Place) -> None:
    plans.write("other.csv", (plans.folder / "people.csv").read_text())
    plans.plan("k2.yaml", source="nothing.csv", privacy=[{"k-anonymity": {"k": 2}}])
    assert plans.run("compare", "k2.yaml").code == 1
    assert plans.run("compare", "k2.yaml", "--data", "other.csv").code == 0
    assert plans.run("compare", "k2.yaml", "--data", "nothing.csv").code == 2


def test_the_page_is_written_whole_and_replaced_only_when_asked(plans: Place) -> None:
    before = plans.look()
    asked = ("compare", "k2.yaml", "k5.yaml", "--output", "compared.html", "--quiet")
    outcome = plans.run(*asked)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert set(plans.look()) - set(before) == {"compared.html"}
    page = (plans.folder / "compared.html").read_text()
    assert "<svg" in page
    assert SECRET not in page
    again = plans.run(*asked)
    assert (again.code, again.out) == (2, "")
    assert "--force" in again.err
    assert plans.run(*asked, "--force").code == 0


def test_plans_on_other_columns_are_not_ranked(plans: Place) -> None:
    attributes = {"name": "identifier", "age": "quasi", "town": "identifier", "ill": "sensitive"}
    plans.plan("other.yaml", attributes=attributes, privacy=[{"k-anonymity": {"k": 2}}])
    outcome = plans.run("compare", "k2.yaml", "other.yaml")
    assert outcome.code == 0
    assert "? These plans cannot be compared" in outcome.out
    assert "*" not in outcome.out
    data = plans.run("compare", "k2.yaml", "other.yaml", "--json").data
    assert data["comparable"] is False
    assert [row["front"] for row in data["plans"]] == [False, False]


@pytest.mark.parametrize("output", [".", "k2.yaml/compared.html", "page.pdf", "page"])
def test_a_page_that_cannot_be_written_stops_it_before_any_work(plans: Place, output: str) -> None:
    before = plans.look()
    assert plans.run("compare", "k2.yaml", "--output", output).code == 2
    assert plans.look() == before


def test_a_page_gets_its_folder(plans: Place) -> None:
    assert plans.run("compare", "k2.yaml", "--output", "new/compared.html").code == 0
    assert (plans.folder / "new" / "compared.html").is_file()


def test_a_plan_is_needed(plans: Place) -> None:
    assert plans.run("compare").code == 2
