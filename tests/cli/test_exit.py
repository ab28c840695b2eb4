"""How the program ends: codes, signals, streams that are closed or full, faults of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import shoal._run
from shoal.errors import DataError, InfeasibleError, PlanError, VerificationError
from tests.cli.place import SECRET, Outcome, Place, people


def broken(error: BaseException) -> Any:
    def make(*_: Any, **__: Any) -> None:
        raise error

    return make


@pytest.mark.parametrize(
    ("error", "code", "name"),
    [
        (PlanError("a"), 2, "PlanError"),
        (DataError("a"), 2, "DataError"),
        (InfeasibleError("a"), 1, "InfeasibleError"),
        (VerificationError("a"), 1, "VerificationError"),
        (OSError(5, SECRET), 3, "OSError"),
        (OSError(SECRET), 3, "OSError"),
        (MemoryError(SECRET), 3, "MemoryError"),
        (KeyError(SECRET), 3, "InternalError"),
        (RecursionError(SECRET), 3, "InternalError"),
        (BaseException(SECRET), 3, "InternalError"),
        (KeyboardInterrupt(), 130, "Interrupted"),
    ],
)
def test_every_error_has_its_code_and_no_text_of_a_stranger(
    place: Place, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, name: str
) -> None:
    monkeypatch.setattr(shoal._run, "run", broken(error))
    told, data = place.run("run", "plan.yaml"), place.run("run", "plan.yaml", "--json")
    assert (told.code, told.out) == (code, "")
    assert (data.code, data.err) == (code, "")
    assert told.err.startswith("✗ ")
    assert "Traceback" not in told.err
    assert SECRET not in told.err + data.out
    assert data.data["error"] == name


def test_a_fault_of_shoal_names_its_type_and_its_place(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shoal._run.code.encode", broken(ZeroDivisionError(SECRET)))
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 3
    assert "ZeroDivisionError in shoal._run.code, line" in outcome.words
    assert "report" in outcome.words
    assert SECRET not in outcome.err


def test_a_reader_who_leaves_early_is_no_failure(place: Place) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "shoal", "measures"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_a_full_stdout_is_a_failure_of_the_machine(arguments: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "shoal", "measures", *arguments]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_terminal_without_unicode_still_gets_marks_and_words(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    outcome = place.call("run", "plan.yaml")
    assert outcome.code == 0, outcome.err
    assert "+ holds" in outcome.out


def test_a_column_name_cannot_steer_the_terminal(place: Place) -> None:
    place.write("people.csv", "age,\x1b[31mred\n1,2\n1,2\n1,2\n")
    place.plan(attributes={"age": "quasi"})
    outcome = place.run("run", "plan.yaml")
    assert outcome.code == 2
    assert "\x1b" not in outcome.err


STOPPABLE = """
import sys, time
from pathlib import Path
import shoal._run.part.solve, shoal._run.solve, shoal.folder.writing
from shoal.cli import main

def pause_after(module, name):
    inner = getattr(module, name)

    def outer(*arguments):
        found = inner(*arguments)
        Path("reached").touch()
        time.sleep(600)
        return found

    outer.__module__, outer.__qualname__ = module.__name__, name
    setattr(module, name, outer)

stage = sys.argv.pop(1)
if stage == "writing":
    pause_after(shoal.folder.writing, "_fill")
else:
    pause_after(shoal._run.solve, "solve_shard")
    shoal._run.part.solve.solve_shard = shoal._run.solve.solve_shard

if __name__ == "__main__":
    sys.exit(main())
"""


def stop(place: Place, stage: str, number: signal.Signals, *arguments: str) -> Outcome:
    """Run the program, and send it a signal when it has reached a stage."""
    script = place.write("stoppable.py", STOPPABLE)
    with subprocess.Popen(
        [sys.executable, str(script), stage, *arguments],
        cwd=place.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Tests that were started under nohup, or in the background, would hand on what is ignored.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        while not (place.folder / "reached").exists():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.02)
        if stage == "writing":
            assert list(place.folder.glob(".*.shoal-*"))
        os.killpg(process.pid, number)
        out, err = process.communicate(timeout=120)
    script.unlink()
    (place.folder / "reached").unlink()
    return Outcome(process.returncode, out, err)


@pytest.mark.parametrize(
    ("number", "code", "old"),
    [
        (signal.SIGINT, 130, False),
        (signal.SIGINT, 130, True),
        (signal.SIGTERM, 143, True),
        (signal.SIGHUP, 129, False),
    ],
)
def test_a_run_that_is_stopped_while_it_writes_leaves_nothing(
    place: Place, number: signal.Signals, code: int, old: bool
) -> None:
    if old:
        assert place.run("run", "plan.yaml").code == 0
    before = place.look()
    outcome = stop(place, "writing", number, "run", "plan.yaml", "--force", "--private", "own")
    assert outcome.code == code, outcome.err
    assert outcome.out == ""
    assert "Interrupted" in outcome.err
    assert "Traceback" not in outcome.err
    assert place.look() == before


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_a_run_that_is_stopped_while_it_works_leaves_nothing(place: Place, workers: str) -> None:
    place.write("people.csv", people(400))
    place.plan(shards={"rows": 100})
    before = place.look()
    outcome = stop(place, "working", signal.SIGINT, "run", "plan.yaml", "--workers", workers)
    assert outcome.code == 130, outcome
    assert outcome.out == ""
    assert "Traceback" not in outcome.err
    assert SECRET not in outcome.err
    assert place.look() == before
