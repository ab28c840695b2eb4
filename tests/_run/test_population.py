"""Populations: read, divided among the people of the data, and refused where they lack people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.code import code_table
from shoal._run.population import read_population
from shoal.plan import Plan

DATA = pl.DataFrame(
    {"age": [30, 30, 41, 52], "town": ["u", "u", "v", None], "ill": ["a", "b", "a", "b"]}
)
PEOPLE = "age,town,n\n30,u,5\n41.0,v,3\n52,,2\n52,v,7\n60,v,1\n61,v,0\n"


def plan(folder: Path, *models: dict[str, Any], count: str | None = "n", **more: Any) -> Plan:
    population = {"source": "people.csv", "count": count}
    given = [{name: {**m[name], "population": population} for name in m} for m in models]
    attributes = {"age": "quasi", "town": "quasi", "ill": "sensitive"}
    return Plan.parse({"attributes": attributes, "privacy": given, "seed": 1, **more}, folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    return tmp_path


def test_people_stand_for_those_who_are_like_them(folder: Path) -> None:
    """Five of age 30 in u, divided among two: what is left over does not count."""
    asked = plan(folder, {"k-map": {"k": 2}})
    population = read_population(asked, asked.schema)
    assert population is not None
    assert population.counts.tolist() == [5, 3, 2, 7, 1]
    table = code_table(asked, DATA, population).table
    assert table.crowd is not None
    assert table.crowd.tolist() == [2, 2, 3, 2]
    no = Plan.parse({"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]})
    assert read_population(no, no.schema) is None


def test_a_row_for_each_person(folder: Path) -> None:
    lines = ["town,age", *["u,30"] * 3, "v,41", ",52", ",52"]
    (folder / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    asked = plan(folder, {"k-map": {"k": 2}}, count=None)
    population = read_population(asked, asked.schema)
    assert population is not None
    assert population.people.columns == ["age", "town"]
    assert population.counts.tolist() == [3, 1, 2]


def test_a_release_for_a_population(folder: Path) -> None:
    asked = plan(folder, {"k-map": {"k": 3}}, {"delta-presence": {"high": 0.5}})
    release = shoal.run(asked, DATA)
    assert [v.holds for v in release.verdicts] == [True, True]
    assert release.verdicts[0].reached >= 3
    found = shoal.check(DATA, plan=asked)
    assert [v.reached for v in found] == [2, {"low": 1 / 3, "high": 0.5}]
    assert found.offending()["first_row"].to_list() == [3]


def test_k_map_costs_no_more_than_k_anonymity(folder: Path) -> None:
    alone = shoal.run(plan(folder, {"k-map": {"k": 2}}), DATA)
    assert alone.measures["glm"] == 0, "two or more of the population are like everybody"


@pytest.mark.parametrize(
    ("people", "finding"),
    [
        ("age,n\n30,5\n", "it lacks 'town'"),
        ("age,town\n30,u\n", "no column 'n', which 'count' names"),
        ("age,town,n\n30,u,5\n30,u,-1\n30,u,x\n", r"in 2 rows \(2, 3\)"),
        ("age,town,n\n30,u,5\n41,v,3\n", r"with the quasi-identifiers of 1 row \(4\)"),
        ("age,town,n\n30,u,1\n41,v,3\n52,,1\n", r"2 rows \(1, 2\) of the data"),
        ("age,town,n\nold,u,5\n", "'age' is numeric in the data, but not in the population"),
    ],
)
def test_what_is_refused(folder: Path, people: str, finding: str) -> None:
    (folder / "people.csv").write_text(people, encoding="utf-8")
    with pytest.raises(shoal.DataError, match=finding):
        shoal.run(plan(folder, {"k-map": {"k": 2}}), DATA)


def test_one_population_for_a_plan(folder: Path) -> None:
    one = {"k-map": {"k": 2, "population": "a.csv"}}
    two = {"k-map": {"k": 3, "population": "b.csv"}}
    given = {"attributes": {"age": "quasi"}, "privacy": [one, two]}
    with pytest.raises(shoal.PlanError, match="may name one population, got 2"):
        shoal.run(given, DATA.select("age"))


def test_low_is_for_checks(folder: Path) -> None:
    asked = plan(folder, {"delta-presence": {"low": 0.4, "high": 1}})
    with pytest.raises(shoal.DataError, match="no method aims at it"):
        shoal.run(asked, DATA)
    assert shoal.check(DATA, plan=asked)[0].holds is False


def test_nothing_of_the_population_is_published(folder: Path) -> None:
    asked = plan(folder, {"k-map": {"k": 3}}, output="release")
    release = shoal.run(asked, DATA, private=folder / "own")
    text = (folder / "release" / "manifest.json").read_text(encoding="utf-8")
    assert "people.csv" not in text
    assert release.holds
    audit = shoal.audit(folder / "release")
    assert audit.verdicts[0].holds is None
    assert "the population is not part of the release" in audit.verdicts[0].note
    more = pl.DataFrame({"age": [52], "town": ["v"], "ill": ["a"]})
    assert shoal.update(folder / "own", more).holds
    nobody = pl.DataFrame({"age": [99], "town": ["v"], "ill": ["a"]})
    with pytest.raises(shoal.DataError, match="must include everybody who is in the data"):
        shoal.update(folder / "own", nobody)
