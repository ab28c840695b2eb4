"""The machine at hand."""

from __future__ import annotations

import pytest

from shoal._run.engine import LocalEngine


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
