"""Whatever a program sends to the API, the answer is what the description says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.app import make_app
from shoal.studio.view.api import openapi
from tests.studio.sample import ORIGIN, PLAN, PORT, TOKEN, write_folder

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: make test-all")
hypothesis = pytest.importorskip("hypothesis")

SCHEMA = schemathesis.openapi.from_dict(openapi())


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder: Path = write_folder(tmp_path_factory.mktemp("api") / "hospital")
    with TestClient(make_app(folder, PORT, TOKEN), ORIGIN) as opened:
        opened.get(f"/?token={TOKEN}")
        opened.post("/api/plans", json={"name": "May", "text": PLAN})
        yield opened


@SCHEMA.parametrize()
@hypothesis.settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_answers_as_described(case: object, api: TestClient) -> None:
    case.call_and_validate(session=api, base_url=ORIGIN)  # type: ignore[attr-defined]


def test_nothing_is_answered_without_the_cookie(tmp_path: Path) -> None:
    with TestClient(make_app(write_folder(tmp_path / "hospital"), PORT, TOKEN), ORIGIN) as client:
        for path, methods in openapi()["paths"].items():
            for method in methods:
                address = (
                    path.replace("{plan}", "1").replace("{run}", "1").replace("{name}", "x.csv")
                )
                assert client.request(method.upper(), address).status_code == 403
