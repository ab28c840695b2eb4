"""The machine at hand."""

from __future__ import annotations

import os
import threading

import pytest

from shoal._run.engine import LocalEngine
from shoal.recode.thread import MANY, allowed_threads, side_by_side
from shoal.verify.text.quasi import _threads


@pytest.mark.parametrize(
    ("workers", "cores", "threads"),
    [(None, 8, 8), (1, 8, 8), (2, 8, 4), (3, 8, 2), (8, 8, 1), (9, 8, 1), (1, None, 1)],
)
def test_workers_share_the_cores(
    workers: int | None, cores: int | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert LocalEngine(workers).threads == threads


def test_one_worker_is_the_default() -> None:
    assert LocalEngine().workers == 1
    assert LocalEngine().map(str, [2, 1]) == ["2", "1"]


def _threads_of_worker(_: int) -> tuple[int, int, int]:
    """How many threads a worker may use, has used, and uses to verify."""
    used = set(side_by_side(lambda _: threading.get_ident(), range(50), MANY))
    return allowed_threads(), len(used), _threads()


def test_a_process_of_a_pool_uses_no_more_threads_than_its_engine_allows() -> None:
    engine = LocalEngine(max(os.cpu_count() or 1, 2))
    assert engine.threads == 1
    assert engine.map(_threads_of_worker, [0, 1]) == [(1, 1, 1)] * 2


def test_a_process_of_a_pool_has_its_share_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    assert [allowed for allowed, _, _ in LocalEngine(2).map(_threads_of_worker, [0, 1])] == [3, 3]
