"""A session works, or says in plain words why not."""

from __future__ import annotations

import socket
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from shoal._run.engine.spark import session as sessions
from shoal._run.engine.spark.session import spark_session
from shoal.errors import EngineError, PlanError


def open_and_close(master: str | None = None, **conf: Any) -> None:
    with spark_session(master, conf):
        pass


def test_without_pyspark_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(PlanError, match=r"needs pyspark.*pip install 'shoal\[spark\]'"):
        open_and_close()


def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    class None_:
        @staticmethod
        def getActiveSession() -> None:
            return None

    monkeypatch.setattr(sessions, "_sessions", lambda: None_)


def test_without_java_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    no_session(monkeypatch)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(EngineError, match=r"there is none here.*openjdk-17-jre-headless") as caught:
        open_and_close()
    assert caught.value.exit_code == 3


def test_java_must_be_where_java_home_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    no_session(monkeypatch)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=r"JAVA_HOME names no Java"):
        open_and_close()


def test_an_old_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    no_session(monkeypatch)
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(EngineError, match=r"Java 17 or later, but finds Java 8"):
        open_and_close()


@pytest.fixture
def java(monkeypatch: pytest.MonkeyPatch) -> None:
    no_session(monkeypatch)
    monkeypatch.setattr(sessions, "_check_java", lambda: None)


@pytest.mark.usefixtures("java")
def test_a_master_that_does_not_answer_is_told_at_once() -> None:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        with pytest.raises(EngineError, match=r"The master of the cluster does not answer"):
            open_and_close(f"spark://127.0.0.1:{port}")


@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("master", ["spark://", "spark://host", "spark://host:port"])
def test_the_address_of_a_master_has_a_port(master: str) -> None:
    with pytest.raises(PlanError, match=r"spark://HOST:PORT"):
        open_and_close(master)


@pytest.mark.system("java")
def test_the_session_that_is_there_is_taken_and_left(spark: Any) -> None:
    with spark_session("spark://nowhere:1", {}) as session:
        assert session is spark
    assert spark.range(3).count() == 3


@pytest.mark.system("java")
def test_a_cluster_without_free_cores_is_not_waited_for_forever(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forever() -> Any:
        def ask(batches: Any) -> Any:
            import time

            time.sleep(60)
            yield from batches

        return ask

    monkeypatch.setattr(sessions, "_version", forever)
    with (
        pytest.raises(EngineError, match=r"No executor began to work within 2 seconds"),
        spark_session(None, {"spark.shoal.wait": "2s"}),
    ):
        pass


@pytest.mark.system("java")
@pytest.mark.parametrize(
    ("version", "words"),
    [("none", "shoal is not installed on a worker.*pack"), ("0.0.1", "another version of shoal")],
)
def test_a_worker_without_this_shoal_is_told(
    spark: Any, monkeypatch: pytest.MonkeyPatch, version: str, words: str
) -> None:
    def other() -> Any:
        def ask(batches: Any) -> Any:
            import pyarrow

            for _ in batches:
                yield pyarrow.RecordBatch.from_pydict({"version": [version]})

        return ask

    monkeypatch.setattr(sessions, "_version", other)
    with pytest.raises(EngineError, match=words), spark_session(None, {}):
        pass
