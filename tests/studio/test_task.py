from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal.errors import InfeasibleError, PlanError
from shoal.studio.place import Place
from shoal.studio.task import TASKS
from tests.studio.sample import PLAN


@pytest.fixture
def place(folder: Path) -> Place:
    made = Place(folder)
    made.prepare()
    return made


def do(place: Place, kind: str, number: int = 1, **given: Any) -> dict[str, Any]:
    place.job(number).mkdir(exist_ok=True)
    task = {"id": number, "subject": "1", "text": PLAN, **given}
    return TASKS[kind](place, task, lambda _: nullcontext())


def test_profile_proposes_a_plan(place: Place) -> None:
    assert do(place, "profile", subject="people.csv") == {"rows": 240, "columns": 5}
    found = json.loads((place.job(1) / "profile.json").read_text(encoding="utf-8"))
    assert "source: people.csv" in found["text"]


def test_run_query_and_audit(place: Place) -> None:
    found = do(place, "run", name="First")
    assert found["holds"]
    assert found["published"] == 240
    view = pl.read_parquet(place.job(1) / "view.parquet")
    sizes = view.group_by("class of the studio").len()
    assert sizes["len"].min() >= 4  # type: ignore[operator]
    answer = do(place, "query", 2, query="SELECT COUNT(*) WHERE age < 50")
    [row] = answer["rows"]
    assert row["lower"] <= row["estimate"] <= row["upper"]
    assert row["original"] == 120 or row["original"] > 0
    assert do(place, "audit", 3)["verdict"] is True
    assert "<main>" in (place.job(3) / "page.html").read_text(encoding="utf-8")


def test_rehearse_finds_what_cannot_be_met(place: Place) -> None:
    assert 0 < do(place, "rehearse")["loss"] < 1
    with pytest.raises(InfeasibleError):
        do(place, "rehearse", text=PLAN.replace("l: 2", "l: 9"))


def test_explain_and_suggest_write_a_page(place: Place) -> None:
    do(place, "explain")
    assert "What" in (place.job(1) / "page.html").read_text(encoding="utf-8")
    levels = PLAN.replace("kind: categorical", "hierarchy: flat").replace("mondrian", "ece-mks3wd")
    found = do(place, "suggest", 2, text=levels, highest=4)
    assert {row["number"] for row in found["rows"]} >= {found["best"]}


def test_no_task_reads_outside_the_folder(place: Place) -> None:
    with pytest.raises(PlanError, match="folder"):
        do(place, "run", text=PLAN.replace("people.csv", "../people.csv"), name="x")
