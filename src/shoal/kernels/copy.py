"""One array into another, without what numba compiles for `a[:] = b`."""

from __future__ import annotations

from shoal.kernels.jit import callee


# Numba compiles the text of an error about shapes into every `a[:] = b`, for seconds.
@callee
def copy_into(source, out):
    """The elements of an array into the first of another."""
    for i in range(len(source)):
        out[i] = source[i]
