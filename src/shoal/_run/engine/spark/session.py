"""The Spark session of a run: one that is there already, or one of its own that ends with it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from shoal._run.engine.spark.fault import PACK, fault_of, refusing
from shoal.errors import EngineError, PlanError
from shoal.version import __version__

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_JAVA = "Install Java 17 or later: apt-get install openjdk-17-jre-headless (Debian)."
_LEAST_JAVA = 17
_PYTHON = "spark.pyspark.python"
# How long, in seconds, a run waits for its first executor; and for a master to answer at all.
_WAIT = "spark.shoal.wait"
_WAITS = 300.0
_ANSWERS = 10.0
_OWN = {
    "spark.app.name": "shoal",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # What shoal hands from task to task are rows of megabytes, of which 100,000 would be too many.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(16 << 20),
}


@contextmanager
def spark_session(
    master: str | None, conf: Mapping[str, Any], data: Any = None
) -> Iterator[SparkSession]:
    """A session that works: with an executor that answers and has this version of shoal.

    The session of `data`, else the active one of the process is taken, and left as it was; else a
    new one, which is stopped at the end.
    """
    sessions = _sessions()
    running = getattr(data, "sparkSession", None) or sessions.getActiveSession()
    if running is not None:
        _probe(running, conf)
        yield running
        return
    # With Spark Connect Java and master are on the other side.
    if not os.environ.get("SPARK_REMOTE"):
        _check_java()
        _check_master(master)
    with _python(conf):
        session = _start(sessions, master, conf)
    try:
        _probe(session, conf)
        yield session
    finally:
        with suppress(Exception):
            session.stop()


def _sessions() -> Any:
    try:
        import pyarrow  # noqa: F401
        from pyspark.sql import SparkSession
    except ImportError:
        raise PlanError(
            "The engine 'spark' needs pyspark, which is not installed.",
            "Install it: pip install 'shoal[spark]'.",
        ) from None
    return SparkSession


def _check_java() -> None:
    """Raise where there is no Java that Spark can use."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java") if not home else shutil.which(os.path.join(home, "bin", "java"))  # noqa: PTH118
    if java is None:
        where = "JAVA_HOME names no Java" if home else "there is none here"
        raise EngineError(f"Spark needs Java, but {where}.", _JAVA)
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    if version is not None and int(version[1]) < _LEAST_JAVA:
        raise EngineError(
            f"Spark needs Java {_LEAST_JAVA} or later, but finds Java {version[1]}.", _JAVA
        )


def _check_master(master: str | None) -> None:
    """Raise where nobody answers at the address of a standalone master: Spark waits a minute."""
    if master is None or not master.startswith("spark://"):
        return
    places = [place.rpartition(":") for place in master.removeprefix("spark://").split(",")]
    for host, _, port in places:
        if not host or not port.isdigit():
            raise PlanError(
                "The address of a standalone master must be of the form spark://HOST:PORT.",
                "The port is 7077 unless the cluster says otherwise.",
            )
        with suppress(OSError):
            socket.create_connection((host, int(port)), _ANSWERS).close()
            return
    raise EngineError(
        "The master of the cluster does not answer.",
        "Is the address right, the cluster up, and its port open to this machine?",
    )


@contextmanager
def _python(conf: Mapping[str, Any]) -> Iterator[None]:
    """The Python of the workers: as configured, else this one."""
    name = "PYSPARK_PYTHON"
    before = os.environ.get(name)
    # Otherwise workers take another Python.
    os.environ[name] = str(conf.get(_PYTHON) or before or sys.executable)
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _start(sessions: Any, master: str | None, conf: Mapping[str, Any]) -> SparkSession:
    builder = sessions.builder
    if master is not None:
        builder = builder.master(master)
    for name, value in {**_OWN, **conf}.items():
        builder = builder.config(name, str(value).lower() if isinstance(value, bool) else value)
    try:
        with refusing():
            session: SparkSession = builder.getOrCreate()
    except EngineError as error:
        raise _not_started(master) from error
    except Exception as error:
        # Spark raises errors of its own kinds where Java ends while it starts.
        raise _not_started(master) from error
    return session


def _not_started(master: str | None) -> EngineError:
    return EngineError(
        "Spark did not start.",
        "Are its options right, and does its master answer? The lines of Spark above say more."
        if master is not None
        else "Are its options right? The lines of Spark above say more.",
    )


def _probe(session: SparkSession, conf: Mapping[str, Any]) -> None:
    """Run the least job that shows whether executors come and have this version of shoal."""
    tag, seconds = "shoal-probe", float(str(conf.get(_WAIT, _WAITS)).removesuffix("s"))
    found: list[str] = []
    failed: list[BaseException] = []

    def ask() -> None:
        try:
            session.addTag(tag)
            rows = session.range(1, numPartitions=1).mapInArrow(_version(), "version string")
            found.append(str(rows.collect()[0][0]))
        except Exception as error:
            failed.append(fault_of(str(error)))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        session.interruptTag(tag)
        raise EngineError(
            f"No executor began to work within {seconds:g} seconds.",
            "Does the cluster have workers with enough free cores and memory for 'conf'? "
            f"'{_WAIT}' says how long to wait.",
        )
    if failed:
        raise failed[0]
    if not found or found[0] == "none":
        raise EngineError("shoal is not installed on a worker.", PACK)
    if found[0] != __version__:
        raise EngineError("A worker has another version of shoal than this process.", PACK)


def _version() -> Any:
    """A function that does not need shoal where it runs: nested, so that it is sent whole."""

    def ask(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        try:
            from shoal.version import __version__ as version
        except ImportError:
            version = "none"
        for batch in batches:
            yield pyarrow.RecordBatch.from_pydict({"version": [version] * batch.num_rows})

    return ask
