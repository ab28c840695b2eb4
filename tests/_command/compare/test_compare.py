"""Plans side by side: risk by its definition, the front, and plans that fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal._command.compare import Comparison, Rehearsal, compare, comparison_page
from shoal._command.compare.risk import Risk, risk_of
from shoal.errors import DataError, PlanError, Problem
from shoal.schema import Schema
from tests.report.document import Document
from tests.report.sample import PLAN, people


def plan(k: int, **changes: Any) -> dict[str, Any]:
    return {**PLAN, "privacy": [{"k-anonymity": {"k": k}}], **changes}


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare([plan(20), plan(3), plan(4000), plan(8)], people())


def test_plans_are_sorted_by_loss_and_failures_come_last(found: Comparison) -> None:
    frame = found.frame
    assert frame["plan"].to_list() == ["plan 2", "plan 4", "plan 1", "plan 3"]
    assert frame["glm"].drop_nulls().is_sorted()
    assert frame["mean_risk"].drop_nulls().is_sorted(descending=True)
    assert frame["front"].to_list() == [True, True, True, False]
    assert frame["holds"].to_list() == [True, True, True, False]
    assert "4000" in frame["error"][3]
    assert frame["smallest"][3] is None
    assert not found.holds


def test_numbers_are_those_of_a_run(found: Comparison) -> None:
    release = shoal.run(plan(8), people())
    outcome = next(o for o in found.outcomes if o.plan == "plan 4")
    assert outcome.loss == release.measures["glm"]
    assert outcome.query_error == release.measures["query-count"]
    assert outcome.verdicts == release.verdicts
    assert outcome.suppressed == 0


@pytest.mark.parametrize("ranges", ["tight", "columns"])
@pytest.mark.parametrize("individual", [False, True])
def test_risk_is_one_in_the_people_who_look_alike(ranges: str, individual: bool) -> None:
    frame = people(90).with_columns(pl.Series("who", [f"p{i // 3}" for i in range(90)]))
    frame = frame.with_columns(pl.col("age", "town", "job", "seen").first().over("who"))
    attributes = {**PLAN["attributes"], "who": "identifier"}
    more = {"individual": "who"} if individual else {}
    release = shoal.run(plan(4, attributes=attributes, ranges=ranges, **more), frame)
    shown = [n for n in release.frame.columns if n not in ("illness", "visit", "Id_num")]
    crowds: dict[tuple[Any, ...], list[Any]] = {}
    for i, row in enumerate(release.frame.iter_rows(named=True)):
        key = tuple(row[n] for n in shown)
        crowds.setdefault(key, []).append(row["Id_num"] if individual else i)
    risks = [1 / len(set(crowd)) for crowd in crowds.values() for _ in crowd]
    risk = risk_of(release)
    assert risk.n_classes == len(crowds)
    assert risk.smallest == min(len(set(crowd)) for crowd in crowds.values())
    assert risk.mean == pytest.approx(sum(risks) / len(risks))
    assert risk.largest == max(risks)


def test_without_a_description_all_look_alike() -> None:
    release = shoal.run(plan(4), people(30))
    bare = Schema((release.schema["illness"],))
    tables = {"data": release.frame.select("illness")}
    alike = replace(release, published=replace(release.published, schema=bare, tables=tables))
    risk = risk_of(alike)
    assert replace(risk, mean=0.0) == Risk(1, 30, 0.0, 1 / 30)
    assert risk.mean == pytest.approx(1 / 30)


def outcome(loss: float, risk: float, holds: bool = True) -> Rehearsal:
    problems = () if holds else (Problem("no"),)
    return Rehearsal("p", risk=Risk(1, 1, risk, risk), loss=loss, problems=problems)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12))
def test_the_front_is_what_no_other_beats(places: list[tuple[int, int]]) -> None:
    outcomes = [outcome(x / 4, y / 4) for x, y in places]
    front = Comparison(tuple(outcomes)).front
    beaten = [any(a <= x and b <= y and (a, b) != (x, y) for a, b in places) for x, y in places]
    assert [any(o is f for f in front) for o in outcomes] == [not b for b in beaten]


def test_a_plan_that_does_not_hold_beats_nobody() -> None:
    bad, good = outcome(0.1, 0.1, holds=False), outcome(0.2, 0.2)
    assert Comparison((bad, good)).front == (good,)


def test_nothing_is_written_whatever_the_plans_say(tmp_path: Path) -> None:
    found = compare([plan(3, output=str(tmp_path / "release"))], people())
    assert found.holds
    assert list(tmp_path.iterdir()) == []


def test_plans_are_named_by_their_files(tmp_path: Path) -> None:
    files = [tmp_path / "a" / "k.yaml", tmp_path / "b" / "k.yaml", tmp_path / "other.yaml"]
    found = compare([*files, plan(3)], people())
    names = {outcome.plan for outcome in found.outcomes}
    assert names == {str(files[0]), str(files[1]), "other", "plan 4"}
    named = compare([plan(3)], people(), names=["mine"])
    assert named.outcomes[0].plan == "mine"
    with pytest.raises(PlanError, match="1 plans and 2 names"):
        compare([plan(3)], people(), names=["a", "b"])


def test_data_that_cannot_be_read_is_nobodys_failure_but_the_callers() -> None:
    with pytest.raises(DataError):
        compare([plan(3)], "nothing.csv")


def test_what_does_not_compare_is_noted(found: Comparison) -> None:
    assert found.notes == ()
    assert found.first == "plan 1"
    first, *rest = found.outcomes
    other = replace(first, input_digest="other", quasi=frozenset({"age"}))
    notes = " ".join(Comparison((other, *rest), "").notes)
    assert "same table" in notes
    assert "different columns" in notes


@pytest.mark.parametrize("change", [{"input_digest": "other"}, {"quasi": frozenset({"age"})}])
def test_plans_that_do_not_compare_have_no_front(found: Comparison, change: Any) -> None:
    assert found.comparable
    assert 'class="front"' in comparison_page(found)
    first, *rest = found.outcomes
    apart = Comparison((replace(first, **change), *rest))
    assert not apart.comparable
    assert apart.front == ()
    assert not apart.frame["front"].any()
    page = comparison_page(apart)
    words = Document(page).words
    assert "These plans do not compare." in words
    assert "beaten" not in words
    assert 'class="front"' not in page


def test_the_page_is_whole_and_shows_every_plan(found: Comparison) -> None:
    page = comparison_page(found)
    document = Document(page)
    assert document.faults == []
    assert not any(tag in ("script", "link", "img") for tag, _ in document.elements)
    assert "http" not in page
    for row in found.outcomes:
        assert row.plan in document.words
    assert found.outcomes[3].error in document.words
    dots = [a for a in document.of("circle") if a.get("r") is not None and "cx" not in a]
    assert len(dots) == 3


def test_names_on_the_page_are_escaped() -> None:
    page = comparison_page(compare([plan(3)], people(), names=["<b>&x"]))
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;x" in page


def test_a_page_of_failures_has_no_plot() -> None:
    page = comparison_page(compare([plan(4000)], people()))
    assert 'class="chart plot"' not in page
    assert "No plan holds what it asks for." in page
