"""`shoal explain`, and the line of it that a run prints where much is lost."""

from __future__ import annotations

import pytest

from tests.cli.place import SECRET, Place

ROWS = "".join(f"p{i},{20 + i},{SECRET},{'xyz'[max(0, i - 37)]}\n" for i in range(40))


@pytest.fixture
def costly(place: Place) -> Place:
    place.write("people.csv", "name,age,town,ill\n" + ROWS)
    place.plan(privacy=[{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 3}}])
    return place


def test_the_dearest_comes_first(costly: Place) -> None:
    before = costly.look()
    outcome = costly.run("explain", "plan.yaml")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].startswith("The plan loses")
    assert lines[3].startswith("l-diversity {l: 3}")
    assert SECRET not in outcome.out
    assert costly.look() == before
    data = costly.run("explain", "plan.yaml", "--json").data
    assert data["costs"][0]["what"] == "l-diversity {l: 3}"
    assert data["costs"][0]["cost"] == data["costs"][0]["loss"] - data["costs"][0]["without"]


def test_a_page_with_bars(costly: Place) -> None:
    outcome = costly.run("explain", "plan.yaml", "--output", "costs.html")
    assert "The page is in costs.html" in outcome.out
    assert costly.run("explain", "plan.yaml", "--output", "costs.html").code == 2
    assert SECRET not in (costly.folder / "costs.html").read_text(encoding="utf-8")


def test_a_run_that_loses_much_says_what_costs_most(costly: Place) -> None:
    costly.plan(
        privacy=[{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 3}}],
        attributes={"name": "identifier", "age": "quasi", "town": "insensitive",
                    "ill": "sensitive"},
    )  # fmt: skip
    said = " ".join(costly.run("run", "plan.yaml", "--force").out.split())
    assert "without l-diversity {l: 3} the loss is" in said
    assert "'shoal explain plan.yaml' shows what else costs" in said
    costly.plan(privacy=[{"k-anonymity": {"k": 2}}])
    assert "shoal explain" not in costly.run("run", "plan.yaml", "--force").out
