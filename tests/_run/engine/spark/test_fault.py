"""Errors of a cluster in words of shoal, without anything of the data."""

from __future__ import annotations

import pytest

from shoal._run.engine.spark.fault import Fault, fault_of, telling
from shoal.errors import EngineError, InfeasibleError, Problem


def travelled(error: Exception) -> BaseException:
    """An error as it arrives, within all that Spark says around it."""
    with pytest.raises(Fault) as caught, telling():
        raise error
    return fault_of(f'Traceback:\n  File "x.py"\nFault: {caught.value}\n\tat java.lang.Thread')


def test_an_error_of_shoal_travels_whole() -> None:
    given = InfeasibleError([Problem("Too few.", "privacy[0]", "Ask {less}: end", 3), Problem("b")])
    found = travelled(given)
    assert isinstance(found, InfeasibleError)
    assert found.problems == given.problems


def test_any_other_error_leaves_its_text_behind() -> None:
    found = travelled(KeyError("Ada Lovelace"))
    assert str(found) == "KeyError in shoal on a worker."


def test_memory_is_named() -> None:
    assert "A worker ran out of memory" in str(travelled(MemoryError()))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("ModuleNotFoundError: No module named 'shoal'", "shoal is not installed on a worker"),
        ("ModuleNotFoundError: No module named 'polars'", "lacks a library"),
        ("[PYTHON_VERSION_MISMATCH] Ada", "another version of Python"),
        ("[PATH_NOT_FOUND] Path does not exist: file:/Ada", "does not exist where Spark looks"),
        ("java.lang.OutOfMemoryError: Java heap space", "ran out of memory"),
        ("ExecutorLostFailure (executor 3 exited)", "lost again and again"),
        ("org.apache.spark.SparkException: Ada", "failed on the cluster (SparkException)"),
        ("Ada", "The job failed on the cluster."),
    ],
)
def test_what_spark_says_is_put_into_plain_words(said: str, words: str) -> None:
    found = fault_of(said)
    assert isinstance(found, EngineError)
    assert words in str(found)
    assert "Ada" not in str(found)
