"""How long `shoal init` takes: a million rows of twenty columns, read, counted and proposed.

    python benchmarks/init.py [ROWS]

Prints one JSON document with the seconds of each step.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import polars as pl

from shoal._command.demo import generate
from shoal._command.init import profile, propose
from shoal.source import read


def table(rows: int) -> pl.DataFrame:
    """The patients, with six more columns: two kinds of keys, three numbers and a text."""
    frame = generate(rows, seed=1)
    number = pl.int_range(rows)
    return frame.with_columns(
        number.alias("row"),
        (number * 7919 % rows).cast(pl.String).str.zfill(9).alias("case"),
        (pl.col("income") * 0.01 + number % 97).alias("charge"),
        (pl.col("length_of_stay") * 24 + number % 24).alias("hours"),
        (number % 251).alias("station"),
        (pl.lit("note ") + (number % 5000).cast(pl.String)).alias("remark"),
    )


def measure(rows: int) -> dict[str, Any]:
    """The seconds of each step on a table of so many rows, from a csv file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        table(rows).write_csv(path)
        steps = {}
        begin = perf_counter()
        frame = read(path)
        steps["read"] = perf_counter() - begin
        begin = perf_counter()
        counted = profile(frame)
        steps["profile"] = perf_counter() - begin
        begin = perf_counter()
        propose(counted, source=path.name)
        steps["propose"] = perf_counter() - begin
    seconds = {name: round(value, 3) for name, value in steps.items()}
    return {
        "benchmark": "init",
        "rows": rows,
        "columns": frame.width,
        "seconds": seconds,
        "total": round(sum(steps.values()), 3),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)))
