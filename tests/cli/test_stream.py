"""`shoal stream` from a terminal, and what signals and kills leave of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests._run.stream.case import plan, rows
from tests.cli.place import SOURCES, Place

PRIVATE = ("--private", "own", "--output", "out")


def begin(place: Place, n: int = 120, **more: object) -> None:
    place.write("stream.yaml", json.dumps({**plan(50), "source": "in", **more}))
    (place.folder / "in").mkdir()
    rows(n).write_csv(place.folder / "in" / "a.csv")


def test_a_folder_to_its_end(place: Place) -> None:
    begin(place)
    outcome = place.run("stream", "stream.yaml", *PRIVATE, "--once")
    assert outcome.code == 0, outcome.err
    assert "120 acknowledged, 100 published, 0 suppressed, 20 waiting" in " ".join(
        outcome.out.split()
    )
    assert "--flush" in outcome.out
    assert outcome.err.count("batch-00000") == 2
    assert max(map(len, outcome.out.splitlines())) <= 80
    quiet = place.run("stream", "stream.yaml", *PRIVATE, "--once", "--flush", "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert place.run("audit", "out/batch-000003").code == 0


def test_json_is_one_document_a_line(place: Place) -> None:
    begin(place)
    outcome = place.run("stream", "stream.yaml", *PRIVATE, "--once", "--flush", "--json")
    lines = [json.loads(line) for line in outcome.out.splitlines()]
    assert [line.get("batch") for line in lines] == [
        "batch-000001", "batch-000002", "batch-000003", None,
    ]  # fmt: skip
    assert lines[0]["holds"] is True
    assert lines[-1]["acknowledged"] == lines[-1]["published"] == 120
    assert lines[-1]["ended"] is True
    assert lines[-1]["longest_wait"] == 50


def test_what_is_wrong_is_said(place: Place) -> None:
    begin(place)
    assert "--private" in place.run("stream", "stream.yaml").err
    both = place.run("stream", "stream.yaml", *PRIVATE, "--replay", "--resume")
    assert (both.code, "Only one of" in both.err) == (2, True)
    place.write("no.yaml", json.dumps({**plan(50), "source": "people.csv"}))
    outcome = place.run("stream", "no.yaml", *PRIVATE, "--once")
    assert outcome.code == 2
    assert "must be a folder" in outcome.words
    place.write("run.yaml", json.dumps({k: v for k, v in plan(50).items() if k != "delay"}))
    assert "no 'delay'" in place.run("stream", "run.yaml", *PRIVATE).words


def test_people_who_come_again_are_warned_of(place: Place) -> None:
    begin(place, individual={"column": "name", "conflict": "first"})
    outcome = place.run("stream", "stream.yaml", *PRIVATE, "--once")
    assert "a person appears again in a later batch" in " ".join(outcome.out.split())
    again = place.run("stream", "stream.yaml", *PRIVATE, "--once", "--json")
    assert "composition" in [w["code"] for w in json.loads(again.out.splitlines()[-1])["warnings"]]


def test_what_a_batch_is_warned_of_is_said(place: Place) -> None:
    begin(place, privacy=[{"k-anonymity": {"k": 1}}])
    outcome = place.run("stream", "stream.yaml", *PRIVATE, "--once")
    assert "k-anonymity with k = 1 requires nothing" in " ".join(outcome.out.split())
    rows(60).write_csv(place.folder / "in" / "b.csv")
    more = place.run("stream", "stream.yaml", *PRIVATE, "--once", "--flush", "--json")
    first, *_, last = [json.loads(line) for line in more.out.splitlines()]
    codes = [w["code"] for w in first["warnings"]]
    assert codes[:2] == ["asks-nothing", "unprotected-secret"]
    assert [w["code"] for w in last["warnings"]] == codes


def start(place: Place, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "shoal", "stream", "pipe.yaml", *PRIVATE, "--resume", *options],
        cwd=place.folder,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def acknowledged(folder: Path) -> int:
    try:
        return int(json.loads((folder / "own" / "stream.json").read_text())["rows"])
    except FileNotFoundError:
        return 0


def wait_for(place: Place, n: int, process: subprocess.Popen[bytes]) -> None:
    while acknowledged(place.folder) < n:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_request_to_end_is_followed_in_order(place: Place, number: signal.Signals) -> None:
    place.write("pipe.yaml", json.dumps(plan(50)))
    table = rows(130)
    with start(place, "--flush", "--json") as process:
        assert process.stdin is not None
        process.stdin.write(table[:70].write_csv().encode())
        process.stdin.flush()
        wait_for(place, 70, process)
        process.send_signal(number)
        # Standard input stays open: it is the signal that ends the stream.
        process.wait(timeout=120)
        out, err = process.communicate()
    assert process.returncode == 128 + number, err
    last = json.loads(out.splitlines()[-1])
    assert (last["acknowledged"], last["published"], last["ended"]) == (70, 70, False)
    assert b"Traceback" not in err


def test_a_kill_keeps_what_is_acknowledged(place: Place) -> None:
    place.write("pipe.yaml", json.dumps(plan(50)))
    table = rows(130)
    with start(place) as process:
        assert process.stdin is not None
        process.stdin.write(table[:70].write_csv().encode())
        process.stdin.flush()
        wait_for(place, 70, process)
        process.kill()
    with start(place, "--flush", "--json") as process:
        out, err = process.communicate(table[70:].write_csv().encode(), timeout=120)
    assert process.returncode == 0, err
    last = json.loads(out.splitlines()[-1])
    assert (last["acknowledged"], last["published"], last["batches"]) == (130, 130, 3)
