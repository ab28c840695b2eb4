"""The studio on a large table: how long its pages take, at rest and while a run is under way."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import numpy as np
import polars as pl

_TIMES = 9
_PLAN = """\
source: people.csv
attributes:
  name: identifier
  age: {role: quasi, kind: numeric, hierarchy: {width: 5, levels: 3}}
  postcode: {role: quasi, kind: categorical, hierarchy: {mask: 5}}
  sex: {role: quasi, kind: categorical}
  job: {role: quasi, kind: categorical}
  income: {role: sensitive, kind: numeric}
  illness: {role: sensitive, kind: categorical}
  care: sensitivity
privacy:
  - k-anonymity: {k: 10}
method: hilbert
"""


def people(n: int) -> pl.DataFrame:
    """People of nowhere."""
    draw = np.random.default_rng(3)
    return pl.DataFrame(
        {
            "name": [f"P{i}" for i in range(n)],
            "age": draw.integers(0, 100, n),
            "postcode": [f"{code:05d}" for code in draw.integers(10_000, 14_000, n).tolist()],
            "sex": draw.choice(["f", "m"], n),
            "job": draw.choice([f"job {i}" for i in range(40)], n),
            "income": draw.integers(800, 9_000, n),
            "illness": draw.choice([f"illness {i}" for i in range(30)], n),
            "care": draw.random(n).round(3),
        }
    )


def pages(n: int) -> dict[str, Any]:
    """The median and the slowest of several answers of every page, in milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        people(n).write_csv(Path(folder) / "people.csv")
        (Path(folder) / "plan.yaml").write_text(_PLAN, encoding="utf-8")
        with _studio(Path(folder)) as client:
            return {"rows": n, **dict(_measure(client))}


@contextmanager
def _studio(folder: Path) -> Iterator[httpx.Client]:
    command = [sys.executable, "-m", "shoal", "studio", str(folder), "--no-browser"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    link = next(m[0] for line in server.stdout if (m := re.search(r"http://\S+", line)))
    base = link.split("/?")[0]
    try:
        with httpx.Client(base_url=base, follow_redirects=True, timeout=600) as client:
            client.get(link)
            yield client
    finally:
        server.terminate()
        server.wait()


def _measure(client: httpx.Client) -> Iterator[tuple[str, str]]:
    yield _timed(client, "table, not yet profiled", "/files/people.csv", times=1)
    _wait(client, "/files/people.csv")
    client.post("/plans", data={"file": "plan.yaml"})
    # The first look at a column reads the table; the next ones count what was read.
    for path in ("/plans/1/hierarchies/1", "/plans/1/personal"):
        yield _timed(client, f"{path}, first time", path, times=1)
    client.post("/plans/1/run", data={"name": "first"})
    for path in ("/", "/plans/1/requirements", "/plans/1/data"):
        yield _timed(client, f"{path}, during a run", path)
    _wait(client, "/runs/2")
    for path in (
        "/", "/files/people.csv", "/plans/1/data", "/plans/1/hierarchies/1",
        "/plans/1/requirements", "/plans/1/personal", "/plans/1/text", "/runs/2",
        "/runs/2/table", "/runs/2/table?class=7", "/runs/2/query", "/compare", "/api",
    ):  # fmt: skip
        yield _timed(client, path, path)


def _timed(client: httpx.Client, name: str, path: str, times: int = _TIMES) -> tuple[str, str]:
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        client.get(path).raise_for_status()
        found.append(1000 * (time.perf_counter() - begin))
    return name, f"{statistics.median(found):.0f} ({max(found):.0f})"


def _wait(client: httpx.Client, path: str) -> None:
    while 'class="working"' in client.get(path).text:
        time.sleep(0.5)
