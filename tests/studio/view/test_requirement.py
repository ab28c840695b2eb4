from __future__ import annotations

import time
from typing import Any

from starlette.testclient import TestClient

from shoal.plan.registry import methods, models
from tests.studio.sample import wait


def text_of(client: TestClient, plan: str) -> str:
    return client.get(f"{plan}/plan.yaml").text


def test_every_model_and_method_can_be_chosen(client: TestClient, plan: str) -> None:
    page = client.get(f"{plan}/requirements").text
    for one in [*models(), *methods()]:
        assert f'<option value="{one["name"]}"' in page


def test_requirements_are_added_changed_and_removed(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/requirements", data={"model": "t-closeness"})
    assert "t-closeness: {t: 0.3}" in text_of(client, plan)
    client.post(f"{plan}/requirements/2", data={"t": "0.4", "attribute": "illness"})
    assert "t-closeness: {t: 0.4, attribute: illness}" in text_of(client, plan).replace(
        "{attribute: illness, t: 0.4}", "{t: 0.4, attribute: illness}"
    )
    client.post(f"{plan}/requirements/2", data={"remove": "1"})
    assert "t-closeness" not in text_of(client, plan)


def test_what_is_wrong_is_said_before_the_run(client: TestClient, plan: str) -> None:
    page = client.post(f"{plan}/requirements/0", data={"k": "0"}).text
    assert "cannot be run as it is" in page
    assert 'action="/plans/1/run"' not in page
    assert client.post(f"{plan}/run").status_code == 422


def test_a_method_with_its_parameters(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/method", data={"method": "lgb-ncp", "cut": "median"})
    assert "method: lgb-ncp" in text_of(client, plan)
    client.post(f"{plan}/method", data={"method": "lgb-ncp", "balanced": "false"})
    assert "balanced: false" in text_of(client, plan)
    assert client.post(f"{plan}/method", data={"method": "magic"}).status_code == 422


def test_methods_that_do_not_fit_say_why(client: TestClient, plan: str) -> None:
    page = client.get(f"{plan}/methods").text
    assert "Which methods fit this plan" in page
    assert "ka needs a hierarchy for every quasi-identifier" in page
    part = client.get(f"{plan}/methods", headers={"HX-Request": "true"}).text
    assert "<html" not in part
    for one in methods():
        assert f"<strong>{one['name']}</strong>" in part


def test_an_unknown_method_is_shown_as_such(client: TestClient, plan: str) -> None:
    text = text_of(client, plan).replace("method: mondrian", "method: magic")
    client.post(f"{plan}/text", data={"text": text})
    assert "magic: there is no such method" in client.get(f"{plan}/requirements").text


def test_a_run_does_not_wait_for_a_trial(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/rehearse")
    client.post(f"{plan}/run", data={"name": "First"})
    states = [job.state for job in store(client).jobs("rehearse")]
    assert states == ["cancelled"] or wait_for(client, "cancelled")


def store(client: TestClient) -> Any:
    return client.app._app.state.store  # type: ignore[attr-defined]


def wait_for(client: TestClient, state: str) -> bool:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if all(job.state == state for job in store(client).jobs("rehearse")):
            return True
        time.sleep(0.1)
    return False


def test_options_are_left_out_at_their_default(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/options", data={"ranges": "snapped", "objective": "glm", "limit": "0.1"})
    assert "ranges: snapped" in text_of(client, plan)
    assert "limit: 0.1" in text_of(client, plan)
    client.post(f"{plan}/options", data={"ranges": "tight", "limit": ""})
    assert "ranges" not in text_of(client, plan)


def test_what_the_table_cannot_meet_is_found_by_a_rehearsal(client: TestClient, plan: str) -> None:
    client.post(f"{plan}/requirements/1", data={"l": "9", "attribute": "illness"})
    client.post(f"{plan}/rehearse")
    page = wait(client, f"{plan}/requirements").text
    assert "The trial on a sample did not work" in page
    client.post(f"{plan}/requirements/1", data={"l": "2", "attribute": "illness"})
    client.post(f"{plan}/rehearse")
    assert "It can be met with this table" in wait(client, f"{plan}/requirements").text
