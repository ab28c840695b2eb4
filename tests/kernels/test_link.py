"""Callees that are linked: into an entry, called by themselves, and from the cache."""

from __future__ import annotations

from pathlib import Path

import numba
import pytest

from shoal.kernels.jit import cache_folder, callee, jit, kept_folder

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),  # type: ignore[attr-defined]
    reason="the compiler is off",
)


@callee
def quotient(a, b):  # type: ignore[no-untyped-def]
    return a // b


@callee
def twice(a, b):  # type: ignore[no-untyped-def]
    return 2 * quotient(a, b)


def both(a, b):  # type: ignore[no-untyped-def]
    return twice(a, b) + quotient(a, b)


def test_a_callee_is_called_from_python_too() -> None:
    assert (twice(7, 2), twice(7.0, 2.0)) == (6, 6.0)


@compiled
def test_callees_of_callees_are_linked_andkept_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOAL_CACHE", str(tmp_path))
    for kept in (kept_folder, cache_folder):
        kept.cache_clear()
    for hits in (0, 1):
        entry = jit(both)
        assert entry(7, 2) == 9
        assert sum(entry.stats.cache_hits.values()) == hits  # type: ignore[attr-defined]
        with pytest.raises(ZeroDivisionError):
            entry(1, 0)
    for kept in (kept_folder, cache_folder):
        kept.cache_clear()
