"""Kernels that two processes compile: what is there afterwards, and what happens without them."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Condition

import numba
import numpy as np
import pytest

from shoal.kernels import ahead
from shoal.kernels.ahead import _Job, compile_ahead, compile_later

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),  # type: ignore[attr-defined]
    reason="the compiler is off",
)

# In a process of its own, since kernels have their cache from when they are imported.
_RUN = """
import numpy as np
from shoal.kernels import ahead
from shoal.kernels.group import find_bounds, list_members
{before}
short, long, one = np.empty(0, np.int32), np.empty(0, np.int64), np.zeros(1, np.int64)
calls = (list_members, (short, 0, one, short)), (find_bounds, (short, short, long, long))
{call}
for kernel, arguments in calls:
    kernel(*arguments)
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


_TWO = "ahead.cores = lambda: 2"


@compiled
def test_the_second_process_compiles_into_the_cache(tmp_path: Path) -> None:
    """Alone it compiles everything: the first process finds all of it there."""
    call = """
import time
assert ahead.compile_later(*calls)
second = ahead._second()
while second._waiting or second._begun:
    time.sleep(0.01)
"""
    assert _run(tmp_path, call, _TWO) == [1, 1, 0, 0]


@compiled
def test_together_they_compile_everything_once(tmp_path: Path) -> None:
    found = _run(tmp_path, "ahead.compile_ahead(*calls)", _TWO)
    assert [found[0] + found[2], found[1] + found[3]] == [1, 1]
    again = "ahead.compile_ahead(*calls); assert ahead._second.cache_info().currsize == 0"
    assert _run(tmp_path, again, _TWO) == [1, 1, 0, 0]


@compiled
@pytest.mark.parametrize(
    "before",
    [
        "ahead.cores = lambda: 1",
        f"{_TWO}; import sys; sys.executable = '/none/python'",
        f"{_TWO}; import sys; sys.frozen = True",
        f"{_TWO}; ahead.__name__ = 'none.such'",
    ],
)
def test_without_a_second_process_kernels_are_compiled_as_ever(before: str, tmp_path: Path) -> None:
    call = "ahead.compile_later(*calls); ahead.compile_ahead(*calls)"
    found = _run(tmp_path, call, before)
    assert [found[0] + found[2], found[1] + found[3]] == [1, 1]


def double(number):  # type: ignore[no-untyped-def]
    return 2 * number


def halve(number):  # type: ignore[no-untyped-def]
    return number / 2


class _Slow(ahead._Second):
    """A second process that has not begun with anything."""

    def __init__(self) -> None:
        self._waiting, self._begun, self._change = [], None, Condition()


def test_what_comes_next_is_compiled_first_and_the_rest_given_back() -> None:
    second = _Slow()
    later, long, short = (_Job(double, (i,)) for i in range(3))
    second.take([later], first=False)
    second.take([long, short, later], first=True)
    assert second._waiting == [long, short, later]
    assert second.give_back([long, short]) == short
    second._begun = second._waiting.pop(0)
    assert second.give_back([long, short]) is None
    assert second.wait_for(later) is False
    assert second._waiting == []


def test_what_is_being_compiled_is_waited_for() -> None:
    second, job = _Slow(), _Job(double, (1,))
    second._begun = job
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(second.wait_for, job)
        assert not waits.done()
        with second._change:
            second._begun = None
            second._change.notify_all()
        assert waits.result(timeout=60)
    assert second.wait_for(job) is False


def test_with_the_compiler_off_there_is_nothing_to_do() -> None:
    compile_ahead((double, (1,)), (halve, (np.float64(1),)))
    assert compile_later((double, (1,))) is False
