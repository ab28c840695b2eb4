"""The two ways up the hierarchies, as a plan names them."""

from __future__ import annotations

import pytest

from shoal.errors import PlanError
from shoal.method import KA
from shoal.method.mks3wd.ladder import Ladder
from shoal.method.mks3wd.lattice import Lattice
from shoal.plan import Plan
from tests.cases import CLIMBING, random_case, task_of


def test_a_plan_chooses_the_way_up() -> None:
    table = task_of(random_case(3, forms=CLIMBING), method="ka").table
    assert isinstance(KA().way_up(table), Ladder)
    way = KA(climb="lattice", budget=2).way_up(table)
    assert isinstance(way, Lattice)
    # Two, and the top at the end.
    assert way.n_vectors == 3


@pytest.mark.parametrize("given", [{"climb": "apart"}, {"budget": 0}])
def test_other_ways_are_refused(given: dict[str, object]) -> None:
    case = random_case(3, forms=CLIMBING)
    with pytest.raises(PlanError):
        Plan.parse(case.plan(method={"ka": given}))
