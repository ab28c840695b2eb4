"""How numba's parts are joined: callees as code to link, an entry as the one thing that is run.

Numba optimises every callee, makes machine code of it, and does so again in each of its callers,
of which only the outermost is ever called. Here a callee stays as it is after typing and lowering,
and the entry that it is linked into is optimised once, with all of them.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numba
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.registry import CPUDispatcher

from shoal.kernels.memo import remembered


class _WithoutEnvironment:
    """The code generator as a part sees it: an environment waits until the part is in an entry."""

    def __init__(self, codegen: Any, waiting: list[tuple[str, Any]]) -> None:
        self._codegen, self._waiting = codegen, waiting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: Any) -> None:
        self._waiting.append((name, environment))


class CalleeLibrary(JITCodeLibrary):
    """The code of a callee, to be linked; nobody calls it by itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.environments: list[tuple[str, Any]] = []

    @property
    def codegen(self) -> Any:
        return _WithoutEnvironment(self._codegen, self.environments)

    def _optimize_functions(self, ll_module: Any) -> None:
        """Numba's passes over functions, which prune the counting of references."""
        ll_module.data_layout = self._codegen._data_layout
        passes, builder = self._codegen._function_pass_manager()
        for function in ll_module.functions:
            if not function.is_declaration:
                passes.run(function, builder)

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        # Numba asks for the wrapper that Python would call, which a part does not have.
        self._ensure_finalized()
        return 0


class EntryLibrary(JITCodeLibrary):
    """The code of a function that is called from Python, with all of its parts."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self.enable_object_caching()

    def finalize(self) -> None:
        # A part links nothing by itself, so an entry must also name the parts of its parts.
        parts = list(_closure(self._linking_libraries))
        self._linking_libraries = parts
        super().finalize()
        codegen: Any = self._codegen
        for part in parts:
            for name, environment in part.environments if isinstance(part, CalleeLibrary) else ():
                # What was inlined everywhere has left no symbol behind, and needs no environment.
                if codegen._engine.is_symbol_defined(name):
                    codegen.set_env(name, environment)


def _closure(libraries: list[JITCodeLibrary]) -> Iterator[JITCodeLibrary]:
    """These libraries, and those that parts among them need, each once."""
    seen, todo = set(), list(reversed(libraries))
    while todo:
        library = todo.pop()
        if library in seen:
            continue
        seen.add(library)
        yield library
        if isinstance(library, CalleeLibrary):
            todo += reversed(library._linking_libraries)


class IntoPart(Compiler):
    """Numba's compiler, into a part."""

    def compile_extra(self, func: Any) -> Any:
        if self.state.library is None:
            self.state.library = CalleeLibrary(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class IntoEntry(Compiler):
    """Numba's compiler, into an entry."""

    def compile_extra(self, func: Any) -> Any:
        if self.state.library is None:
            self.state.library = EntryLibrary(self.state.targetctx.codegen(), func.__qualname__)
        # Millions of objects are made and kept while it compiles, and none of them is garbage.
        collects = gc.isenabled()
        gc.disable()
        try:
            with remembered():
                return super().compile_extra(func)
        finally:
            if collects:
                gc.enable()


class Callee(CPUDispatcher):
    """A function that kernels call. Called from Python, as tests do, it becomes an entry."""

    @cached_property
    def _alone(self) -> Any:
        return numba.njit(nogil=True, pipeline_class=IntoEntry)(self.py_func)

    def __call__(self, *arguments: Any) -> Any:
        return self._alone(*arguments)
