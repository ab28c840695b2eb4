from __future__ import annotations

import re
from pathlib import Path

from starlette.testclient import TestClient

from shoal.studio.view.data import SHOWN
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


def test_the_kind_and_the_flag_of_a_column(client: TestClient, plan: str) -> None:
    data = {"column": "town", "kind": "ordinal", "from": "0"}
    client.post(f"{plan}/attribute", data=data)
    assert "kind: ordinal" in client.get(f"{plan}/plan.yaml").text
    client.post(f"{plan}/attribute", data={"column": "town", "kind": ""})
    assert "town: quasi" in client.get(f"{plan}/plan.yaml").text
    assert client.post(f"{plan}/attribute", data={**data, "kind": "odd"}).status_code == 422


def test_columns_that_the_table_lacks_are_named(client: TestClient, plan: str) -> None:
    text = client.get(f"{plan}/plan.yaml").text.replace("  town:", "  village:")
    client.post(f"{plan}/text", data={"text": text})
    assert "does not have: village." in wait(client, f"{plan}/data").text


def test_hundreds_of_columns_come_page_by_page(client: TestClient, folder: Path) -> None:
    names = [f"question {i}" for i in range(SHOWN + 5)]
    rows = [",".join(str((i * j) % 7) for j in range(len(names))) for i in range(60)]
    text = "\n".join([",".join(names), *rows])
    (folder / "wide.csv").write_text(text, encoding="utf-8")
    page = wait(client, "/files/wide.csv").text
    assert f"1 to {SHOWN} of {SHOWN + 5} columns" in page
    assert page.count('<li class="card">') == SHOWN
    page = client.get(f"/files/wide.csv?from={SHOWN}").text
    assert page.count('<li class="card">') == 5
    assert f"question {SHOWN + 4}" in page
