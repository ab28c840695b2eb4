from __future__ import annotations

from starlette.testclient import TestClient


def test_a_form_must_be_small_and_text(client: TestClient, plan: str) -> None:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    assert client.post("/plans", content=b"file=%ff%fe", headers=kind).status_code == 400
    assert client.post("/plans", content=b"a=b&" * 3_000, headers=kind).status_code == 400
    assert client.post(f"{plan}/text", content=b"text=" + b"x" * 3_000_001).status_code == 413


def test_what_is_not_there_is_not_found(client: TestClient) -> None:
    for path in ("/plans/9/data", "/runs/9", "/jobs/9", "/plans/" + "9" * 40 + "/data", "/runs/x"):
        assert client.get(path).status_code == 404
        assert "start page" in client.get(path).text
