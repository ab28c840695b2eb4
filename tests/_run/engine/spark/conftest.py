"""A Spark of two threads in this process, for what does not need a cluster."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from shoal._run.engine.spark.session import spark_session

# Small enough for several on one machine.
SMALL = {
    "spark.driver.memory": "512m",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": 4,
}


def need_pyspark() -> None:
    """Skip without pyspark; a failure if CI=true."""
    if find_spec("pyspark") is not None:
        return
    reason = "needs pyspark, which make test-system installs"
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    need_pyspark()
    with spark_session("local[2]", SMALL) as session:
        yield session
