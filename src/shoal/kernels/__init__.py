"""Compiled loops over integer codes: the only place that knows numba.

Nothing here knows what a plan or a person is. Codes are small unsigned integers, counts int64,
sums float64; `out` arrays come last.
"""
