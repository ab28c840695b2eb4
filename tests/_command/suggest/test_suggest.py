"""Proposals of levels: valid, honest about what they cost, and the best of them chosen by rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._command.suggest.suggest import SCHEMES, suggest
from shoal._command.suggest.suggestion import Suggestions
from shoal.errors import DataError, InfeasibleError, PlanError
from shoal.model import MultiLevelK
from shoal.model.sensitivity import asked_k
from shoal.plan import Plan
from tests._command.suggest.people import PLAN, people


@pytest.fixture(scope="module")
def found() -> Suggestions:
    return suggest(PLAN, people(), highest_k=6)


def test_rows_say_what_a_run_would(found: Suggestions) -> None:
    assert [row.number for row in found] == list(range(1, len(found) + 1))
    assert {row.scheme for row in found} == set(SCHEMES)
    assert {row.n_levels for row in found} == {1, 2, 3}
    row = next(row for row in found if row.scheme == "se-mks3wd" and row.n_levels == 2)
    assert isinstance(row.model, MultiLevelK)
    asked = [*PLAN["privacy"], {"multi-level-k": row.model.parameters()}]
    made = shoal.run({**PLAN, "privacy": asked, "method": "se-mks3wd"}, people())
    for name in ("isr", "igr", "ilr", "f1", "glm"):
        assert row.measures[name] == made.measures[name]
    assert row.ilr == pytest.approx(row.measures["isr"] + row.measures["igr"])
    assert row.holds
    assert row.n_below == 0
    assert row.mean_k == pytest.approx(
        np.mean(asked_k(people()["f"].to_numpy(), row.thresholds, row.pairs))
    )


def test_the_baseline_is_one_k_for_all(found: Suggestions) -> None:
    made = shoal.run({**PLAN, "privacy": [{"k-anonymity": {"k": 6}}], "method": "ka"}, people())
    assert found.baseline.number == 0
    assert found.baseline.measures["ilr"] == made.measures["ilr"]
    assert found.baseline.people == {6: 240}


def test_plain_k_stands_beside_personal_k(found: Suggestions) -> None:
    made = shoal.run(
        {**PLAN, "privacy": [{"k-anonymity": {"k": 6}}], "method": "mondrian"}, people()
    )
    assert found.plain.scheme == "mondrian"
    assert found.plain.glm == made.measures["glm"]
    assert found.best is not None
    assert found.best.glm is not None
    for change, beaten in ((-0.01, True), (0.0, False), (0.01, False)):
        plain = replace(found.plain, measures={"glm": found.best.glm + change})
        assert replace(found, plain=plain).is_beaten is beaten


@pytest.mark.parametrize(
    ("method", "climb"),
    [
        ("mondrian", "lattice"),
        ("ka", "lattice"),
        ({"ka": {"climb": "together"}}, "together"),
        ({"ka": {"climb": "lattice", "budget": 50}}, "lattice"),
        ("ece-mks3wd", "lattice"),
        ({"ece-mks3wd": {"climb": "together"}}, "together"),
        ({"sd-mks3wd": {"climb": "lattice"}}, "lattice"),
    ],
)
def test_hierarchies_are_climbed_apart_unless_the_plan_says_otherwise(
    method: Any, climb: str
) -> None:
    found = suggest({**PLAN, "method": method}, people(), 4, ["ece-mks3wd"], levels=1)
    for row in (found.baseline, *found):
        assert row.method.parameters()["climb"] == climb
        assert row.method.parameters()["budget"] == (50 if "50" in str(method) else 4_000)


def test_a_lattice_that_is_too_large_is_not_climbed(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import import_module

    module = import_module("shoal._command.suggest.suggest")
    # Five levels of age (with the value itself and the top), and two of town.
    for most, climb in ((9, "together"), (10, "lattice")):
        monkeypatch.setattr(module, "_MOST_VECTORS", most)
        found = suggest({**PLAN, "method": "mondrian"}, people(), 4, ["ece-mks3wd"], levels=1)
        assert found[0].method.parameters()["climb"] == climb


def test_rows_below_are_those_of_the_verdict() -> None:
    # Two ask for 4, one for 3, and there is nobody else like them.
    plan = {
        **PLAN,
        "attributes": {"town": {"role": "quasi", "hierarchy": {"tree": {"a": ["a"], "b": ["b"]}}},
                       "f": "sensitivity"},
    }  # fmt: skip
    frame = pl.DataFrame(
        {"town": list("aaa" + "b" * 6), "f": [0.9, 0.9, 0.6, 0.1, 0.1, 0.1, 0.4, 0.4, 0.4]}
    )
    found = suggest(plan, frame, 4)
    down = {(row.scheme, row.n_below) for row in found if row.n_levels == 2 and not row.holds}
    assert down == {("sd-mks3wd", 2)}
    assert all(row.holds for row in found if not row.n_below)
    assert found.best is not None
    assert found.best.holds


def test_a_share_keeps_the_highest_k_to_few() -> None:
    found = suggest(PLAN, people(), 6, ["ece-mks3wd"], share=0.05)
    assert any(row.family == "share" for row in found)
    assert found.best is not None
    assert found.best.people[6] <= 12
    tied = people().with_columns(f=pl.lit(1.0))
    none = suggest(PLAN, tied, 6, ["ece-mks3wd"], share=0.05)
    assert none.best is None
    assert any("5% of the people" in note for note in none.notes)


def test_big_tables_are_judged_on_a_sample_and_it_is_said() -> None:
    found = suggest(PLAN, people(600), 4, ["ece-mks3wd"], sample=150)
    assert (found.n_rows, found.n_judged) == (600, 150)
    assert sum(found[0].people.values()) == 600
    assert "150 of 600 rows" in found.notes[0]
    again = suggest(PLAN, people(600), 4, ["ece-mks3wd"], sample=150)
    assert [row.ilr for row in again] == [row.ilr for row in found]


def test_samples_hold_whole_people() -> None:
    frame = pl.concat([people(90).with_row_index("who")] * 2)
    plan = {
        **PLAN,
        "individual": "who",
        "attributes": {"who": "identifier", **PLAN["attributes"]},
    }
    found = suggest(plan, frame, 4, ["ece-mks3wd"], sample=60, levels=1)
    assert found.n_judged == 60
    assert sum(found[0].people.values()) == 90


def test_what_the_plan_asks_beside_is_kept() -> None:
    own = {"k": [5, 2], "l-diversity": {"l": 2}}
    model = {"thresholds": [[0.5, 0.5]], "levels": [own], "strict": True}
    plan = Plan.parse(
        {**PLAN, "privacy": [{"k-anonymity": {"k": 2}}, {"multi-level-k": model}],
         "method": {"sd-mks3wd": {"boundary": "suppress"}}}
    )  # fmt: skip
    found = suggest(plan, people(), 4)
    for row in found:
        assert isinstance(row.model, MultiLevelK)
        assert row.model.strict
        assert all(level.model_extra == {"l-diversity": {"l": 2}} for level in row.model.levels)
        assert row.method.parameters()["boundary"] == "suppress"
        assert row.holds
    notes = " ".join(found.notes)
    assert "k-anonymity {k: 2} stays" in notes
    assert "in addition to k" in notes


def test_what_cannot_be_had_is_a_row_with_the_reason() -> None:
    tree = {"tree": {"north": list("ab"), "south": list("cd")}}
    plan = {
        **PLAN,
        "attributes": {**PLAN["attributes"], "town": {"role": "quasi", "hierarchy": tree}},
        "suppression": {"limit": 0.0},
    }
    frame = people(60).with_columns(
        town=pl.when(pl.int_range(60) < 3).then(pl.lit("a")).otherwise(pl.lit("c")), f=pl.lit(0.9)
    )
    found = suggest(plan, frame, 5, ["ece-mks3wd"])
    assert found.best is None
    assert "suppressed" in found[0].problem
    assert found.baseline.ilr is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"attributes": {**PLAN["attributes"], "f": "insensitive"}}, "role: sensitivity"),
        ({"attributes": {**PLAN["attributes"], "town": "quasi"}, "method": "mondrian"},
         "'town' has none"),
    ],
)  # fmt: skip
def test_plans_that_lack_something_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        suggest({**PLAN, **changes}, people())


def test_arguments_are_checked_all_at_once() -> None:
    with pytest.raises(PlanError) as caught:
        suggest(PLAN, people(), 1, ["ka"], levels=0, share=1.5)
    assert len(caught.value.problems) == 4
    with pytest.raises(InfeasibleError, match="at most the number of rows, got 241"):
        suggest(PLAN, people(), 241)
    with pytest.raises(PlanError, match="no source"):
        suggest(PLAN)
    with pytest.raises(PlanError, match="no such column"):
        suggest(PLAN, people().drop("ill"))
    with pytest.raises(DataError):
        suggest(PLAN, people().with_columns(f=pl.lit(1.5)))
