from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from shoal.plan.document import read_text
from tests.studio.sample import wait

TOWN = "hierarchies/2"


def tree_of(client: TestClient, plan: str) -> Any:
    content = read_text(client.get(f"{plan}/plan.yaml").text).data
    return content["attributes"]["town"]["hierarchy"]["tree"]["*"]


def test_a_tree_is_begun_edited_and_exported(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/{TOWN}/tree", data={"begin": "1"})
    assert "Edit the tree" in wait(client, f"{plan}/{TOWN}").text
    first, second, *others = tree_of(client, plan)
    assert sorted([first, second, *others]) == ["Nice", "Oslo", "Rome", "Turku"]
    data = {"n0.0": "on", "n0.1": "on", "name": "these two", "gather": "1"}
    client.post(f"{plan}/{TOWN}/tree", data=data)
    assert tree_of(client, plan) == [*others, {"these two": [first, second]}]
    page = wait(client, f"{plan}/{TOWN}").text
    assert "these two" in page
    assert "does not work" not in page
    assert f"{first};these two;*" in client.get(f"{plan}/{TOWN}/export.csv").text


def test_an_arx_file_is_edited_as_a_tree(client: TestClient, plan: str, folder: Path) -> None:
    rows = "Oslo;north;*\nTurku;north;*\nRome;south;*\nNice;south;*\n"
    (folder / "town.csv").write_text(rows, encoding="utf-8")
    client.post(f"{plan}/{TOWN}", data={"builder": "file", "file": "town.csv"})
    client.post(f"{plan}/{TOWN}/tree", data={"begin": "1"})
    assert tree_of(client, plan) == {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}
    client.post(f"{plan}/{TOWN}/tree", data={"n0.1": "on", "name": "warm", "rename": "1"})
    assert tree_of(client, plan)["warm"] == ["Rome", "Nice"]
    client.post(f"{plan}/{TOWN}/tree", data={"n0.1": "on", "dissolve": "1"})
    assert tree_of(client, plan) == [{"north": ["Oslo", "Turku"]}, "Rome", "Nice"]
    client.post(f"{plan}/{TOWN}/tree", data={"n0.1": "on", "dissolve": "1"})
    assert "1 value of the table is not in the tree" in wait(client, f"{plan}/{TOWN}").text
    client.post(f"{plan}/{TOWN}/tree", data={"complete": "1"})
    assert "not in the tree" not in wait(client, f"{plan}/{TOWN}").text


def test_widths_become_a_tree(client: TestClient, plan: str) -> None:
    before = wait(client, f"{plan}/hierarchies/1").text
    client.post(f"{plan}/hierarchies/1/tree", data={"begin": "1"})
    after = wait(client, f"{plan}/hierarchies/1").text
    assert "Edit the tree" in after
    assert "[20, 40[" in before
    assert "[20, 40[" in after


def test_a_mistake_says_what_to_do_and_leads_back(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/{TOWN}/tree", data={"begin": "1"})
    page = f"http://127.0.0.1:8765{plan}/{TOWN}"
    answer = client.post(
        f"{plan}/{TOWN}/tree", data={"gather": "1", "name": "x"}, headers={"Referer": page}
    )
    assert answer.status_code == 422
    assert "Tick some terms of the tree first" in answer.text
    assert f'href="{plan}/{TOWN}">Back' in answer.text
    answer = client.post(
        f"{plan}/{TOWN}/tree", data={"gather": "1"}, headers={"Referer": "http://evil.example/x"}
    )
    assert "evil" not in answer.text
