"""Work in processes of their own: the page never waits for it, and a killed one leaves nothing.

A worker is told what to do by its number, and writes one JSON line for each stage and one at the
end. It ends with the server, by the pipe that the server holds, even if that is killed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from shoal.studio.place import Place
from shoal.studio.store import Job, Store, now

_MOST_WAITING = 50
_BROKEN = {
    "text": "The work stopped unexpectedly: the operating system ended it.",
    "where": "",
    "hint": "If memory ran out, add 'shards: {rows: 200000}' to the plan, or free memory.",
}
_INTERRUPTED = {
    "text": "The studio was stopped before this was finished; nothing was kept.",
    "where": "",
    "hint": "Start it again.",
}


class Busy(Exception):
    """Too much work is waiting already."""


class Jobs:
    """The work of a studio: some at once, the rest in the order in which it was asked for."""

    def __init__(self, place: Place, store: Store, most: int = 2) -> None:
        self._place, self._store, self._most = place, store, most
        self._lock = threading.RLock()
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._cancelled: set[int] = set()
        self._closed = False
        self._recover()

    def _recover(self) -> None:
        """Jobs that were under way when the studio stopped are over, and what they left is
        removed."""
        for job in self._store.jobs():
            if job.is_open:
                self._store.change_job(job.id, state="failed", ended=now(), problems=[_INTERRUPTED])
        self._place.sweep({job.id for job in self._store.jobs() if job.state == "done"})

    def start(
        self, kind: str, subject: str, arguments: Mapping[str, Any] | None = None, name: str = ""
    ) -> Job:
        """Request a job; if the same job is already under way, it is not begun twice."""
        with self._lock:
            waiting = [job for job in self._store.jobs() if job.state == "waiting"]
            given = dict(arguments or {})
            same = self._store.latest(kind, subject)
            if same is not None and same.is_open and same.arguments == given:
                return same
            if len(waiting) >= _MOST_WAITING:
                raise Busy
            job = self._store.add_job(kind, subject, given, name)
            self._next()
            return self._store.job(job.id) or job

    def cancel(self, number: int) -> None:
        """End a piece of work and remove all that it has written."""
        with self._lock:
            job = self._store.job(number)
            if job is None or not job.is_open:
                return
            process = self._processes.get(number)
            if process is None:
                self._end(number, state="cancelled")
                return
            self._cancelled.add(number)
            _kill(process)

    def forget(self, number: int) -> None:
        """Remove a piece of work that is over, with all that it found."""
        job = self._store.job(number)
        if job is not None and not job.is_open:
            shutil.rmtree(self._place.job(number), ignore_errors=True)
            self._store.remove_job(number)

    def drop(self, kinds: Iterable[str], number: int) -> None:
        """End and remove all work of these kinds about a plan or a run."""
        for kind in kinds:
            for job in self._store.jobs(kind, str(number)):
                self.cancel(job.id)
                self.forget(job.id)

    def close(self) -> None:
        """End all work."""
        with self._lock:
            self._closed = True
            processes = list(self._processes.values())
        for process in processes:
            _kill(process)
            process.wait()

    def _next(self) -> None:
        """Begin what waits, as far as there is room."""
        with self._lock:
            room = self._most - len(self._processes)
            waiting = [job for job in self._store.jobs() if job.state == "waiting"]
            # The store lists the latest first, but whoever has waited longest is next.
            for job in reversed(waiting):
                if room > 0 and not self._closed:
                    self._begin(job)
                    room -= 1

    def _begin(self, job: Job) -> None:
        folder = self._place.job(job.id)
        folder.mkdir(mode=0o700, parents=True)
        # What a library prints may quote a cell, so nothing of it is kept.
        # A session of its own, so that a kill reaches whatever the worker has started.
        process = subprocess.Popen(
            [sys.executable, "-m", "shoal.studio.worker", str(self._place.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdin is not None
        # Through the pipe: other users of this machine can list the arguments of a process, and a
        # plan or a query may name values.
        task = {"id": job.id, "kind": job.kind, "subject": job.subject, **job.arguments}
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(task).encode() + b"\n")
            process.stdin.flush()
        self._processes[job.id] = process
        self._store.change_job(job.id, state="running", started=now())
        threading.Thread(target=self._follow, args=(job.id, process), daemon=True).start()

    def _follow(self, number: int, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        log: list[tuple[str, str]] = []
        told: dict[str, Any] | None = None
        for line in process.stdout:
            # A worker that is killed may leave half a line.
            with suppress(ValueError):
                said = json.loads(line)
                if "stage" in said:
                    log.append((said["stage"], now()))
                    self._store.change_job(number, log=log)
                else:
                    told = said
        process.wait()
        process.stdout.close()
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            process.stdin.close()
        with self._lock:
            del self._processes[number]
            # The store may be closed by now; the next start takes the job for one that was
            # interrupted.
            if self._closed:
                return
            if number in self._cancelled:
                self._end(number, state="cancelled")
            elif told is not None and "result" in told and process.returncode == 0:
                self._store.change_job(number, state="done", ended=now(), result=told["result"])
            else:
                problems = (told or {}).get("problems") or [_BROKEN]
                self._end(number, state="failed", problems=problems)
            self._next()

    def _end(self, number: int, **fields: Any) -> None:
        shutil.rmtree(self._place.job(number), ignore_errors=True)
        self._store.change_job(number, ended=now(), **fields)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a worker and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
