from __future__ import annotations

import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.view.api import ENDPOINTS, openapi
from tests.studio.sample import PLAN


def test_the_whole_way_by_programs(client: TestClient) -> None:
    made = client.post("/api/plans", json={"name": "May", "text": PLAN})
    assert made.status_code == 201
    plan = made.json()
    assert plan["problems"] == []
    run = client.post(f"/api/plans/{plan['id']}/runs", json={"name": "First"}).json()
    end = time.monotonic() + 120
    while run["state"] in ("waiting", "running"):
        assert time.monotonic() < end
        time.sleep(0.1)
        run = client.get(f"/api/runs/{run['id']}").json()
    assert run["state"] == "done", run
    assert run["result"]["holds"]
    packed = client.get(f"/api/runs/{run['id']}/release.zip")
    assert packed.content[:2] == b"PK"
    assert client.delete(f"/api/runs/{run['id']}").status_code == 204
    assert client.get(f"/api/runs/{run['id']}").status_code == 404


def test_a_body_that_does_not_fit_is_not_quoted(client: TestClient) -> None:
    answer = client.post("/api/plans", json={"name": "May", "texts": "Oslo"})
    assert answer.status_code == 422
    assert "Oslo" not in answer.text
    assert {p["where"] for p in answer.json()["problems"]} == {"text", "texts"}


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/plans/99", 404), ("GET", "/api/nothing", 404), ("PATCH", "/api/plans", 405),
     ("POST", "/api/plans", 415), ("PUT", "/api/files/.x.csv", 422)],
)  # fmt: skip
def test_what_does_not_work_is_said_in_json(
    client: TestClient, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert answer.json()["problems"][0]["text"]


def test_every_operation_is_described() -> None:
    paths = openapi()["paths"]
    assert {(e.path, e.method.lower()) for e in ENDPOINTS} == {
        (path, method) for path, methods in paths.items() for method in methods
    }


def test_the_page_for_people_lists_them(client: TestClient) -> None:
    page = client.get("/api").text
    for endpoint in ENDPOINTS:
        assert endpoint.path in page


def test_a_file_is_uploaded(client: TestClient, folder: Path) -> None:
    assert client.put("/api/files/new.csv", content=b"a\n1\n").status_code == 201
    assert (folder / "new.csv").read_bytes() == b"a\n1\n"
    assert client.put("/api/files/new.csv", content=b"a\n1\n").status_code == 422
    assert {"name": "new.csv", "bytes": 4} in client.get("/api/tables").json()
