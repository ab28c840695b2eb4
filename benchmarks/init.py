"""How long `shoal init` takes: a million rows of twenty columns, and two thousand columns.

python -m benchmarks init
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
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


def wide_table(rows: int, columns: int) -> pl.DataFrame:
    """Columns such as a survey has: yes or no, codes, measurements, categories, numbers."""
    draw = np.random.default_rng(1)
    letters = np.array(list("abcdefg"))
    kinds: list[Callable[[], Any]] = [
        lambda: draw.integers(0, 2, rows),
        lambda: draw.integers(1, 8, rows),
        lambda: draw.normal(50, 9, rows).round(1),
        lambda: letters[draw.integers(0, 7, rows)],
        lambda: draw.integers(0, 5_000, rows),
    ]
    known = {"age": draw.integers(18, 90, rows), "sex": draw.integers(1, 3, rows)}
    rest = {f"v{i:04d}": kinds[i % len(kinds)]() for i in range(columns - len(known))}
    return pl.DataFrame({**known, **rest})


def measure(rows: int) -> dict[str, Any]:
    """The seconds of each step on a long table."""
    return _measured(table(rows))


def wide(columns: int, rows: int) -> dict[str, Any]:
    """The seconds of each step on a wide table."""
    return _measured(wide_table(rows, columns))


def _measured(frame: pl.DataFrame) -> dict[str, Any]:
    """The seconds to read the table from a csv file, to count it and to propose a plan.

    What is compiled and imported once is there before. Seconds of the processor are given too,
    since a machine that does other things tells no other.
    """
    propose(profile(generate(50, seed=1)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        frame.write_csv(path)
        marks = [(perf_counter(), process_time())]
        found = read(path)
        marks.append((perf_counter(), process_time()))
        counted = profile(found)
        marks.append((perf_counter(), process_time()))
        propose(counted, source=path.name)
        marks.append((perf_counter(), process_time()))
    steps = dict(zip(("read s", "count s", "propose s"), pairwise(marks), strict=True))
    return {
        "rows": frame.height,
        "columns": frame.width,
        **{name: round(end[0] - begin[0], 2) for name, (begin, end) in steps.items()},
        "all s": round(marks[-1][0] - marks[0][0], 2),
        "processor s": round(marks[-1][1] - marks[0][1], 2),
    }
