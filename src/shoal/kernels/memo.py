"""What numba finds out about a call of its own functions is kept, not looked for again.

To type `a + b` or `codes[row]`, numba tries every implementation that it has, with and without
literals, at each place where it stands; and it compiles what `np.empty` is made of once for entries
and once for parts, as these differ in options that do not matter inside. Kernels have thousands of
such places and few different ones: this is a seventh of the time that a kernel takes to compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.types.functions import BaseFunction

_found: dict[tuple[Any, ...], Any] = {}
# Typed, since a method is replaced for a while.
_Function: Any = BaseFunction
_look = _Function.get_call_type


def _call_type(function: Any, context: Any, arguments: Any, named: Any) -> Any:
    """The types of a call, as numba has found them for a call of the same types before."""
    if named:
        return _look(function, context, arguments, named)
    key = function, context, tuple(arguments)
    found = _found.get(key)
    if found is None:
        found = _found[key] = _look(function, context, arguments, named)
    return found


@contextmanager
def remembered() -> Iterator[None]:
    """While a kernel is being compiled, by the one thread that may (numba has a lock)."""
    before = _Function.get_call_type
    _Function.get_call_type = _call_type
    try:
        yield
    finally:
        _Function.get_call_type = before
