"""Whatever a program sends to the API, the answer is what the description says."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from shoal.studio.app import make_app
from shoal.studio.view.api import openapi
from tests.studio.sample import ORIGIN, PLAN, PORT, TOKEN, write_folder

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: make test-all")
hypothesis = pytest.importorskip("hypothesis")
positive_data_acceptance = pytest.importorskip(
    "schemathesis.specs.openapi.checks"
).positive_data_acceptance

SCHEMA = schemathesis.openapi.from_dict(openapi())


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a studio that runs, and the cookie that opens it."""
    folder = write_folder(tmp_path_factory.mktemp("api") / "hospital")
    command = [sys.executable, "-m", "shoal", "studio", str(folder), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        link = next(m[0] for line in server.stdout if (m := re.search(r"http://\S+", line)))
        cookie = httpx.get(link).headers["set-cookie"].split(";")[0]
        base = link.split("/?")[0]
        plan = {"name": "May", "text": PLAN}
        httpx.post(f"{base}/api/plans", json=plan, headers={"Cookie": cookie}).raise_for_status()
        yield base, cookie
        server.terminate()


@SCHEMA.parametrize()
@hypothesis.settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_answers_as_described(case: Any, api: tuple[str, str]) -> None:
    base, cookie = api
    # That a text is a plan, or a name that of a table, is more than a schema can say.
    case.call_and_validate(
        base_url=base, headers={"Cookie": cookie}, excluded_checks=[positive_data_acceptance]
    )


def test_nothing_is_answered_without_the_cookie(tmp_path: Path) -> None:
    with TestClient(make_app(write_folder(tmp_path / "hospital"), PORT, TOKEN), ORIGIN) as client:
        for path, methods in openapi()["paths"].items():
            for method in methods:
                address = (
                    path.replace("{plan}", "1").replace("{run}", "1").replace("{name}", "x.csv")
                )
                assert client.request(method.upper(), address).status_code == 403
