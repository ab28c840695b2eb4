from __future__ import annotations

import numpy as np

from shoal.kernels.copy import copy_into


def test_only_as_many_as_there_are_are_copied() -> None:
    out = np.array([7, 7, 7])
    copy_into(np.array([1, 2]), out)
    assert out.tolist() == [1, 2, 7]
