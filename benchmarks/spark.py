"""Spark on two threads beside the local engine, and beside polarfrost's Mondrian on Spark."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import Footprint, Stages
from benchmarks.data import CARDINALITIES, SYNTHETIC, synthetic_attributes
from benchmarks.environment import Unavailable, python_of
from benchmarks.shards import bytes_in

Row = dict[str, Any]

SHARD = 1_000_000
PART = 500_000
CORES = 2
# Rows of the runs that compile and start workers before the clock does.
WARM = 100_000
# How long, in seconds, the other tool may take.
LONGEST = 90
# The share of people who keep a quasi-identifier secret, where the method has buckets.
HIDDEN = 0.2
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
# polarfrost takes all rows into one pandas function. It hands Spark that function with a decorator
# that `applyInPandas` refuses; where it does, the function is tried without it.
_PEER = """
import json, sys, time
import polarfrost.mondrian
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType
from polarfrost import mondrian_k_anonymity
session = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g").config(
    "spark.driver.host", "127.0.0.1").getOrCreate()
frame = session.read.parquet(sys.argv[1])
quasi, secret = sys.argv[2].split(","), sys.argv[3]
schema = StructType([StructField(c, StringType()) for c in (*quasi, secret, "count")])
def run():
    start = time.perf_counter()
    found = mondrian_k_anonymity(frame, quasi, secret, 10, [], schema)
    found.write.mode("overwrite").parquet(sys.argv[4])
    return time.perf_counter() - start
try:
    seconds, mended = run(), False
except ValueError:
    polarfrost.mondrian.pandas_udf = lambda **_: lambda function: function
    seconds, mended = run(), True
