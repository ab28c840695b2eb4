"""Who was seen before, in memory that does not grow."""

from __future__ import annotations

import numpy as np

from shoal._run.stream.seen import Seen


def test_nobody_is_overlooked_and_few_are_mistaken() -> None:
    draw = np.random.default_rng(1)
    known = draw.integers(0, 2**64, 200_000, dtype=np.uint64)
    others = draw.integers(0, 2**64, 200_000, dtype=np.uint64)
    seen = Seen()
    assert not seen.has(known).any()
    seen.add(known)
    assert seen.has(known).all()
    assert seen.has(others).mean() < 0.001


def test_neighbours_are_told_apart() -> None:
    seen = Seen()
    seen.add(np.arange(0, 10_000, 2, dtype=np.uint64))
    assert seen.has(np.arange(1, 10_000, 2, dtype=np.uint64)).mean() < 0.001
