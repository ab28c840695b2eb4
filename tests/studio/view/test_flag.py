from __future__ import annotations

from starlette.testclient import TestClient

from tests.studio.sample import wait

ILLNESS = "flags/3"


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


def test_a_column_that_is_not_there(client: TestClient, plan: str) -> None:
    assert client.post(f"{plan}/flags/99", data={"begin": "1"}).status_code == 404
