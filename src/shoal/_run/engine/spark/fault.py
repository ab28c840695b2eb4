"""What went wrong on a cluster, in words that may be shown.

What Spark says itself is never passed on: it quotes the lines of Python that failed, and with them
perhaps a cell. Errors that shoal raises on a worker travel as a text of their own.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from shoal import errors
from shoal.errors import EngineError, Problem, ShoalError, place_of
from shoal.recode import allow_threads

_SIGN = "shoal-fault:"
_FAULT = re.compile(re.escape(_SIGN) + r"(\{.*?\})" + re.escape(":end"))
PACK = (
    "Install the same version of shoal on every worker, or ship the environment with the job: "
    "docs/spark.md shows how to pack it."
)


class Fault(Exception):
    """An error on a worker, without the text of any that shoal did not raise itself."""


@contextmanager
def telling() -> Iterator[None]:
    """Work on a worker, whose errors say nothing of the data, and with the threads of its task."""
    _keep_to_own_cores()
    try:
        yield
        return
    except ShoalError as error:
        found = {"name": type(error).__name__, "problems": [asdict(p) for p in error.problems]}
    except MemoryError:
        found = {"name": "MemoryError", "problems": []}
    except Exception as error:
        text = f"{type(error).__name__} in {place_of(error, __name__)} on a worker."
        found = {"name": "EngineError", "problems": [asdict(Problem(text))]}
    raise Fault(f"{_SIGN}{json.dumps(found)}:end") from None


def _keep_to_own_cores() -> None:
    # Whatever runs as a task of Spark has imported it.
    spark = sys.modules.get("pyspark")
    task = None if spark is None else spark.TaskContext.get()
    if task is not None:
        allow_threads(task.cpus())


@contextmanager
def refusing() -> Iterator[None]:
    """Errors of Spark in plain words."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        raise fault_of(str(error)) from None


def fault_of(said: str) -> BaseException:
    """The error that a text of Spark stands for.

    >>> raise fault_of("java.io.IOException: No space left on device (a secret)")
    Traceback (most recent call last):
        ...
    shoal.errors.EngineError: A disk of the cluster is full. Free some space, or set\
 'spark.local.dir' to a larger one.
    """
    if found := _FAULT.search(said):
        return _raised(json.loads(found[1]))
    for sign, text, hint in _SIGNS:
        if re.search(sign, said):
            return EngineError(text, hint)
    kind = re.search(r"\b([A-Z]\w+(?:Exception|Error))\b", said)
    text = f"The job failed on the cluster{f' ({kind[1]})' if kind else ''}."
    return EngineError(text, "The logs of Spark say more. Nothing was written.")


def _raised(found: dict[str, Any]) -> BaseException:
    """The error that a worker raised."""
    if found["name"] == "MemoryError":
        return EngineError("A worker ran out of memory.", _MEMORY)
    kind: type[ShoalError] = getattr(errors, found["name"], EngineError)
    return kind([Problem(**problem) for problem in found["problems"]])


_MEMORY = "Use smaller shards, as in 'shards: {rows: 200000}', or give executors more memory."
_SIGNS = (
    (r"No module named 'shoal|No module named .shoal", "shoal is not installed on a worker.", PACK),
    (r"No module named|PACKAGE_NOT_INSTALLED", "A worker lacks a library that shoal needs.", PACK),
    (
        r"PYTHON_VERSION_MISMATCH",
        "The workers run another version of Python than this process.",
        "Set 'spark.pyspark.python' in 'conf' to a Python of the same version.",
    ),
    (
        r"PATH_NOT_FOUND|Path does not exist",
        "The source does not exist where Spark looks for it.",
        "Every worker must be able to read it: use a shared file system or an object store.",
    ),
    (
        r"No space left on device",
        "A disk of the cluster is full.",
        "Free some space, or set 'spark.local.dir' to a larger one.",
    ),
    (r"OutOfMemoryError|java heap space", "A process of Spark ran out of memory.", _MEMORY),
    (r"ExecutorLostFailure|Python worker exited", "Workers were lost again and again.", _MEMORY),
    (
        r"cancelled|SparkContext was shut down|Connection refused",
        "The cluster ended the job.",
        "Nothing was written. Run the plan again once the cluster is up.",
    ),
)
