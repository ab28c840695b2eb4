"""The one decorator that compiles, with a cache on disk that notices every edit.

Numba's own cache keys a function by its file alone and misses an edit in a callee of another file,
so the folder is named by a digest of the function's file and of all kernel sources that it imports.
It is optional: where it cannot be written or read, kernels are compiled again.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import re
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

from shoal.kernels.link import Callee, IntoEntry, IntoPart
from shoal.kernels.sweep import mark_used, sweep_once_a_day

Function = Callable[..., Any]
# Absolute imports alone, as everywhere here; `import shoal.kernels` would mean all of them.
_IMPORT = re.compile(r"^\s*(?:from|import)\s+(shoal\.kernels[\w.]*)", re.MULTILINE)
# Typed, since the options that leave out wrappers are missing in the stubs.
_njit: Any = numba.njit
_LOG = logging.getLogger("shoal.kernels")


@cache
def cache_folder(source: Path) -> str | None:
    """Where the compiled kernels of a source file are kept; None where nothing can be written."""
    kept = kept_folder()
    if kept is None:
        return None
    folder = kept / _name_of(source)
    mark_used(folder)
    return str(folder)


def _name_of(source: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(sources_of(source)):
        digest.update(_read(file).encode())
    return digest.hexdigest()[:16]


def _current() -> set[str]:
    """The names of the folders of all kernels as they are now."""
    return {_name_of(source) for source in Path(__file__).parent.rglob("*.py")}


@cache
def kept_folder() -> Path | None:
    """The folder of all compiled kernels, where it can be written."""
    home = os.environ.get("SHOAL_CACHE") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        folder = Path(home).expanduser() / "shoal" / "kernels"
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        _warn(error)
        return None
    except RuntimeError:
        _warn_once("there is no home folder")
        return None
    sweep_once_a_day(folder, _current)
    return folder


def sources_of(source: Path) -> set[Path]:
    """A kernel's file and all that it imports from here, directly or not.

    Of a package all files count, even where only one of its names is imported.
    """
    here = Path(__file__).parent
    found: set[Path] = set()
    # This file is always among them: it decides how a kernel is compiled.
    todo = [source, Path(__file__)]
    while todo:
        file = todo.pop()
        if file in found:
            continue
        found.add(file)
        for name in _IMPORT.findall(_read(file)):
            place = here.joinpath(*name.split(".")[2:])
            todo += place.rglob("*.py") if place.is_dir() else [place.with_suffix(".py")]
    return found


@cache
def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


class _Cache(FunctionCache):
    """Numba's cache of a function, which is no reason to fail."""

    def has(self, sig: Any, target_context: Any) -> bool:
        """Whether something is kept for these types; it is not read."""
        with self._guard_against_spurious_io_errors():
            index: Any = self._cache_file._load_index()
            return self._index_key(sig, target_context.codegen()) in index
        return False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            _tell_once()
            if any(elsewhere(self._py_func, sig) for elsewhere in _asked):
                found = super().load_overload(sig, target_context)
        return found

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


# Whoever may be compiling a kernel elsewhere; whether it is there now.
_asked: list[Callable[[Function, Any], bool]] = []


def ask_before_compiling(elsewhere: Callable[[Function, Any], bool]) -> None:
    """Have this asked about a function and its types before a kernel is compiled here."""
    _asked.append(elsewhere)


def _warn(error: OSError) -> None:
    _warn_once(os.strerror(error.errno or errno.EIO))


@cache
def _warn_once(reason: str) -> None:
    warnings.warn(
        f"Compiled kernels cannot be kept ({reason}), so every run compiles them again, which "
        "takes up to a minute. Set SHOAL_CACHE to a writable folder.",
        stacklevel=1,
    )


@cache
def _tell_once() -> None:
    _LOG.info("Compiling some code for this machine; it is kept for the next time.")


def jit(function: Function) -> Function:
    """Compile without the interpreter lock and without fastmath; cached between processes."""
    compiled: Any = _njit(nogil=True, no_cfunc_wrapper=True, pipeline_class=IntoEntry)(function)
    folder = cache_folder(Path(function.__code__.co_filename))
    if folder is not None and isinstance(compiled, Dispatcher):
        vars(compiled)["_cache"] = _cache_in(folder, function) or NullCache()
    return cast(Function, compiled)


def _cache_in(folder: str, function: Function) -> _Cache | None:
    """The cache of a function in a folder; None where numba would have to take another."""
    config: Any = numba.config
    before = config.CACHE_DIR
    try:
        # Numba looks here for the folder of a cache that is being made.
        config.CACHE_DIR = folder
        found = _Cache(function)
    except RuntimeError:
        return None
    finally:
        config.CACHE_DIR = before
    return found if Path(found.cache_path).is_relative_to(folder) else None


def keeps(kernel: Dispatcher, types: tuple[Any, ...]) -> bool:
    """Whether there is a compiled kernel on disk; True where there can be none."""
    cache: Any = vars(kernel).get("_cache")
    return not isinstance(cache, _Cache) or cache.has(types, kernel.targetctx)


def inline(function: Function) -> Function:
    """For small functions that one or two kernels call: compiled as a part of the caller."""
    compiled: Function = numba.njit(nogil=True, inline="always")(function)
    return compiled


def callee(function: Function) -> Function:
    """For small functions that are called from many places: compiled once, apart."""
    compiled: Any = _njit(
        nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=IntoPart
    )(function)
    if isinstance(compiled, Dispatcher):
        compiled.__class__ = Callee
    return cast(Function, compiled)
