"""A studio in a folder of its own, and a client that has opened its link."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from shoal.studio.app import Limits, make_app
from tests.studio.sample import ORIGIN, PORT, TOKEN, wait, write_folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "hospital")


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    with TestClient(make_app(folder, PORT, TOKEN, Limits(50_000)), ORIGIN) as opened:
        opened.get(f"/?token={TOKEN}")
        yield opened


@pytest.fixture
def plan(client: TestClient) -> str:
    """The address of a plan that runs."""
    answer = client.post("/plans", data={"file": "plan.yaml"})
    return str(answer.url.path).removesuffix("/requirements")


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TestClient, Path]]:
    """A studio whose first run is done, for tests that only look."""
    folder = write_folder(tmp_path_factory.mktemp("studio") / "hospital")
    with TestClient(make_app(folder, PORT, TOKEN), ORIGIN) as opened:
        opened.get(f"/?token={TOKEN}")
        opened.post("/plans", data={"file": "plan.yaml"})
        opened.post("/plans/1/run", data={"name": "First"})
        wait(opened, "/runs/1")
        yield opened, folder
