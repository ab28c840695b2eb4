from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.app import make_app
from tests.studio.sample import ORIGIN, PORT, TOKEN


def test_shows_tables_and_plans(client: TestClient) -> None:
    text = client.get("/").text
    assert "people.csv" in text
    assert "Open plan.yaml" in text


def test_an_upload_is_taken(client: TestClient) -> None:
    answer = client.put("/files/more.csv", content=b"a,b\n1,2\n")
    assert answer.status_code == 201
    assert "more.csv" in client.get("/").text


@pytest.mark.parametrize("name", ["..%2f..%2fx.csv", ".x.csv", "x.exe", "%2fetc%2fx.csv"])
def test_an_upload_stays_in_the_folder(client: TestClient, name: str) -> None:
    answer = client.put(f"/files/{name}", content=b"a\n1\n")
    assert answer.status_code in (404, 405, 422)


def test_an_upload_that_is_too_large_says_what_to_do(client: TestClient) -> None:
    answer = client.put("/files/large.csv", content=b"x" * 50_001)
    assert answer.status_code == 413
    assert "Copy the file into the folder" in answer.text
    assert "large.csv" not in client.get("/").text


def test_a_plan_file_becomes_a_plan(client: TestClient, plan: str) -> None:
    assert f'href="{plan}/requirements"' in client.get("/").text


def test_what_is_no_plan_file_is_not_opened(client: TestClient) -> None:
    for name in ("people.csv", "../plan.yaml", ""):
        assert client.post("/plans", data={"file": name}).status_code in (404, 422)


def test_cancel_goes_back_into_the_studio_only(client: TestClient) -> None:
    for back in ("//evil.example", "http://evil.example", ""):
        answer = client.post("/jobs/1/cancel", data={"back": back}, follow_redirects=False)
        assert answer.headers["location"] == "/"


def test_an_empty_folder_can_be_filled_with_a_demo(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    with TestClient(make_app(folder, PORT, TOKEN), ORIGIN) as client:
        client.get(f"/?token={TOKEN}")
        assert "Invent a hospital" in client.get("/").text
        page = client.post("/demo").text
        assert "patients.csv" in page
        assert "Invent a hospital" not in page
        (folder / "patients.csv").write_text("a\n1\n", encoding="utf-8")
        client.post("/demo")
        assert (folder / "patients.csv").read_text(encoding="utf-8") == "a\n1\n"
