"""The likeliest value, and what is left of it without one's own row."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from shoal.attack.posterior import guess, less_own

VALUES = np.array([0, 1, 0], dtype=np.int32)
WEIGHTS = csr_array(np.array([[3.0, 1.0], [1.0, 1.0], [0.0, 2.0]]))


def test_the_likeliest_value() -> None:
    found = guess(WEIGHTS, VALUES)
    assert found.posterior.tolist() == [0.75, 0.5, 1.0]
    assert found.right.tolist() == [1.0, 0.5, 0.0]
    assert found.best[[0, 2]].tolist() == [0, 1]


def test_nothing_to_guess_from() -> None:
    found = guess(csr_array((1, 2)), VALUES[:1])
    assert (found.posterior.tolist(), found.right.tolist()) == ([0.0], [0.0])


def test_without_the_own_row() -> None:
    alone = guess(less_own(WEIGHTS, VALUES, np.ones(3)), VALUES)
    assert alone.right.tolist() == [1.0, 0.0, 0.0]
    assert alone.posterior == pytest.approx([2 / 3, 1.0, 1.0])
