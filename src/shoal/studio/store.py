"""What a studio remembers: plans, and jobs with what they found, in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shoal.errors import DataError

FILE = "studio.sqlite"
OPEN = ("waiting", "running")
# No job or plan has this number, and SQLite takes no larger one.
_LARGEST = 2**63 - 1

# Each step brings the schema to the next version; a step is never changed once it is published.
_STEPS = (
    """
    CREATE TABLE plan (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, text TEXT NOT NULL,
        changed TEXT NOT NULL
    );
    CREATE TABLE job (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, subject TEXT NOT NULL,
        arguments TEXT NOT NULL, name TEXT NOT NULL DEFAULT '', note TEXT NOT NULL DEFAULT '',
        state TEXT NOT NULL, log TEXT NOT NULL DEFAULT '[]', problems TEXT NOT NULL DEFAULT '[]',
        result TEXT NOT NULL DEFAULT '{}', created TEXT NOT NULL, started TEXT, ended TEXT
    );
    CREATE INDEX job_subject ON job (kind, subject, id);
    """,
)


@dataclass(frozen=True)
class StoredPlan:
    """A plan as it is being written; the text need not be a valid plan yet."""

    id: int
    name: str
    text: str
    changed: str


@dataclass(frozen=True)
class Job:
    """A piece of work: what it is, how far it has come and what it found.

    `log` has the stages with the time at which each began, `problems` what went wrong in words that
    may be shown, `result` what the task says of itself.
    """

    id: int
    kind: str
    subject: str
    arguments: Mapping[str, Any]
    name: str = ""
    note: str = ""
    state: str = "waiting"
    log: tuple[tuple[str, str], ...] = ()
    problems: tuple[Mapping[str, Any], ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""
    started: str | None = None
    ended: str | None = None

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def seconds(self) -> float | None:
        """How long it took, or has taken until now."""
        if self.started is None:
            return None
        end = datetime.fromisoformat(self.ended) if self.ended else datetime.now(UTC)
        return (end - datetime.fromisoformat(self.started)).total_seconds()


class Store:
    """The file; safe to use from several threads, and held by one process at a time."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        # SQLite would give the file the ordinary mode, but plans and queries may name values.
        path.touch(mode=0o600)
        # A second studio never gets the file, so it does not wait long. Transactions are begun and
        # ended below rather than by the module.
        self._connection = sqlite3.connect(
            path, timeout=1, check_same_thread=False, isolation_level=None
        )
        self._connection.row_factory = sqlite3.Row
        try:
            # A second studio would take the work of the first for what was left behind.
            self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._connection.execute("PRAGMA journal_mode = WAL")
            # What was kept must survive a loss of power; with WAL, less would not guarantee that.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._migrate()
        except sqlite3.OperationalError as error:
            self._connection.close()
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise DataError(
                "Only one studio can be open in a folder, but another one is.",
                hint="Use that one, or stop it with Ctrl-C first.",
            ) from None

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._connection.close()

    def _migrate(self) -> None:
        with self._transaction() as run:
            version = int(run("PRAGMA user_version").fetchone()[0])
            if version > len(_STEPS):
                raise DataError(
                    "The database of the studio must come from this version of shoal or an "
                    "earlier one, but it comes from a later one.",
                    hint="Update shoal, or name another folder.",
                )
            for step in _STEPS[version:]:
                # Not executescript, which commits the transaction around it first.
                for statement in filter(str.strip, step.split(";")):
                    run(statement)
            run(f"PRAGMA user_version = {len(_STEPS)}")

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _rows(self, text: str, *values: Any) -> list[sqlite3.Row]:
        with self._lock:
            return self._connection.execute(text, values).fetchall()

    def plans(self) -> list[StoredPlan]:
        """All plans, the latest first."""
        rows = self._rows("SELECT * FROM plan ORDER BY changed DESC, id DESC")
        return [StoredPlan(**dict(row)) for row in rows]

    def plan(self, number: int) -> StoredPlan | None:
        rows = self._rows("SELECT * FROM plan WHERE id = ?", min(number, _LARGEST))
        return StoredPlan(**dict(rows[0])) if rows else None

    def add_plan(self, name: str, text: str) -> StoredPlan:
        with self._transaction() as run:
            cursor = run(
                "INSERT INTO plan (name, text, changed) VALUES (?, ?, ?)", (name, text, _next(run))
            )
        found = self.plan(cursor.lastrowid)
        assert found is not None
        return found

    def change_plan(self, number: int, **fields: str) -> None:
        """Set the name or the text of a plan."""
        with self._transaction() as run:
            for name in fields.keys() & {"name", "text"}:
                run(f"UPDATE plan SET {name} = ? WHERE id = ?", (fields[name], number))
            run("UPDATE plan SET changed = ? WHERE id = ?", (_next(run), number))

    def remove_plan(self, number: int) -> None:
        with self._transaction() as run:
            run("DELETE FROM plan WHERE id = ?", (number,))

    def add_job(self, kind: str, subject: str, arguments: Mapping[str, Any], name: str = "") -> Job:
        with self._transaction() as run:
            cursor = run(
                "INSERT INTO job (kind, subject, arguments, name, state, created) "
                "VALUES (?, ?, ?, ?, 'waiting', ?)",
                (kind, subject, json.dumps(arguments), name, now()),
            )
        found = self.job(cursor.lastrowid)
        assert found is not None
        return found

    def job(self, number: int) -> Job | None:
        rows = self._rows("SELECT * FROM job WHERE id = ?", min(number, _LARGEST))
        return _job(rows[0]) if rows else None

    def jobs(self, kind: str | None = None, subject: str | None = None) -> list[Job]:
        """Jobs, the latest first; of one kind and about one subject, if these are given."""
        rows = self._rows(
            "SELECT * FROM job WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR subject = ?2) "
            "ORDER BY id DESC",
            kind,
            subject,
        )
        return [_job(row) for row in rows]

    def latest(self, kind: str, subject: str) -> Job | None:
        """The latest job of a kind about a subject."""
        rows = self._rows(
            "SELECT * FROM job WHERE kind = ? AND subject = ? ORDER BY id DESC LIMIT 1",
            kind,
            subject,
        )
        return _job(rows[0]) if rows else None

    def change_job(self, number: int, **fields: Any) -> None:
        """Set fields of a job; what is not text is written as JSON."""
        known = {"name", "note", "state", "log", "problems", "result", "started", "ended"}
        with self._transaction() as run:
            for name in sorted(fields.keys() & known):
                value = fields[name]
                text = value if isinstance(value, str | None) else json.dumps(value)
                run(f"UPDATE job SET {name} = ? WHERE id = ?", (text, number))

    def remove_job(self, number: int) -> None:
        with self._transaction() as run:
            run("DELETE FROM job WHERE id = ?", (number,))


def now() -> str:
    """The time, as it is stored."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _next(run: Any) -> str:
    """A time later than that of any plan.

    Windows compare these times to see whether a plan was changed meanwhile, so two changes never
    have the same one, not within a millisecond nor when the clock is set back.
    """
    time, latest = now(), run("SELECT max(changed) FROM plan").fetchone()[0]
    if latest is None or latest < time:
        return time
    after = datetime.fromisoformat(latest) + timedelta(milliseconds=1)
    return after.isoformat(timespec="milliseconds")


def _job(row: sqlite3.Row) -> Job:
    fields = dict(row)
    for name in ("arguments", "result"):
        fields[name] = json.loads(fields[name])
    fields["log"] = tuple((stage, time) for stage, time in json.loads(fields["log"]))
    fields["problems"] = tuple(json.loads(fields["problems"]))
    return Job(**fields)
