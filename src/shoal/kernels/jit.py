"""The one decorator that compiles, with a cache on disk that notices every edit.

Numba's own cache keys a function by its file alone and misses an edit in a callee of another file,
so the folder is named by a digest of all kernel sources.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

Function = Callable[..., Any]


@cache
def cache_folder() -> str | None:
    """Where compiled kernels are kept; None where nothing can be written."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    home = os.environ.get("SHOAL_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    folder = Path(home).expanduser() / "shoal" / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return str(folder) if os.access(folder, os.W_OK) else None


def jit(function: Function) -> Function:
    """Compile without the interpreter lock and without fastmath; cached between processes."""
    folder = cache_folder()
    config: Any = numba.config
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = folder or before
        compiled: Function = numba.njit(nogil=True, cache=folder is not None)(function)
    finally:
        config.CACHE_DIR = before
    return compiled


def inline(function: Function) -> Function:
    """For small functions that one or two kernels call: compiled as a part of the caller."""
    compiled: Function = numba.njit(nogil=True, inline="always")(function)
    return compiled


def callee(function: Function) -> Function:
    """For small functions that are called from many places: compiled once, apart."""
    compiled: Function = numba.njit(nogil=True)(function)
    return compiled
