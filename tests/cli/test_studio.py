from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx2 as httpx
import pytest

from shoal.cli import main
from tests.studio.sample import write_folder


def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "shoal", "studio", str(folder), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://\S+", line):
            return server, found[0]
    raise AssertionError("no link")


def test_starts_serves_and_ends(tmp_path: Path) -> None:
    server, link = start(write_folder(tmp_path))
    with httpx.Client(follow_redirects=True, timeout=30) as client:
        assert client.get(link).status_code == 200
        assert client.get(link.split("?")[0]).status_code == 200
        assert httpx.get(link).status_code == 403
    server.send_signal(signal.SIGINT)
    _, said = server.communicate(timeout=30)
    assert server.returncode == 130
    assert "token" not in said


def test_a_second_studio_leaves_the_first_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server, link = start(write_folder(tmp_path))
    base = link.split("/?")[0]
    with httpx.Client(follow_redirects=True, timeout=30) as client:
        client.get(link)
        client.post(f"{base}/plans", data={"file": "plan.yaml"})
        client.post(f"{base}/plans/1/run", data={"name": "First"})
        assert main(["studio", str(tmp_path), "--no-browser"]) == 2
        assert "another one is" in capsys.readouterr().err
        assert client.get(f"{base}/api/runs/1").json()["state"] != "failed"
    server.terminate()
    server.communicate(timeout=30)


def test_killed_in_the_middle_of_a_run_and_started_again(tmp_path: Path) -> None:
    server, link = start(write_folder(tmp_path))
    base = link.split("/?")[0]
    with httpx.Client(follow_redirects=True, timeout=30) as client:
        client.get(link)
        client.post(f"{base}/plans", data={"file": "plan.yaml"})
        client.post(f"{base}/plans/1/run", data={"name": "First"})
        assert client.get(f"{base}/api/runs/1").json()["state"] in ("waiting", "running")
    server.kill()
    server.communicate(timeout=30)
    jobs = tmp_path / ".shoal-studio" / "jobs"
    end = time.monotonic() + 30
    while any(jobs.iterdir()) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(jobs.iterdir())
    server, link = start(tmp_path)
    base = link.split("/?")[0]
    with httpx.Client(follow_redirects=True, timeout=30) as client:
        client.get(link)
        run = client.get(f"{base}/api/runs/1").json()
        assert run["state"] == "failed"
        assert "stopped before" in run["problems"][0]["text"]
        assert "fits together" in client.get(f"{base}/plans/1/requirements").text
    server.terminate()
    server.communicate(timeout=30)


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", str(tmp_path / "absent"), "--no-browser"]) == 2
    assert "must exist" in capsys.readouterr().err
