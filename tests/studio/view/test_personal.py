from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal._command.demo import write_demo
from shoal.studio.counted import ColumnCounter
from shoal.studio.draft import read_draft
from shoal.studio.place import Place
from shoal.studio.threshold import ThresholdLevel
from shoal.studio.view.personal import PersonalPrivacy, look
from tests.studio.sample import wait

ILLNESS = "flags/3"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "hospital"
    write_demo(folder, 300, 7)
    return folder


def personal(demo: Path, name: str) -> PersonalPrivacy:
    place = Place(demo)
    draft = read_draft((demo / f"{name}.yaml").read_text(encoding="utf-8"), place)
    found = look(ColumnCounter(place), draft)
    assert not found.problems
    return found


def test_who_asks_for_how_much(demo: Path) -> None:
    found = personal(demo, "patients-personal")
    assert found.levels == (ThresholdLevel(0.8, 0.2, 8, 2), ThresholdLevel(0.6, 0.4, 6, 3))
    assert found.asked is not None
    assert sum(n for _, n in found.asked.by_k) == 300
    assert not found.is_empty


def test_secret_cells(demo: Path) -> None:
    found = personal(demo, "patients-secret")
    assert [share.name for share in found.secrets] == ["postcode", "income"]
    assert all(share.total == 300 for share in found.secrets)
    assert 0 < found.secrets[0].parts[0][1] < 300


def test_rows_of_people(demo: Path) -> None:
    found = personal(demo, "diagnoses-people")
    assert found.n_people == 300
    assert found.records is not None


def test_flagged_values(demo: Path) -> None:
    found = personal(demo, "patients-flags")
    assert [share.name for share in found.flags] == ["diagnosis", "income"]
    assert all(share.total == 300 for share in found.flags)
    diagnosis, income = found.flags
    assert {v.text: v.flag for v in diagnosis.values}["HIV"] == "high"
    assert sum(v.rows for v in diagnosis.values) == 300
    assert income.conditions == {
        "low": "x < 3000", "middle": "3000 <= x < 5000", "high": "x >= 5000",
    }  # fmt: skip


def test_a_plan_that_says_nothing_personal(demo: Path) -> None:
    assert look(
        ColumnCounter(Place(demo)), read_draft("attributes: {age: quasi}\n", Place(demo))
    ).is_empty


def test_rules_that_do_not_cover_a_column_can_still_be_changed(demo: Path) -> None:
    place = Place(demo)
    text = (demo / "patients-flags.yaml").read_text(encoding="utf-8")
    draft = read_draft(text.replace('high: "x >= 5000"', 'high: "x >= 9000"'), place)
    found = look(ColumnCounter(place), draft)
    assert "must have one flag" in found.problems[0].text
    assert [rules.name for rules in found.flags] == ["diagnosis", "income"]
    assert found.flags[1].parts == ()


def test_values_are_flagged_and_counted(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/{ILLNESS}", data={"begin": "1"})
    assert "flags: {default: low}" in client.get(f"{plan}/plan.yaml").text
    page = wait(client, f"{plan}/personal").text
    assert "low 240 (100%)" in page
    client.post(f"{plan}/{ILLNESS}", data={"v0": "gout", "f0": "high", "v1": "flu", "f1": "low"})
    page = wait(client, f"{plan}/personal").text
    assert "high: [gout]" in client.get(f"{plan}/plan.yaml").text
    assert "low 240" not in page
    client.post(f"{plan}/{ILLNESS}", data={"remove": "1"})
    assert "flags" not in client.get(f"{plan}/plan.yaml").text


def test_flags_of_a_column_that_is_not_there(client: TestClient, plan: str) -> None:
    assert client.post(f"{plan}/flags/99", data={"begin": "1"}).status_code == 404
