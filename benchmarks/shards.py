"""Shards: their loss beside one shard, tables larger than memory, and where a whole run spends."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import data
from benchmarks.clock import Footprint, Stages, resident

Row = dict[str, Any]
PART = 1_000_000


def part_of(rows: int, number: int) -> pl.DataFrame:
    """Rows like those of `data.synthetic`, of one part of a larger table."""
    shape, draw = np.random.default_rng(20_261_115), np.random.default_rng(number)
    columns: dict[str, Any] = {}
    for name, n in zip(data.SYNTHETIC, data.CARDINALITIES, strict=True):
        columns[name] = draw.choice(n, size=rows, p=shape.dirichlet(np.full(n, 0.7)))
    columns["s"] = draw.integers(0, 20, rows)
    return pl.DataFrame({name: values.astype("int16") for name, values in columns.items()})


def write_parts(folder: str, rows: int) -> None:
    """The parts of a table, as parquet files."""
    for number, start in enumerate(range(0, rows, PART)):
        part = part_of(min(PART, rows - start), number)
        part.write_parquet(Path(folder) / f"part-{number:05}.parquet")


def bytes_in(folder: Path, pattern: str) -> int:
    """The bytes of all files of a pattern, and of those in folders of it."""
    found = [file for path in folder.glob(pattern) for file in (path, *path.rglob("*"))]
    return sum(file.stat().st_size for file in found if file.is_file())


def _plan(**more: Any) -> dict[str, Any]:
    return {
        "attributes": data.synthetic_attributes(),
        "privacy": [{"k-anonymity": {"k": 10}}],
        "method": "mondrian",
        "seed": 1,
        **more,
    }


def larger(rows: int, shard: int, workers: int) -> Row:
    """A run in shards from a glob of parts, made by another process: seconds and peak memory.

    The peak is that of this process and its workers together.
    """
    from shoal._run import run
    from shoal._run.engine import LocalEngine

    with tempfile.TemporaryDirectory() as folder:
        code = f"from benchmarks.shards import write_parts; write_parts({folder!r}, {rows})"
        subprocess.run([sys.executable, "-c", code], check=True)
        run(_plan(), part_of(2000, 0))
        before, stages = resident(), Stages()
        output = {"folder": str(Path(folder) / "release"), "format": "parquet"}
        start = time.perf_counter()
        with Footprint() as footprint:
            release = run(
                _plan(shards={"rows": shard}, output=output),
                str(Path(folder) / "part-*.parquet"),
                engine=LocalEngine(workers),
                progress=stages,
            )
        seconds = time.perf_counter() - start
        read, written = (bytes_in(Path(folder), name) for name in ("part-*", "release/*"))
    return {
        "rows": rows, "shard rows": shard, "workers": workers, "whole s": seconds,
        "microseconds a row": seconds / rows * 1e6,
        "peak GB": footprint.bytes / 1e9, "above the start GB": (footprint.bytes - before) / 1e9,
        "read bytes": read, "written bytes": written,
        **{f"{stage} s": value for stage, value in stages.seconds.items()},
        "glm": release.measures["glm"],
    }  # fmt: skip


def loss(rows: int, shard: int) -> Row:
    """The loss of shards beside that of one shard."""
    from shoal._run import run

    frame = data.synthetic(rows)
    one = run(_plan(), frame).measures["glm"]
    several = run(_plan(shards={"rows": shard}), frame).measures["glm"]
    return {"rows": rows, "shard rows": shard, "one shard glm": one, "shards glm": several,
            "shards / one": several / one}  # fmt: skip


def one_shard(rows: int, form: str) -> Row:
    """A whole run of one shard that writes, as multiples of its method."""
    from shoal._run import run

    frame = data.loaded(rows)
    run(_plan(), frame.head(2000))
    stages = Stages()
    with tempfile.TemporaryDirectory() as folder:
        output = {"folder": str(Path(folder) / "release"), "format": form}
        start = time.perf_counter()
        run(_plan(output=output), frame, progress=stages)
        seconds = time.perf_counter() - start
    s = stages.seconds
    making = s["mondrian"] + s["writing"] - s["verifying files"]
    checking = s["verifying"] + s["verifying files"]
    return {
        "rows": rows, "format": form, "whole s": seconds,
        **{f"{stage} s": value for stage, value in s.items()},
        "whole / method": seconds / s["mondrian"],
        "recoding / method": s["recoding"] / s["mondrian"],
        "verification / (method + writing)": checking / making,
    }  # fmt: skip
