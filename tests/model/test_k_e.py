"""(k, e)-anonymity can be achieved up to the numbers and the range of the table."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.model import KE
from shoal.model.base import Bound, Reach
from tests.model.small import table_of


@pytest.mark.parametrize(
    ("k", "e", "possible"),
    [(3, 8, True), (3, np.nextafter(8.0, 9), False), (4, 8, False), (1, 0, True)],
)
def test_all_numbers_and_the_whole_range(k: int, e: float, possible: bool) -> None:
    table = table_of(["1", "9", "5", "5", None], "numeric")
    assert (KE(k=k, e=e).infeasible(table) == []) is possible


def test_without_numbers_there_is_no_range() -> None:
    table = table_of([None, None], "numeric")
    assert KE(k=1, e=0).infeasible(table) != []
    wanted = [Bound(Reach.DISTINCT_PRESENT, 2, "s"), Bound(Reach.SPREAD, 3, "s")]
    assert KE(k=2, e=3).bounds(table.schema) == wanted
