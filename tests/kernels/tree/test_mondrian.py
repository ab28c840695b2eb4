"""The cutting kernel on a few small tables; tests/method compares it on many."""

from __future__ import annotations

import pytest

from shoal.method import Mondrian
from tests.cases import as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


@pytest.mark.parametrize("cut", ["loss", "balanced", "median"])
@pytest.mark.parametrize("seed", range(5000, 5012))
def test_the_classes_are_those_of_the_definition(cut: str, seed: int) -> None:
    case = random_case(seed, most_rows=24)
    got = rows_of_classes(case, Mondrian(cut=cut).partition(task_of(case)))
    assert got == as_rows(case, naive.mondrian(case.quasi, case.units, cut, case.holds))
