"""Kernels that two processes compile: what is there afterwards, and what happens without them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from shoal.kernels import ahead
from shoal.kernels.ahead import compile_ahead, compile_later
from shoal.kernels.jit import cache_folder, kept_folder

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),  # type: ignore[attr-defined]
    reason="the compiler is off",
)

# In a process of its own, since kernels have their cache from when they are imported.
_RUN = """
import numpy as np
from shoal.kernels import ahead
from shoal.kernels.group import find_bounds, list_members, list_sets
{before}
short, long, hashes = np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.uint64)
calls = (
    (list_sets, (long, short, short, 0, long, short, hashes)),
    (list_members, (short, 0, long, short)),
    (find_bounds, (short, short, long, long)),
)
{call}
for kernel, arguments in calls:
    kernel(*([arguments[0], arguments[1], np.zeros(1, np.int64), arguments[3]]
             if kernel is list_members else arguments if kernel is find_bounds
             else [np.zeros(1, np.int64), *arguments[1:4], np.zeros(1, np.int64), *arguments[5:]]))
print(*(sum(k.stats.cache_hits.values()) for k, _ in calls),
      *(sum(k.stats.cache_misses.values()) for k, _ in calls))
"""


def _run(cache: Path, call: str, before: str = "") -> list[int]:
    """How often each of three kernels was found in the cache, and how often it was not."""
    code = _RUN.format(call=call, before=before)
    environment = {**os.environ, "SHOAL_CACHE": str(cache)}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return [int(n) for n in found.stdout.split()]


@compiled
def test_the_second_process_compiles_what_takes_longest(tmp_path: Path) -> None:
    """Alone it compiles everything: the first process finds all of it in the cache."""
    call = "jobs = deque(ahead._missing(calls)); ahead._second().take(jobs)"
    two_cores = "ahead.cores = lambda: 2\nfrom collections import deque"
    assert _run(tmp_path, call, two_cores) == [1, 1, 1, 0, 0, 0]


@compiled
def test_together_they_compile_everything_once(tmp_path: Path) -> None:
    found = _run(tmp_path, "ahead.compile_ahead(*calls)", "ahead.cores = lambda: 2")
    assert sum(found[:3]) >= 1
    assert [hit + miss for hit, miss in zip(found[:3], found[3:], strict=True)] == [1, 1, 1]
    again = "ahead.compile_ahead(*calls); assert ahead._second.cache_info().currsize == 0"
    assert _run(tmp_path, again, "ahead.cores = lambda: 2") == [1, 1, 1, 0, 0, 0]


@compiled
@pytest.mark.parametrize(
    "before",
    [
        "ahead.cores = lambda: 1",
        "ahead.cores = lambda: 2; import sys; sys.executable = '/none/python'",
        "ahead.cores = lambda: 2; import sys; sys.executable = None",
        "ahead.cores = lambda: 2; import sys; sys.executable = '/bin/true'",
        "ahead.cores = lambda: 2; import sys; sys.frozen = True",
        "ahead.cores = lambda: 2; ahead.serve.__module__; ahead.__name__ = 'none.such'",
    ],
)
def test_without_a_second_process_kernels_are_compiled_as_ever(before: str, tmp_path: Path) -> None:
    found = _run(tmp_path, "ahead.compile_ahead(*calls)", before)
    assert [hit + miss for hit, miss in zip(found[:3], found[3:], strict=True)] == [1, 1, 1]


class _Nobody:
    """A second process that never does anything."""

    def take(self, jobs: deque[Any]) -> None:
        pass


@pytest.fixture
def _afresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    for found in (cache_folder, kept_folder):
        found.cache_clear()
    yield
    for found in (cache_folder, kept_folder):
        found.cache_clear()


def double(number):  # type: ignore[no-untyped-def]
    return 2 * number


def halve(number):  # type: ignore[no-untyped-def]
    return number / 2


@compiled
@pytest.mark.usefixtures("_afresh")
def test_what_was_said_before_is_compiled_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from shoal.kernels.jit import jit

    monkeypatch.setattr(ahead, "_second", _Nobody)
    first, second = jit(double), jit(halve)
    assert compile_later((first, (1,)))
    assert compile_later((first, (1,))) is False
    compile_ahead((second, (1.0,)))
    assert len(first.overloads) == len(second.overloads) == 1  # type: ignore[attr-defined]
    assert (first(21), second(5.0)) == (42, 2.5)
    assert compile_later((first, (1,)), (second, (1.0,))) is False


def test_with_the_compiler_off_there_is_nothing_to_do() -> None:
    compile_ahead((double, (1,)), (halve, (np.float64(1),)))
    assert compile_later((double, (1,))) is False
