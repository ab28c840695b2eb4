from __future__ import annotations

import re

from starlette.testclient import TestClient

from tests.studio.sample import wait


def test_from_a_table_to_a_plan_with_a_changed_role(client: TestClient) -> None:
    page = wait(client, "/files/people.csv").text
    assert "240" in page
    assert "Begin a plan with these roles" in page
    answer = client.post("/files/people.csv/plan")
    assert answer.url.path == "/plans/1/data"
    answer = client.post("/plans/1/attribute", data={"column": "town", "role": "insensitive"})
    chosen = re.findall(r'value="([a-z-]+)" checked', answer.text)
    assert chosen[2] == "insensitive"
    assert "town: {role: insensitive" in client.get("/plans/1/plan.yaml").text
    client.post("/plans/1/attribute", data={"column": "town", "role": "quasi"})
    assert re.search("town: .*quasi", client.get("/plans/1/plan.yaml").text)


def test_people_by_a_column(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/person", data={"column": "name"})
    assert "column: name" in client.get(f"{plan}/plan.yaml").text
    client.post(f"{plan}/person", data={"column": ""})
    assert "individual" not in client.get(f"{plan}/plan.yaml").text


def test_an_unknown_role_is_refused(client: TestClient, plan: str) -> None:
    answer = client.post(f"{plan}/attribute", data={"column": "age", "role": "king"})
    assert answer.status_code == 422
    assert "Known:" in answer.text


def test_a_plan_without_a_table_says_so(client: TestClient, plan: str) -> None:
    text = client.get(f"{plan}/plan.yaml").text.replace("people.csv", "absent.csv")
    client.post(f"{plan}/text", data={"text": text})
    assert "not a table directly in this folder" in client.get(f"{plan}/data").text
