"""What is read from a release."""

from __future__ import annotations

import polars as pl
import pytest

import shoal
from shoal._command.experiment.reading import (
    meaning,
    read_release,
    sum_queries,
    worst_posterior,
)
from shoal.errors import PlanError
from shoal.plan import Plan
from tests._command.experiment.small import PEOPLE, PLAN


def test_readings_have_a_meaning() -> None:
    names = ("glm", "seconds", "count-and-2", "people-3", "bounded-sum")
    assert all(meaning(name) for name in names)
    for wrong in ("glum", "count-and-", "people-x"):
        with pytest.raises(PlanError, match="no measure"):
            meaning(wrong)


def test_all_readings_of_a_release() -> None:
    plan = Plan.of({**PLAN, "seed": 1})
    release = shoal.run(plan, PEOPLE)
    names = ("glm", "v", "classes", "seconds", "run-seconds", "largest-risk", "posterior",
             "count-or-2", "bounded-sum", "bounded-sum-skipped")  # fmt: skip
    found = read_release(release, plan, PEOPLE, names, {"mondrian": 2.0, "reading": 1.0})
    assert tuple(found) == names
    assert found["glm"] == release.measures["glm"]
    assert found["v"] is None
    assert (found["seconds"], found["run-seconds"]) == (2.0, 3.0)
    assert found["largest-risk"] == 1 / min(release.classes["size"])
    assert all(found[name] is not None and found[name] >= 0 for name in names[7:])  # type: ignore


def test_attacks_on_the_written_release_are_readings() -> None:
    """Two classes of two: a guess links half of the people; in one of them all are ill alike."""
    people = pl.DataFrame({"age": [30, 30, 50, 50], "ill": ["x", "x", "x", "y"]})
    plan = {"attributes": {"age": "quasi", "ill": "sensitive"}, "method": "mondrian",
            "privacy": [{"k-anonymity": {"k": 2}}], "seed": 1}  # fmt: skip
    names = ("attack-linked", "attack-found", "attack-worst")
    found = read_release(shoal.run(plan, people), shoal.Plan.of(plan), people, names, {})
    assert found == {"attack-linked": 0.5, "attack-found": 0.75, "attack-worst": 1.0}


def test_the_worst_posterior_counts_people_once() -> None:
    visits = pl.DataFrame(
        {
            "who": ["a", "a", "b", "c", "d"],
            "age": [30, 30, 31, 50, 51],
            "ill": ["x", "y", "x", "x", "z"],
        }
    )
    plan = {
        "individual": "who",
        "attributes": {"who": "identifier", "age": "quasi", "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    assert worst_posterior(shoal.run(plan, visits)) == 1.0
    assert worst_posterior(shoal.run(plan, visits.filter(pl.col("ill") != "y"))) == 1.0
    four = {**plan, "privacy": [{"k-anonymity": {"k": 4}}]}
    assert worst_posterior(shoal.run(four, visits)) == 0.75


def test_sums_that_are_true() -> None:
    release = shoal.run({**PLAN, "seed": 1}, PEOPLE)
    queries = list(sum_queries(release, PEOPLE, 40, 1))
    assert queries == list(sum_queries(release, PEOPLE, 40, 1))
    sql = pl.SQLContext(people=PEOPLE)
    for text, true in queries:
        asked = text.replace(" WHERE", " FROM people WHERE")
        assert (sql.execute(asked).collect().item() or 0) == true
