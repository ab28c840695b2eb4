"""A command ends when it is asked to, whatever it is doing, and leaves nothing half done."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from shoal.cli import watch
from tests._command.experiment.small import PEOPLE
from tests.cli.place import SECRET, Outcome, Place
from tests.cli.stopped import is_whole, stop_many
from tests.cli.test_experiment import GRID

CASES = int(os.environ.get("SHOAL_SIGNAL_CASES", "6"))

# A statement is run before every call of a function.
BEFORE = """
import os, pkgutil, signal, sys, time
from pathlib import Path
from shoal.cli import main

def outer(*arguments, **options):
    exec(statement)
    return inner(*arguments, **options)

# The processes of a pool read this file too.
if __name__ == "__main__":
    _, target, statement, *sys.argv[1:] = sys.argv
    home, name = target.rsplit(".", 1)
    home = pkgutil.resolve_name(home)
    inner = getattr(home, name)
    setattr(home, name, outer)
    sys.exit(main())
"""
RUN = ("run", "plan.yaml", "--force", "--private", "own")
STUCK = "Path('reached').touch(); time.sleep(600)"
VERIFY, PLACE = "shoal.folder.writing.verify_files", "shoal.folder.writing._place_both"


def start(
    place: Place, function: str, statement: str, *arguments: str, **options: Any
) -> subprocess.Popen[str]:
    """Run the program with a statement before a function."""
    script = place.write("before.py", BEFORE)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, str(script), function, statement, *(arguments or RUN)],
        cwd=place.folder,
        text=True,
        **(streams | options),
    )


def outcome_of(process: subprocess.Popen[str]) -> Outcome:
    out, err = process.communicate(timeout=120)
    return Outcome(process.returncode, out, err)


def wait_for(file: Path) -> None:
    end = time.monotonic() + 120
    while not file.exists():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.slow
def test_a_run_ends_at_any_moment_and_leaves_nothing_half(tmp_path: Path) -> None:
    for case, (end, wrong) in enumerate(stop_many(CASES, seed=CASES, above=tmp_path)):
        assert wrong == [], (case, end)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGKILL, "The operating system stopped the work: Killed"),
        (signal.SIGSEGV, "The work stopped unexpectedly: Segmentation fault"),
    ],
)
def test_work_that_the_system_ends_leaves_nothing(
    place: Place, number: signal.Signals, words: str
) -> None:
    with start(place, VERIFY, f"os.kill(os.getpid(), {number:d})") as process:
        outcome = outcome_of(process)
    assert outcome.code == 3, outcome
    assert words in outcome.words
    assert not list(place.folder.glob(".*"))
    assert not (place.folder / "release").exists()


def test_a_signal_waits_until_both_names_are_changed(place: Place) -> None:
    statement = "Path('reached').touch(); time.sleep(0.05)"
    with start(place, PLACE, statement) as process:
        wait_for(place.folder / "reached")
        process.send_signal(signal.SIGTERM)
        outcome = outcome_of(process)
    assert outcome.code == 143, outcome
    assert (place.folder / "release").exists()
    assert is_whole(place.folder)
    assert not list(place.folder.glob(".*"))


def test_names_that_never_change_are_waited_for_only_so_long(place: Place) -> None:
    with start(place, PLACE, STUCK) as process:
        wait_for(place.folder / "reached")
        process.send_signal(signal.SIGTERM)
        outcome = outcome_of(process)
    assert outcome.code == 143, outcome
    assert not (place.folder / "release").exists()
    assert place.run("run", "plan.yaml").code == 0
    assert not list(place.folder.glob(".release*"))


def test_the_work_ends_with_the_process_that_watches_it(place: Place) -> None:
    with start(place, VERIFY, STUCK) as process:
        wait_for(place.folder / "reached")
        process.kill()
        # Both streams end only when nobody is left to write to them.
        assert outcome_of(process).code == -signal.SIGKILL
    assert place.run("run", "plan.yaml").code == 0
    assert not list(place.folder.glob(".release*"))


def test_a_signal_that_is_ignored_stays_so(place: Place) -> None:
    """As under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        process = start(place, VERIFY, "os.kill(os.getppid(), signal.SIGHUP)")
    finally:
        signal.signal(signal.SIGHUP, before)
    with process:
        outcome = outcome_of(process)
    assert outcome.code == 0, outcome
    assert (place.folder / "release").exists()


def test_a_file_is_whole_or_not_there(place: Place) -> None:
    before = (place.folder / "plan.yaml").read_text()
    arguments = ("init", "people.csv", "--force")
    with start(place, "pathlib.Path.replace", STUCK, *arguments) as process:
        wait_for(place.folder / "reached")
        assert list(place.folder.glob(".*"))
        process.send_signal(signal.SIGINT)
        assert outcome_of(process).code == 130
    assert not list(place.folder.glob(".*"))
    assert (place.folder / "plan.yaml").read_text() == before


def test_what_a_library_prints_does_not_reach_the_screen(place: Place) -> None:
    statement = f"os.write(2, b'panicked at {SECRET}'); sys.stderr.write('words ✓')"
    with start(place, VERIFY, statement) as process:
        outcome = outcome_of(process)
    assert outcome.code == 0, outcome
    assert outcome.err == "words ✓"


def test_an_experiment_keeps_what_it_has(place: Place) -> None:
    place.write("people.csv", PEOPLE.write_csv())
    place.write("grid.yaml", GRID.replace("VALUE", "5"))
    # The second result is not kept any more.
    statement = f"if list(Path('out').rglob('*.json')): {STUCK}"
    kept = "shoal._command.experiment.cache.write_file"
    command = ("experiment", "grid.yaml", "--output", "out")
    with start(place, kept, statement, *command) as process:
        wait_for(place.folder / "reached")
        process.send_signal(signal.SIGINT)
        outcome = outcome_of(process)
    assert outcome.code == 130
    assert "what was computed is kept, and the same command goes on from there" in outcome.words
    assert place.run(*command, "--json").data["computed"] == 1


def test_a_terminal_gets_its_cursor_back(place: Place) -> None:
    """A progress bar hides the cursor, and is killed before it can show it again."""
    terminal, inside = pty.openpty()
    with start(place, VERIFY, STUCK, stdout=inside, stderr=inside) as process:
        os.close(inside)
        wait_for(place.folder / "reached")
        process.send_signal(signal.SIGINT)
        shown = b""
        with suppress(OSError):  # the terminal is gone with its last process
            while more := os.read(terminal, 1 << 16):
                shown += more
    os.close(terminal)
    assert process.returncode == 130
    assert shown.rindex(b"\x1b[?25h") > shown.rindex(b"\x1b[?25l")
    assert "✗ Interrupted" in shown.decode().split("\x1b[?25h")[-1]
    assert "Traceback" not in shown.decode()


def test_who_is_not_watched_does_not_leave() -> None:
    watch.leave(3)


def test_who_leaves_does_what_is_registered_for_the_end() -> None:
    code = (
        "import atexit; from shoal.cli import watch; watch._watcher = 1; "
        "atexit.register(lambda: print('done', flush=True)); watch.leave(7); print('stayed')"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (7, "done\n")
