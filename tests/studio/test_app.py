from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.app import make_app
from tests.studio.sample import ORIGIN, PORT, TOKEN


@pytest.mark.parametrize("name", ["studio.css", "htmx.js", "studio.js", "icon.svg"])
def test_all_that_pages_load_is_served_from_here(client: TestClient, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 200
    assert answer.text


@pytest.mark.parametrize("name", ["htmx.LICENSE", "..%2fapp.py", "nothing.js"])
def test_nothing_else_is(client: TestClient, name: str) -> None:
    assert client.get(f"/static/{name}").status_code == 404


def test_a_method_that_an_address_does_not_take(client: TestClient) -> None:
    assert client.delete("/compare").status_code == 405


def test_everything_is_there_after_a_restart(folder: Path) -> None:
    for token in ("a" * 43, "b" * 43):
        with TestClient(make_app(folder, PORT, token), ORIGIN) as client:
            client.get(f"/?token={token}")
            if token[0] == "a":
                client.post("/plans", data={"file": "plan.yaml"})
            assert "fits together" in client.get("/plans/1/requirements").text


def test_no_failure_of_a_page_shows_what_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("Oslo")

    monkeypatch.setattr("shoal.studio.place.Place.tables", broken)
    app = make_app(folder, PORT, TOKEN)
    with TestClient(app, ORIGIN, raise_server_exceptions=False) as client:
        answer = client.get(f"/?token={TOKEN}")
    assert answer.status_code == 500
    assert "RuntimeError" in answer.text
    assert "Oslo" not in answer.text


def test_the_place_of_a_page_is_marked_for_screen_readers(client: TestClient) -> None:
    assert 'href="/" aria-current="page">Start' in client.get("/").text
