"""A real cluster: the same release as on one machine, whatever happens to its workers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.plan import Plan
from shoal.reading.table import read_table
from tests._run.engine.spark.cluster import Cluster, started
from tests._run.engine.spark.conftest import need_pyspark

pytestmark = pytest.mark.system("java")

ROOT = Path(__file__).parents[4]
N = 60_000
# All that the driver may be sent by one job; the table takes ten times as much.
MOST_COLLECTED = "2m"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    need_pyspark()
    with started(tmp_path_factory.mktemp("cluster")) as found:
        yield found


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table in parts and the release that one machine makes of it."""
    folder = tmp_path_factory.mktemp("place")
    draw = np.random.default_rng(4)
    table = pl.DataFrame(
        {
            "name": [f"{i} is " + "a long name " * 35 for i in range(N)],
            "age": draw.integers(18, 90, N),
            "town": draw.integers(0, 100, N).astype(str),
            "pay": draw.integers(0, 5000, N) * 10,
            "ill": draw.choice(["flu", "cold", "gout", "none"], N),
        }
    )
    for number, part in enumerate(table.iter_slices(N // 4)):
        part.write_parquet(folder / f"part-{number}.parquet")
    shoal.run(plan_for(folder), output=folder / "local")
    return folder


def plan_for(folder: Path, **changes: Any) -> dict[str, Any]:
    return {
        "source": str(folder / "part-*.parquet"),
        "attributes": {
            "name": "identifier",
            "age": "quasi",
            "town": {"role": "quasi", "kind": "categorical"},
            "pay": "quasi",
            "ill": "sensitive",
        },
        "privacy": [{"k-anonymity": {"k": 5}}, {"l-diversity": {"l": 2}}],
        "method": "mondrian",
        "seed": 7,
        "shards": {"rows": 15_000},
        "output": {"folder": str(folder / "release"), "format": "parquet"},
        **changes,
    }


def on_cluster(cluster: Cluster, place: Path, name: str, **conf: str) -> Path:
    """The file of the plan that runs on the cluster, and writes into the folder of this name."""
    own = {
        "spark.driver.memory": "512m",
        "spark.executor.memory": "512m",
        "spark.executor.memoryOverhead": "100m",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.maxResultSize": MOST_COLLECTED,
        "spark.executorEnv.PYTHONPATH": f"{ROOT / 'src'}:{ROOT}",
        **conf,
    }
    plan = plan_for(
        place,
        engine={"spark": {"master": cluster.master, "conf": own}},
        output={"folder": str(place / name), "format": "parquet"},
    )
    file = place / f"{name}.yaml"
    file.write_text(Plan.parse(plan).to_yaml())
    return file


def start(plan: Path, *, module: str = "tests._run.engine.spark.job") -> subprocess.Popen[str]:
    words = [plan] if module.startswith("tests") else ["run", plan, "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-m", module, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def follow_until(job: subprocess.Popen[str], stage: str) -> None:
    assert job.stdout is not None
    for line in job.stdout:
        if line.strip() == stage:
            return
    raise AssertionError(f"the job ended before '{stage}': {job.communicate()[1][-2000:]}")


def stated(folder: Path) -> dict[str, Any]:
    """The manifest without what differs from run to run, and from one file to several."""
    found: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return {key: value for key, value in found.items() if key not in ("time", "plan", "files")}


def assert_same(place: Path, name: str) -> None:
    local, spark = place / "local", place / name
    assert read_table(spark / "data.parquet").equals(read_table(local / "data.parquet"))
    assert stated(spark) == stated(local)
    assert shoal.audit(spark).holds


def test_a_worker_that_is_killed_changes_nothing(cluster: Cluster, place: Path) -> None:
    """Nor are rows sent to the driver: it takes no more than a tenth of the table."""
    assert pl.read_parquet(place / "part-*.parquet").estimated_size() > 10 * 2**21
    job = start(on_cluster(cluster, place, "killed"))
    follow_until(job, "mondrian")
    cluster.kill_worker()
    _, said = job.communicate()
    assert job.returncode == 0, said[-2000:]
    assert_same(place, "killed")


def test_a_job_that_is_interrupted_leaves_no_release(cluster: Cluster, place: Path) -> None:
    job = start(on_cluster(cluster, place, "stopped"))
    follow_until(job, "mondrian")
    job.send_signal(signal.SIGINT)
    job.communicate()
    assert job.returncode != 0
    assert not (place / "stopped").exists()
    assert not [path for path in place.iterdir() if "stopped" in path.name and path.is_dir()]


def test_a_worker_without_shoal_is_told_with_how_to_pack_it(
    cluster: Cluster, place: Path, tmp_path: Path
) -> None:
    (tmp_path / "shoal").mkdir()
    (tmp_path / "shoal" / "__init__.py").write_text("raise ImportError('not here')")
    conf = {"spark.executorEnv.PYTHONPATH": str(tmp_path)}
    job = start(on_cluster(cluster, place, "without", **conf), module="shoal")
    _, said = job.communicate()
    assert job.returncode == 3, said[-2000:]
    assert "shoal is not installed on a worker" in " ".join(said.split())
    assert "pack" in said
    assert not (place / "without").exists()
