"""Spark on two threads beside the local engine, and beside polarfrost's Mondrian on Spark."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.clock import Stages
from benchmarks.data import CARDINALITIES, SYNTHETIC, synthetic_attributes

Row = dict[str, Any]

SHARD = 1_000_000
PART = 500_000
CORES = 2
# The share of people who keep a quasi-identifier secret, where the method has buckets.
HIDDEN = 0.2
SMALL = {
    "spark.driver.memory": "1g",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
# What polarfrost takes all rows into one pandas function for.
_PEER = """
import sys, time
from pyspark.sql import SparkSession
from pyspark.sql.types import StringType, StructField, StructType
from polarfrost import mondrian_k_anonymity
session = SparkSession.builder.master("local[2]").config("spark.driver.memory", "1g").config(
    "spark.driver.host", "127.0.0.1").getOrCreate()
frame = session.read.parquet(sys.argv[1])
quasi, secret = sys.argv[2].split(","), sys.argv[3]
schema = StructType([StructField(c, StringType()) for c in (*quasi, secret, "count")])
start = time.perf_counter()
found = mondrian_k_anonymity(frame, quasi, secret, 10, [], schema)
found.write.mode("overwrite").parquet(sys.argv[4])
print(time.perf_counter() - start)
"""


def growth(n: int, method: Any) -> Row:
    """Seconds of a whole run of n rows on this machine and on Spark with as many cores.

    `per core` is the throughput of Spark by that of the local engine; the session starts before.
    """
    import shoal
    from shoal._run.engine.spark.session import spark_session

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_table(n, folder)
        plan = plan_of(folder, method)
        shoal.run(plan, output=folder / "warm")
        start = time.perf_counter()
        pool = {"engine": {"local": {"workers": CORES}}}
        local = shoal.run({**plan, **pool}, output=folder / "local")
        on_machine = time.perf_counter() - start
        stages = Stages()
        start = time.perf_counter()
        with spark_session(f"local[{CORES}]", SMALL):
            started = time.perf_counter() - start
            shoal.run(plan, engine="spark", output=folder / "first")
            start = time.perf_counter()
            shoal.run(plan, engine="spark", output=folder / "spark", progress=stages)
            on_spark = time.perf_counter() - start
        names = [f"{name} s" for name in stages.seconds]
        return {
            "rows": n,
            "method": str(method),
            "local s": on_machine,
            "spark s": on_spark,
            "per core": on_machine / on_spark,
            "session s": started,
            "same": same_tables(folder / "local", folder / "spark"),
            "glm": local.measures["glm"],
            **dict(zip(names, stages.seconds.values(), strict=True)),
        }


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

    `SHOAL_POLARFROST` is the Python of an environment with polarfrost and pyspark.
    """
    import shoal
    from shoal._run.engine.spark.session import spark_session

    python = os.environ.get("SHOAL_POLARFROST", sys.executable)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_table(n, folder)
        plan = plan_of(folder, "mondrian")
        taken = ("q0", "q2", "s")
        plan["attributes"] = {
            name: own if name in taken else "drop" for name, own in plan["attributes"].items()
        }
        with spark_session(f"local[{CORES}]", SMALL):
            shoal.run(plan, engine="spark", output=folder / "first")
            start = time.perf_counter()
            shoal.run(plan, engine="spark", output=folder / "spark")
            own = time.perf_counter() - start
        words = [python, "-c", _PEER, f"{folder}/*.parquet", "q0,q2", "s", f"{folder}/peer"]
        try:
            found = subprocess.run(words, capture_output=True, text=True, check=True, timeout=900)
            theirs: Any = float(found.stdout.split()[-1])
        except subprocess.TimeoutExpired:
            theirs = "over 900"
        except (subprocess.CalledProcessError, IndexError, ValueError):
            theirs = "fails"
    return {"rows": n, "shoal s": own, "polarfrost s": theirs}


def write_table(n: int, folder: Path) -> None:
    """n rows in parts."""
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
