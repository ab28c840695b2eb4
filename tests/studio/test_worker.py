from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.errors import DataError
from shoal.studio.place import Place
from shoal.studio.worker import problems_of
from tests.studio.sample import PLAN


@pytest.mark.parametrize(
    "error",
    [
        ValueError("Oslo"),
        OSError("Oslo"),
        OSError(28, "Oslo"),
        MemoryError("Oslo"),
        KeyError("Oslo"),
    ],
)
def test_the_text_of_a_foreign_error_is_never_shown(error: Exception) -> None:
    [found] = problems_of(error)
    assert "Oslo" not in str(found)
    assert found["hint"]


def test_an_own_error_is_shown_whole() -> None:
    assert problems_of(DataError("This is wrong.", "Do that.")) == [
        {"text": "This is wrong.", "where": "", "hint": "Do that."}
    ]


def test_a_worker_ends_with_its_server_and_leaves_nothing(folder: Path) -> None:
    place = Place(folder)
    place.prepare()
    place.job(1).mkdir()
    worker = subprocess.Popen(
        [sys.executable, "-m", "shoal.studio.worker", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    task = {"id": 1, "kind": "run", "subject": "1", "text": PLAN, "name": "x"}
    worker.stdin.write(json.dumps(task).encode() + b"\n")
    worker.stdin.flush()
    assert b"stage" in worker.stdout.readline()
    worker.stdin.close()
    assert worker.wait(60) == 1
    worker.stdout.close()
    end = time.monotonic() + 10
    while place.job(1).exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not place.job(1).exists()
