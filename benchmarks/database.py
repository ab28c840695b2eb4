"""A table from PostgreSQL against the same from parquet, and one COPY of it."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import best
from tests.source.server import Server, started, store

Row = dict[str, Any]


def postgresql(n: int) -> Row:
    """Seconds to read n rows of ten columns; `ratio` is against parquet and COPY together."""
    from shoal.source import Database, read

    draw = np.random.default_rng(1)
    columns = {f"q{j}": draw.integers(0, 4 ** (j + 1), n) for j in range(8)}
    people = pl.DataFrame({**columns, "ill": draw.choice(list("abcdef"), n), "pay": draw.random(n)})
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as server:
        file = Path(folder) / "people.parquet"
        people.write_parquet(file)
        store(people, server.address, "people")
        database = Database(server.address, "people")
        from_server = best(lambda: read(database))
        from_parquet = best(lambda: read(file))
        copied = best(lambda: _copy(server))
    return {
        "rows": n,
        "postgresql s": from_server,
        "parquet s": from_parquet,
        "copy s": copied,
        "ratio": from_server / (from_parquet + copied),
    }


def _copy(server: Server) -> None:
    """The server's own way to hand a table out."""
    command = ["psql", server.address, "-qc", "COPY people TO STDOUT (FORMAT binary)"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
