from __future__ import annotations

from starlette.testclient import TestClient

from tests.studio.sample import wait

LEVELS = {
    "a0": "0.9", "b0": "0.1", "h0": "6", "l0": "1", "a1": "0.5", "b1": "0.5", "h1": "5", "l1": "2",
}  # fmt: skip


def text_of(client: TestClient, plan: str) -> str:
    return client.get(f"{plan}/plan.yaml").text


def test_thresholds_are_taken_into_the_plan(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/levels", data=LEVELS)
    page = wait(client, f"{plan}/personal").text
    assert "[[0.9, 0.1], [0.5, 0.5]]" in text_of(client, plan)
    assert "k = 6" in page
    assert client.post(f"{plan}/levels", data={"a0": "x", "b0": "1"}).status_code == 422


def test_levels_are_begun_added_and_removed(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/levels", data={"begin": "1"})
    assert "[[0.8, 0.2], [0.6, 0.4]]" in text_of(client, plan)
    client.post(f"{plan}/levels", data={**LEVELS, "more": "1"})
    assert "levels: [[6, 1], [5, 2], [4, 3]]" in text_of(client, plan)
    client.post(f"{plan}/levels", data={**LEVELS, "fewer": "1"})
    assert "thresholds: [[0.9, 0.1]]" in text_of(client, plan)


def test_a_preview_counts_and_keeps_nothing(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/levels", data=LEVELS)
    before = text_of(client, plan)
    page = client.post(f"{plan}/levels/preview", data={**LEVELS, "a0": "0.95"}).text
    assert "k = 6" in page
    assert "<html" not in page
    page = client.post(f"{plan}/levels/preview", data={**LEVELS, "a1": "0.99"}).text
    assert "must not rise" in page
    assert text_of(client, plan) == before


def test_thresholds_that_do_not_fit_can_still_be_moved(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/levels", data={**LEVELS, "l1": "7"})
    page = wait(client, f"{plan}/personal").text
    assert "HK must be larger than LK" in page
    assert 'name="a1"' in page


def test_a_suggestion_is_taken_into_the_plan(client: TestClient, plan: str) -> None:
    text = client.get(f"{plan}/plan.yaml").text.replace("kind: categorical", "hierarchy: flat")
    client.post(f"{plan}/text", data={"text": text})
    client.post(f"{plan}/suggest", data={"highest": "4"})
    page = wait(client, f"{plan}/personal").text
    assert "Take it into the plan" in page
    client.post(f"{plan}/suggestion", data={"number": "1"})
    assert "multi-level-k" in client.get(f"{plan}/plan.yaml").text
    assert client.post(f"{plan}/suggestion", data={"number": "99"}).status_code == 422
    assert client.post(f"{plan}/suggest", data={"highest": "1"}).status_code == 422
