"""Runs that are asked to end at a random moment, and how long that takes.

python -m tests.cli.stopped [CASES] [SEED]: print the seconds from the signal to the end, worst and
median, for each kind of work.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[2] / "src"
REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HANGS = 120
OUTPUTS = ("--force", "--output", "release", "--private", "own")


@dataclass(frozen=True)
class Work:
    """A kind of work: its plan, its table, and with which options and environment.

    It is stopped within so many seconds, or within those that a first run takes, which leaves an
    old release to replace.
    """

    name: str
    plan: dict[str, Any]
    header: str
    rows: list[str]
    seconds: float | None
    options: tuple[str, ...] = ()
    cold: bool = False


def works() -> list[Work]:
    """A long kernel, a cold compiler, a large table to write, and a pool of processes."""
    rng = random.Random(1)
    plain = {
        "attributes": {"age": "quasi", "town": {"role": "quasi", "hierarchy": "flat"},
                       "ill": "sensitive"},
        "privacy": [{"k-anonymity": {"k": 5}}],
    }  # fmt: skip
    many = [
        f"{person},{person % 90},{value}"
        for person in range(2_000)
        for value in rng.sample(range(60), 8)
    ]
    crowd = [f"{rng.randrange(90)},{rng.randrange(9)},{rng.randrange(9)}" for _ in range(60_000)]
    hitting = {
        "individual": "name",
        "attributes": {"name": "identifier", "age": "quasi", "ill": "sensitive"},
        "privacy": [{"eir-l": {"l": 12}}],
        "method": "danonyir",
    }
    return [
        Work("kernel", hitting, "name,age,ill", many, 12),
        Work("compiling", plain, "age,town,ill", crowd[:200], 12, cold=True),
        Work("writing", plain, "age,town,ill", crowd, None),
        Work("workers", plain | {"shards": {"rows": 200}}, "age,town,ill", crowd[:20_000], None,
             ("--workers", "2")),
    ]  # fmt: skip


@dataclass(frozen=True)
class End:
    """How a run ended."""

    work: str
    number: signal.Signals
    code: int
    seconds: float
    err: str
    survivors: bool


def stop(work: Work, folder: Path, rng: random.Random) -> End:
    """Run a plan over an old release, and send it a signal at a random moment."""
    with _start(work, folder) as process:
        while not _takes_signals(process.pid):
            time.sleep(0.001)
        assert work.seconds is not None, "the first run has been timed"
        time.sleep(rng.uniform(0, work.seconds))
        number = rng.choice(REQUESTS)
        begin = time.monotonic()
        # A terminal sends to the whole group, a supervisor to the process that it started.
        if process.poll() is None:
            rng.choice((os.kill, os.killpg))(process.pid, number)
        process.wait(HANGS)
        seconds = time.monotonic() - begin
        _, err = process.communicate(timeout=HANGS)
    return End(work.name, number, process.returncode, seconds, err, _has_survivors(process.pid))


def _timed(work: Work, folder: Path) -> Work:
    """The work with the seconds that it takes undisturbed."""
    begin = time.monotonic()
    with _start(work, folder) as process:
        _, err = process.communicate(timeout=HANGS)
    # A first run may say that it compiles.
    assert process.returncode == 0, err
    return replace(work, seconds=time.monotonic() - begin)


def _start(work: Work, folder: Path) -> subprocess.Popen[str]:
    (folder / "people.csv").write_text("\n".join([work.header, *work.rows, ""]))
    (folder / "plan.yaml").write_text(json.dumps(work.plan | {"source": "people.csv"}))
    cache = {"SHOAL_CACHE": str(folder / "cache")} if work.cold else {}
    command = [sys.executable, "-m", "shoal", "run", "plan.yaml", *OUTPUTS, *work.options]
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCES), **cache},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _has_survivors(group: int) -> bool:
    """Whether a process of a group goes on after the first has ended; the others get a moment."""
    for _ in range(1_000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return True


def _takes_signals(pid: int) -> bool:
    """Whether a process has blocked SIGTERM, so as to wait for it, or has ended already."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True
    blocked = re.search(r"^SigBlk:\s*(\w+)$", status, re.MULTILINE)
    return blocked is None or bool(int(blocked[1], 16) & 1 << (signal.SIGTERM - 1))


def faults(end: End, folder: Path) -> list[str]:
    """What is not as it should be after a run that was stopped, or was quicker."""
    found = []
    if end.code not in (0, 128 + end.number):
        found.append(f"exit code {end.code}")
    if "Traceback" in end.err or "Error" in end.err:
        found.append(f"on stderr: {end.err}")
    if end.code and end.err.count("Interrupted") != 1:
        found.append(f"nothing is said: {end.err}")
    if end.survivors:
        found.append("processes that go on")
    found += [f"left behind: {path.name}" for path in folder.glob(".*")]
    return found if is_whole(folder) else [*found, "half a release"]


def is_whole(folder: Path) -> bool:
    """Whether there is no release, or one with all files of its manifest and its private side."""
    if not (folder / "release").exists():
        return not (folder / "own").exists()
    text = (folder / "release" / "manifest.json").read_bytes()
    files = json.loads(text)["files"]
    digests = {
        name: hashlib.sha256((folder / "release" / name).read_bytes()).hexdigest() for name in files
    }
    named = json.loads((folder / "own" / "private.json").read_text())["release"]
    return digests == {name: facts["sha256"] for name, facts in files.items()} and (
        named == hashlib.sha256(text).hexdigest()
    )


def stop_many(cases: int, seed: int, above: Path) -> Iterator[tuple[End, list[str]]]:
    """Stop so many runs, all kinds of work in turn, and look what each leaves behind."""
    rng, kinds = random.Random(seed), works()
    for case in range(cases):
        kind = case % len(kinds)
        folder = above / kinds[kind].name
        folder.mkdir(exist_ok=True)
        if kinds[kind].seconds is None:
            kinds[kind] = _timed(kinds[kind], folder)
        work = kinds[kind]
        shutil.rmtree(folder / "cache", ignore_errors=True)
        end = stop(work, folder, rng)
        yield end, faults(end, folder)


def main(cases: int, seed: int) -> int:
    """Print what is wrong, and how long it took."""
    ends, failed = [], False
    with tempfile.TemporaryDirectory() as above:
        for end, wrong in stop_many(cases, seed, Path(above)):
            ends.append(end)
            failed |= bool(wrong)
            sys.stdout.writelines(f"{end.work} {end.number.name}: {fault}\n" for fault in wrong)
    for name in dict.fromkeys(end.work for end in ends):
        taken = sorted(e.seconds for e in ends if e.work == name and e.code)
        finished = sum(e.work == name and not e.code for e in ends)
        if taken:
            sys.stdout.write(
                f"{name:10} {len(taken):3} stopped, {finished} finished before; seconds: "
                f"median {statistics.median(taken):.2f}, worst {taken[-1]:.2f}\n"
            )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(*(int(a) for a in [*sys.argv[1:], "100", "1"][:2])))
