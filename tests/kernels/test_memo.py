"""What the compiler remembers, and that it forgets to once a kernel is there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numba
import pytest
from numba.core.types.functions import BaseFunction

from shoal.kernels import memo
from shoal.kernels.jit import jit
from shoal.kernels.memo import remembered


def mixed(a, b):  # type: ignore[no-untyped-def]
    return a + b * 2 - (a + b)


@pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT),  # type: ignore[attr-defined]
    reason="the compiler is off",
)
def test_types_decide_what_is_remembered() -> None:
    compiled: Any = jit(mixed)
    pairs = [(7, 5), (7.5, 5), (7, 5.5), (True, 5), (7.5, 5.5), (7, 5)]
    assert [compiled(a, b) for a, b in pairs] == [mixed(a, b) for a, b in pairs]
    assert [type(compiled(a, b)) for a, b in pairs] == [type(mixed(a, b)) for a, b in pairs]


def test_numba_is_as_it_was_afterwards() -> None:
    before = BaseFunction.get_call_type
    with suppress(ValueError), remembered():
        assert BaseFunction.get_call_type is memo._call_type
        raise ValueError
    assert BaseFunction.get_call_type is before
