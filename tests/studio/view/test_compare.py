from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from shoal.studio.view.compare import differences
from tests.studio.sample import wait


def test_runs_side_by_side_with_links(done: tuple[TestClient, Path]) -> None:
    client, _ = done
    client.post("/plans/1/requirements/0", data={"k": "12"})
    client.post("/plans/1/run", data={"name": "Larger"})
    wait(client, "/runs/2")
    page = client.get("/compare?a=1&b=2").text
    assert '<a href="/runs/1">' in page
    assert '<a href="/runs/2">' in page
    assert "Risk against loss" in page
    assert "privacy.k-anonymity.k" in page


def test_without_runs_it_says_where_to_begin(client: TestClient) -> None:
    assert "no run to compare yet" in client.get("/compare").text


def test_differences_name_the_key() -> None:
    one = {"attributes": {"a": {"role": "quasi"}}, "privacy": [{"k-anonymity": {"k": 2}}]}
    other = {
        "attributes": {"a": {"role": "drop"}},
        "privacy": one["privacy"],
        "seed": 1,
    }
    assert list(differences(one, other)) == [
        ("attributes.a.role", "quasi", "drop"), ("seed", "–", "1"),
    ]  # fmt: skip


def test_requirements_are_compared_by_name_and_column() -> None:
    one = {"privacy": ["a", {"l-diversity": {"l": 2, "attribute": "x"}}, {"k": {"k": [[1, 2]]}}]}
    other = {"privacy": [{"k": {"k": [[1, 3]]}}, {"l-diversity": {"l": 3, "attribute": "x"}}]}
    assert list(differences(one, other)) == [
        ("privacy.a", "required", "–"),
        ("privacy.l-diversity of x.l", "2", "3"),
        ("privacy.k.k", "[[1, 2]]", "[[1, 3]]"),
    ]
