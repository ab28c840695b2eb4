from __future__ import annotations

import time

from starlette.testclient import TestClient

from tests.studio.sample import PLAN


def test_the_text_goes_in_and_out_unchanged(client: TestClient, plan: str) -> None:
    text = "# why\n" + PLAN
    client.post(f"{plan}/text", data={"text": text.replace("\n", "\r\n")})
    assert client.get(f"{plan}/plan.yaml").text == text


def test_what_is_no_yaml_is_not_taken_but_shown_again(client: TestClient, plan: str) -> None:
    answer = client.post(f"{plan}/text", data={"text": "a: [1\n"})
    assert answer.status_code == 422
    assert "not taken" in answer.text
    assert "a: [1" in answer.text
    assert client.get(f"{plan}/plan.yaml").text == PLAN


def test_a_text_that_was_changed_meanwhile_is_not_lost(client: TestClient, plan: str) -> None:
    page = client.get(f"{plan}/text").text
    before = page.split('name="changed" value="')[1].split('"')[0]
    time.sleep(0.01)
    client.post(f"{plan}/requirements/0", data={"k": "7"})
    answer = client.post(f"{plan}/text", data={"text": PLAN, "changed": before})
    assert answer.status_code == 422
    assert "changed in the meantime" in answer.text
    assert "k: 7" in client.get(f"{plan}/plan.yaml").text
    now = answer.text.split('name="changed" value="')[1].split('"')[0]
    client.post(f"{plan}/text", data={"text": PLAN, "changed": now})
    assert client.get(f"{plan}/plan.yaml").text == PLAN


def test_markup_in_a_plan_is_text(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/name", data={"name": "<script>alert(1)</script>"})
    client.post(f"{plan}/text", data={"text": PLAN.replace("town", '"<img src=x>"')})
    for path in ("/", f"{plan}/text", f"{plan}/requirements", f"{plan}/hierarchies"):
        text = client.get(path).text
        assert "<script>alert" not in text
        assert "<img" not in text


def test_copies_and_removes(client: TestClient, plan: str) -> None:
    assert client.post(f"{plan}/copy").url.path == "/plans/2/requirements"
    client.post("/plans/2/remove")
    assert client.get("/plans/2/text").status_code == 404
    assert client.get(f"{plan}/text").status_code == 200