print(json.dumps([seconds, mended]))
"""


def growth(n: int, method: Any) -> Row:
    """Seconds of a whole run of n rows on this machine and on Spark with as many cores.

    `per core` is the throughput of Spark by that of the local engine. Either has run before, on
    fewer rows, so that kernels are compiled, and the session and its Python workers are there.
    Bytes are those read, written, and sent from task to task, stage by stage.
    """
    import shoal
    from shoal._run.engine.spark.session import spark_session

    with tempfile.TemporaryDirectory() as place:
        folder, small = Path(place) / "table", Path(place) / "small"
        write_table(n, folder)
        write_table(min(n, WARM), small)
        plan, warm = plan_of(folder, method), plan_of(small, method)
        pool = {"engine": {"local": {"workers": CORES}}}
        shoal.run({**warm, **pool}, output=small / "local")
        start = time.perf_counter()
        local = shoal.run({**plan, **pool}, output=folder / "local")
        on_machine = time.perf_counter() - start
        start = time.perf_counter()
        with spark_session(f"local[{CORES}]", SMALL) as session:
            started = time.perf_counter() - start
            shoal.run(warm, engine="spark", output=small / "spark")
            stages = Traffic(session)
            with Footprint() as footprint:
                start = time.perf_counter()
                shoal.run(plan, engine="spark", output=folder / "spark", progress=stages)
                on_spark = time.perf_counter() - start
        return {
            "rows": n,
            "method": str(method),
            "local s": on_machine,
            "spark s": on_spark,
            "per core": on_machine / on_spark,
            "rows a second and core": n / on_spark / CORES,
            "peak GB": footprint.bytes / 1e9,
            "session s": started,
            "same": same_tables(folder / "local", folder / "spark"),
            "glm": local.measures["glm"],
            "read bytes": bytes_in(folder, "*.parquet"),
            "written bytes": bytes_in(folder, "spark/*"),
            **{f"{name} s": seconds for name, seconds in stages.seconds.items()},
            **{f"{name} sent bytes": sent for name, sent in stages.sent.items()},
        }


class Traffic(Stages):
    """The time of each stage, and the bytes that its tasks sent to others through the shuffle."""

    def __init__(self, session: Any) -> None:
        super().__init__()
        self.sent: dict[str, int] = {}
        self._status = session.sparkContext._jsc.sc().statusStore()

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        before = self._total()
        with super().__call__(name):
            yield
        self.sent[name] = self._total() - before

    def _total(self) -> int:
        executors = self._status.executorList(False)
        return sum(executors.apply(i).totalShuffleWrite() for i in range(executors.size()))


def same_tables(one: Path, other: Path) -> bool:
    """Whether two releases have the same rows in the same order; no table is held."""
    from shoal.reading.table import parquet_parts

    names = sorted(path.name for path in one.glob("*.parquet"))
    if names != sorted(path.name for path in other.glob("*.parquet")):
        return False
    return all(
        digest(parquet_parts(one / name)) == digest(parquet_parts(other / name)) for name in names
    )


def digest(parts: Any) -> str:
    """A digest of the rows of a table in their order, however it is cut into parts."""
    from shoal.reading.digest import hash_rows

    total = hashlib.sha256()
    for part in parts:
        total.update(hash_rows(part.frame, part.frame.height).tobytes())
    return total.hexdigest()


def peer(n: int) -> Row:
    """Mondrian of n rows with two numeric quasi-identifiers, as far as polarfrost goes.

    It runs in an environment of its own, with the Spark that it was made for.
    """
    import shoal
    from shoal._run.engine.spark.session import spark_session

    with tempfile.TemporaryDirectory() as place:
        folder, small = Path(place) / "table", Path(place) / "small"
        write_table(n, folder)
        write_table(min(n, WARM), small)
        plans = []
        for where in (small, folder):
            plan = plan_of(where, "mondrian")
            taken = ("q0", "q2", "s")
            plan["attributes"] = {
                name: own if name in taken else "drop" for name, own in plan["attributes"].items()
            }
            plans.append(plan)
        with spark_session(f"local[{CORES}]", SMALL):
            shoal.run(plans[0], engine="spark", output=small / "spark")
            start = time.perf_counter()
            shoal.run(plans[1], engine="spark", output=folder / "spark")
            own = time.perf_counter() - start
        theirs = _polarfrost(folder)
    row = {"rows": n, "method": "mondrian, 2 quasi-identifiers", "shoal s": own, **theirs}
    seconds = theirs["polarfrost s"]
    return {**row, "polarfrost / shoal": seconds / own} if isinstance(seconds, float) else row


def _polarfrost(folder: Path) -> Row:
    """The seconds of its own call, the session being there before; or why there are none."""
    try:
        python = str(python_of("polarfrost"))
    except Unavailable as error:
        return {"polarfrost s": str(error)}
    words = [python, "-c", _PEER, f"{folder}/*.parquet", "q0,q2", "s", f"{folder}/peer"]
    environment = {**os.environ, "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}
    # The folder of another Spark and its packages would be taken before its own.
    for name in ("SPARK_HOME", "PYTHONPATH"):
        environment.pop(name, None)
    try:
        done = subprocess.run(
            words, capture_output=True, text=True, check=True, timeout=LONGEST, env=environment
        )
    except subprocess.TimeoutExpired:
        return {"polarfrost s": f"over {LONGEST}"}
    except subprocess.CalledProcessError as error:
        said = (error.stderr.strip().splitlines() or ["no words"])[-1]
        return {"polarfrost s": f"fails: {said[:100]}"}
    seconds, mended = json.loads(done.stdout.splitlines()[-1])
    return {"polarfrost s": seconds, "polarfrost as published": "fails" if mended else "runs"}


def write_table(n: int, folder: Path) -> None:
    """n rows in parts."""
    folder.mkdir(exist_ok=True)
    shape = np.random.default_rng(20_261_115)
    shares = [shape.dirichlet(np.full(size, 0.7)) for size in CARDINALITIES]
    for number, start in enumerate(range(0, n, PART)):
        draw, rows = np.random.default_rng(number), min(PART, n - start)
        columns = {
            name: draw.choice(len(p), rows, p=p).astype("int16")
            for name, p in zip(SYNTHETIC, shares, strict=True)
        }
        secret = draw.integers(0, 20, rows).astype("int16")
        hidden = draw.random(rows) < HIDDEN
        table = pl.DataFrame({**columns, "s": secret, "hide": hidden})
        table.write_parquet(folder / f"{number:04}.parquet")


def plan_of(folder: Path, method: Any) -> dict[str, Any]:
    """The plan of the benchmarks: eight quasi-identifiers, k = 10.

    With buckets, everybody keeps `s` secret, and some keep q3.
    """
    attributes, privacy = synthetic_attributes(), [{"k-anonymity": {"k": 10}}]
    if str(method).startswith("lgb"):
        kind = attributes["q3"]["kind"]
        attributes["q3"] = {"role": "semi-sensitive", "kind": kind, "flag": "hide"}
        privacy += [{"l-diversity": {"l": 4, "attribute": "s"}}]
        privacy += [{"l-diversity": {"l": 2, "attribute": "q3"}}]
    return {
        "source": f"{folder}/*.parquet",
        "attributes": {**attributes, "hide": "flag" if len(privacy) > 1 else "drop"},
        "privacy": privacy,
        "method": method,
        "seed": 1,
        "shards": {"rows": SHARD},
        "output": {"folder": str(folder / "release"), "format": "parquet"},
    }
