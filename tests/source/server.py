"""Databases for tests: files with a table in them, and a PostgreSQL server on loopback."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from shoal.source import Database
from shoal.source.database import connected

_WORD = "a word for tests"


def store(frame: pl.DataFrame, address: str, table: str, base: Path | None = None) -> None:
    """Put a table into a database."""
    with connected(Database(address, table), base, write=True) as connection:
        with connection.cursor() as cursor:
            data = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
            cursor.adbc_ingest(table, data, mode="create")
        connection.commit()


@dataclass(frozen=True)
class Server:
    """A PostgreSQL server of its own; the password is in the environment."""

    port: int

    @property
    def address(self) -> str:
        return f"postgresql://clerk@127.0.0.1:{self.port}/postgres"

    def run(self, *statements: str) -> None:
        with connected(Database(self.address), None, write=True) as connection:
            for statement in statements:
                with connection.cursor() as cursor:
                    cursor.execute(statement)
            connection.commit()

    def cut(self, words: str) -> int:
        """End all other connections that run, or last ran, a query with these words."""
        ended = (
            "SELECT count(pg_terminate_backend(pid)) AS n FROM pg_stat_activity "
            f"WHERE query LIKE '%{words}%' AND pid <> pg_backend_pid()"
        )
        here = connected(Database(self.address), None, write=True)
        with here as connection, connection.cursor() as cursor:
            cursor.execute(ended)
            return int(cursor.fetchone()[0])

    @contextmanager
    def cutting(self, words: str) -> Iterator[None]:
        """End the connection that runs such a query as soon as there is one."""

        def wait() -> None:
            while not self.cut(words) and not done.is_set():
                time.sleep(0.1)

        done = threading.Event()
        thread = threading.Thread(target=wait)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()


@contextmanager
def started(folder: Path) -> Iterator[Server]:
    """A new server whose data is in this folder; not as root, since PostgreSQL refuses that."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    programs = _programs()
    data, word = folder / "data", folder / "word"
    word.write_text(_WORD)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
        shutil.chown(word, "postgres")
        for above in folder.parents:
            if above.stat().st_uid == 0 and len(above.parts) > 2:
                above.chmod(above.stat().st_mode | 0o011)
    _as_user([programs / "initdb", "-D", data, "-U", "clerk", "--pwfile", word,
              "-A", "scram-sha-256", "-E", "UTF8"])  # fmt: skip
    _as_user([*control, "-o", options, "start"])
    before = os.environ.get("PGPASSWORD")
    os.environ["PGPASSWORD"] = _WORD
    try:
        yield Server(port)
    finally:
        os.environ.pop("PGPASSWORD")
        if before is not None:
            os.environ["PGPASSWORD"] = before
        _as_user([*control, "-m", "immediate", "stop"])


def _programs() -> Path:
    """Where the server's programs are: Debian keeps them out of the path."""
    if found := shutil.which("postgres"):
        return Path(found).parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"))


def _as_user(command: list[str | Path]) -> None:
    words = [str(word) for word in command]
    if os.geteuid() == 0:
        words = ["runuser", "-u", "postgres", "--", *words]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd="/")
