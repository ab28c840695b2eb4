"""A standalone Spark cluster on loopback: a master and two workers, from pyspark's distribution."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

_DEPLOY = "org.apache.spark.deploy"
_HOST = "127.0.0.1"
_PATIENCE = 180
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


@dataclass
class Cluster:
    """Where the master answers, its page, and the processes of the workers."""

    port: int
    page: int
    workers: list[subprocess.Popen[bytes]]

    @property
    def master(self) -> str:
        return f"spark://{_HOST}:{self.port}"

    def state(self) -> dict[str, object]:
        with urlopen(f"http://{_HOST}:{self.page}/json/", timeout=10) as answer:
            found: dict[str, object] = json.load(answer)
        return found

    def wait_for(self, n_workers: int) -> None:
        for _ in range(_PATIENCE * 2):
            try:
                if self.state()["aliveworkers"] == n_workers:
                    return
            except OSError:
                pass
            time.sleep(0.5)
        raise TimeoutError(f"the cluster has not {n_workers} workers after {_PATIENCE} s")

    def kill_worker(self) -> None:
        """Kill one worker at once; its executor notices, and ends too."""
        self.workers.pop().kill()


@contextmanager
def started(folder: Path, n_workers: int = 2) -> Iterator[Cluster]:
    """A new cluster that ends with this block, and with this process however that ends."""
    import pyspark

    home = Path(pyspark.__file__).parent
    port, page = _free_port(), _free_port()
    variables = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": _HOST,
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
    }
    running: list[subprocess.Popen[bytes]] = []

    def start(what: str, *options: str) -> subprocess.Popen[bytes]:
        with (folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(
                [home / "bin" / "spark-class", f"{_DEPLOY}.{what}", "--host", _HOST, *options],
                env=variables,
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=_end_with_parent,
            )
        running.append(process)
        return process

    try:
        start("master.Master", "--port", str(port), "--webui-port", str(page))
        share = ("--cores", "1", "--memory", "700m", "--webui-port", "0")
        at = f"spark://{_HOST}:{port}"
        cluster = Cluster(port, page, [])
        cluster.wait_for(0)
        cluster.workers += [start("worker.Worker", *share, at) for _ in range(n_workers)]
        cluster.wait_for(n_workers)
        yield cluster
    finally:
        for process in reversed(running):
            process.terminate()
        for process in running:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
