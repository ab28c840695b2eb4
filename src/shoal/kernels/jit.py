"""The one decorator that compiles, with a cache on disk that notices every edit.

Numba's own cache keys a function by its file alone and misses an edit in a callee of another file,
so the folder is named by a digest of all kernel sources. It is optional: where it cannot be written
or read, kernels are compiled again.
"""

from __future__ import annotations

import errno
import hashlib
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core.caching import FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

Function = Callable[..., Any]


@cache
def cache_folder() -> str | None:
    """Where compiled kernels are kept; None where nothing can be written."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(source.read_bytes())
    home = os.environ.get("SHOAL_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        folder = Path(home).expanduser() / "shoal" / "kernels" / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        _warn(error)
        return None
    except RuntimeError:
        _warn_once("there is no home folder")
        return None
    return str(folder)


class _Cache(FunctionCache):
    """Numba's cache of a function, which is no reason to fail."""

    @contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Guard loading and saving, as numba does on Windows; not loaded means compiled."""
        try:
            yield
        except OSError as error:
            _warn(error)
        except Exception:
            # What is damaged may raise anything when it is read, and is forgotten.
            with suppress(OSError):
                self.flush()


def _warn(error: OSError) -> None:
    _warn_once(os.strerror(error.errno or errno.EIO))


@cache
def _warn_once(reason: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be kept ({reason}), so every run compiles them again, which "
        "takes up to a minute. Set SHOAL_CACHE to a folder that can be written.",
        stacklevel=1,
    )


def jit(function: Function) -> Function:
    """Compile without the interpreter lock and without fastmath; cached between processes."""
    compiled: Any = numba.njit(nogil=True)(function)
    folder = cache_folder()
    if folder is not None and isinstance(compiled, Dispatcher):
        vars(compiled)["_cache"] = _cache_in(folder, function) or NullCache()
    return cast(Function, compiled)


def _cache_in(folder: str, function: Function) -> _Cache | None:
    """The cache of a function in a folder; None where numba would have to take another."""
    config: Any = numba.config
    before = config.CACHE_DIR
    try:
        config.CACHE_DIR = folder
        found = _Cache(function)
    except RuntimeError:
        return None
    finally:
        config.CACHE_DIR = before
    return found if Path(found.cache_path).is_relative_to(folder) else None


def inline(function: Function) -> Function:
    """For small functions that one or two kernels call: compiled as a part of the caller."""
    compiled: Function = numba.njit(nogil=True, inline="always")(function)
    return compiled


def callee(function: Function) -> Function:
    """For small functions that are called from many places: compiled once, apart."""
    compiled: Function = numba.njit(nogil=True)(function)
    return compiled
