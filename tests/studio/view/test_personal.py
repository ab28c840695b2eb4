from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal._command.demo import write_demo
from shoal.studio.counted import Counter
from shoal.studio.draft import read_draft
from shoal.studio.place import Place
from shoal.studio.view.personal import Personal, look
from tests.studio.sample import wait


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo") / "hospital"
    write_demo(folder, 300, 7)
    return folder


def personal(demo: Path, name: str) -> Personal:
    place = Place(demo)
    draft = read_draft((demo / f"{name}.yaml").read_text(encoding="utf-8"), place)
    found = look(Counter(place), draft)
    assert not found.problems
    return found


def test_who_asks_for_how_much(demo: Path) -> None:
    found = personal(demo, "patients-personal")
    assert found.levels == ((0.8, 0.2, 8, 2), (0.6, 0.4, 6, 3))
    assert found.people is not None
    assert sum(found.people.values()) == 300
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


def test_a_plan_that_says_nothing_personal(demo: Path) -> None:
    assert look(
        Counter(Place(demo)), read_draft("attributes: {age: quasi}\n", Place(demo))
    ).is_empty


def test_thresholds_are_taken_into_the_plan(client: TestClient, plan: str) -> None:
    data = {
        "a0": "0.9",
        "b0": "0.1",
        "h0": "6",
        "l0": "2",
        "a1": "0.5",
        "b1": "0.5",
        "h1": "5",
        "l1": "3",
    }
    client.post(f"{plan}/levels", data=data)
    page = wait(client, f"{plan}/personal").text
    assert "[[0.9, 0.1], [0.5, 0.5]]" in client.get(f"{plan}/plan.yaml").text
    assert "k = 6" in page
    assert client.post(f"{plan}/levels", data={"a0": "x", "b0": "1"}).status_code == 422


def test_a_suggestion_is_taken_into_the_plan(client: TestClient, plan: str) -> None:
    text = client.get(f"{plan}/plan.yaml").text.replace("kind: categorical", "hierarchy: flat")
    client.post(f"{plan}/text", data={"text": text})
    client.post(f"{plan}/suggest", data={"highest": "4"})
    page = wait(client, f"{plan}/personal").text
    assert "Take it into the plan" in page
    client.post(f"{plan}/suggestion", data={"number": "1"})
    assert "multi-level-k" in client.get(f"{plan}/plan.yaml").text
    assert client.post(f"{plan}/suggestion", data={"number": "99"}).status_code == 422
    assert client.post(f"{plan}/suggest", data={"highest": "1"}).status_code == 422
