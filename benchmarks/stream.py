"""Streams: rows a second and memory over many rows, and what windows lose beside one run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import shoal
from benchmarks.clock import resident

Row = dict[str, Any]
DELAYS = (1_000, 10_000, 100_000)
_PIECE = 50_000
_TOWNS, _JOBS = 400, 12


def throughput(rows: int, delay: int = 10_000) -> Row:
    """Rows a second from csv to batches on disk, by the clock and by processor time.

    Memory is that of the process after every batch: the most over the first tenth of the rows, and
    over all of them.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        inbox = place / "in"
        inbox.mkdir()
        for number, piece in enumerate(_pieces(rows)):
            piece.write_csv(inbox / f"{number:06}.csv")
        # Kernels are compiled and loaded before the clock starts.
        warm = [next(_pieces(delay))]
        shoal.stream(_plan(delay), warm, private=place / "own", output=place / "out", flush=True)
        memory: list[tuple[int, int]] = []
        begin, processor = time.perf_counter(), time.process_time()
        found = shoal.stream(
            _plan(delay), inbox, private=place / "p", output=place / "o",
            report=lambda batch: memory.append((batch.acknowledged, resident())),
        )  # fmt: skip
        seconds, used = time.perf_counter() - begin, time.process_time() - processor
    early = max(held for acknowledged, held in memory if acknowledged <= max(rows // 10, delay))
    most = max(held for _, held in memory)
    return {
        "rows": rows,
        "delay": delay,
        "batches": found.batches,
        "rows a second": rows / seconds,
        "rows a processor second": rows / used,
        "memory over a tenth of the rows MiB": early / 2**20,
        "memory over all MiB": most / 2**20,
        "memory / memory": most / early,
        "longest wait": found.longest_wait,
        "suppressed": found.totals.suppressed,
    }


def loss(rows: int, delay: int) -> Row:
    """What windows lose beside one run over all rows; batches of the whole delay, and of half."""
    table = pl.concat(_pieces(rows))
    lost = []
    for batch in (delay, delay // 2):
        with tempfile.TemporaryDirectory() as folder:
            lost.append(
                shoal.stream(
                    _plan(delay, batch), [table], flush=True,
                    private=Path(folder) / "own", output=Path(folder) / "out",
                ).glm
            )  # fmt: skip
    whole = shoal.run({**_plan(delay), "method": "mondrian"}, table).measures["glm"]
    return {
        "rows": rows,
        "delay": delay,
        "glm of the stream": lost[0],
        "glm with half batches": lost[1],
        "glm of one run": whole,
        "stream / one run": lost[0] / whole,
        "half batches / one run": lost[1] / whole,
    }


def _plan(delay: int, batch: int | None = None) -> dict[str, Any]:
    return {
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric", "domain": [0, 110]},
            "sex": {"role": "quasi", "kind": "categorical", "values": ["f", "m"]},
            "town": {"role": "quasi", "kind": "categorical", "hierarchy": {"mask": 5}},
            "job": {
                "role": "quasi",
                "kind": "categorical",
                "values": [f"j{i}" for i in range(_JOBS)],
            },
            "ill": {"role": "sensitive", "kind": "categorical"},
        },
        "privacy": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 3}}],
        "seed": 1,
        "delay": {"rows": delay} if batch is None else {"rows": delay, "batch": batch},
    }


def _pieces(rows: int) -> Iterator[pl.DataFrame]:
    """People with skewed towns, jobs and illnesses, a piece at a time."""
    draw = np.random.default_rng(1)
    shares = 1 / np.arange(1, 21) ** 0.8
    for start in range(0, rows, _PIECE):
        n = min(_PIECE, rows - start)
        towns = np.minimum(draw.geometric(0.01, n), _TOWNS) * 37 + 10_000
        yield pl.DataFrame(
            {
                "age": np.clip(draw.normal(45, 20, n), 0, 110).astype(int),
                "sex": draw.choice(["f", "m"], n),
                "town": towns.astype(str),
                "job": draw.choice([f"j{i}" for i in range(_JOBS)], n),
                "ill": draw.choice([f"i{i}" for i in range(20)], n, p=shares / shares.sum()),
            }
        ).with_columns(pl.all().cast(pl.String))
