from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.app import make_app
from tests.studio.sample import ORIGIN, PORT, TOKEN

PATHS = ["/", "/files/people.csv", "/plans/1/data", "/runs/1", "/compare", "/api/runs",
         "/static/studio.css", "/api/openapi.json", "/nowhere"]  # fmt: skip


@pytest.fixture
def stranger(folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app(folder, PORT, TOKEN), ORIGIN) as opened:
        yield opened


@pytest.mark.parametrize("path", PATHS)
def test_without_the_link_nothing_is_shown(stranger: TestClient, path: str) -> None:
    answer = stranger.get(path)
    assert answer.status_code == 403
    assert "people" not in answer.text


def test_a_browser_without_the_link_is_told_what_to_do(stranger: TestClient) -> None:
    answer = stranger.get("/runs/1", headers={"Accept": "text/html,*/*"})
    assert answer.status_code == 403
    assert "start it again" in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]


@pytest.mark.parametrize("given", ["", "x", TOKEN[:-1], TOKEN + "t", "é"])
def test_a_wrong_token_opens_nothing(stranger: TestClient, given: str) -> None:
    assert stranger.get(f"/?token={given}").status_code == 403
    assert not stranger.cookies


def test_the_token_works_once(stranger: TestClient) -> None:
    answer = stranger.get(f"/?token={TOKEN}", follow_redirects=False)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200
    stranger.cookies.clear()
    assert stranger.get(f"/?token={TOKEN}").status_code == 403


def test_a_second_browser_sees_nothing(client: TestClient) -> None:
    cookies = dict(client.cookies)
    client.cookies.clear()
    assert client.get("/").status_code == 403
    client.cookies.update({name: value[:-1] + "x" for name, value in cookies.items()})
    assert client.get("/").status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1"]
)
def test_another_host_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("origin", ["http://evil.example", "null", f"https://127.0.0.1:{PORT}"])
def test_a_foreign_origin_is_refused(client: TestClient, origin: str) -> None:
    headers = {"Origin": origin}
    assert client.post("/plans", data={"file": "plan.yaml"}, headers=headers).status_code == 403
    assert client.get("/api/runs", headers=headers).status_code == 403


def test_a_foreign_page_may_link_but_not_ask(client: TestClient) -> None:
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200
    assert client.get("/", headers={**link, "Sec-Fetch-Mode": "no-cors"}).status_code == 403
    assert client.post("/plans", headers=link, data={"file": "plan.yaml"}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/nowhere", "/compare", "/api/runs", "/static/htmx.js"])
def test_every_answer_has_the_policy(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"


def test_no_page_has_scripts_or_styles_inside(client: TestClient, plan: str) -> None:
    for path in ("/", f"{plan}/data", f"{plan}/requirements", f"{plan}/text", "/compare", "/api"):
        text = client.get(path).text
        assert not re.search(
            r"<script(?![^>]* src=)|<style|\son\w+=|\sstyle=|https?://(?!127)", text
        ), path
