"""The two ways up the hierarchies, as a plan names them."""

from __future__ import annotations

import polars as pl
import pytest

from shoal.errors import PlanError
from shoal.method import KA, Method
from shoal.method.baseline.mondrian import Mondrian
from shoal.method.baseline.top_down import TopDown
from shoal.method.mks3wd.ladder import Ladder
from shoal.method.mks3wd.lattice import Lattice
from shoal.method.mks3wd.scheme import SDMKS3WD
from shoal.model import KAnonymity, LDiversity, Model, MultiLevelK
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table, encode
from tests.cases import CLIMBING, random_case, task_of

LEVELS = MultiLevelK.model_validate({"thresholds": [[0.6, 0.4]], "levels": [[3, 2]]})


def test_a_plan_chooses_the_way_up() -> None:
    table = task_of(random_case(3, forms=CLIMBING), method="ka").table
    assert isinstance(KA(climb="together").way_up(table), Ladder)
    assert isinstance(KA().way_up(table), Lattice)


def _wide(n_quasi: int = 17) -> Table:
    """Yes-or-no columns: 17 have more vectors than the smallest budget allows."""
    names = [f"q{j}" for j in range(n_quasi)]
    frame = pl.DataFrame(
        {name: [i >> j % 5 & 1 for i in range(20)] for j, name in enumerate(names)}
    )
    attributes = {name: {"role": "quasi", "hierarchy": "flat"} for name in names}
    plan = Plan.parse({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})
    return encode(frame, plan.schema)


def test_a_lattice_that_is_not_visited_as_a_whole_says_so() -> None:
    table = _wide()
    # 20 rows times 2^17 vectors are 2.6 million look-ups, but more than 100,000 vectors.
    (advice,) = KA(climb="lattice", budget=1).advice(table)
    assert "131,072 level vectors. ka visited 50,000" in advice.text
    assert "visited 100,000" in KA(climb="lattice").advice(table)[0].text
    assert KA(climb="together").advice(table) == []
    assert KA(climb="lattice", budget=1).advice(_wide(15)) == []


@pytest.mark.parametrize(
    ("method", "privacy", "takes"),
    [
        (KA(climb="together"), [KAnonymity(k=2), LDiversity(l=2)], True),
        (KA(), [KAnonymity(k=2)], True),
        (KA(), [KAnonymity(k=2), LDiversity(l=2)], False),
        (SDMKS3WD(climb="together"), [LEVELS], True),
        (SDMKS3WD(climb="together"), [LEVELS, KAnonymity(k=2)], False),
        (TopDown(), [KAnonymity(k=2), LDiversity(l=2)], True),
        (Mondrian(), [KAnonymity(k=2)], False),
    ],
)
def test_counts_of_rows_do_where_nothing_is_judged_row_by_row(
    method: Method, privacy: list[Model], takes: bool
) -> None:
    attributes = {"age": {"role": "quasi", "hierarchy": "flat"}, "ill": "sensitive"}
    plan = Plan.parse({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})
    table = encode(pl.DataFrame({"age": [1, 1, 2, 2], "ill": list("abab")}), plan.schema)
    assert method.takes_counts(table, Requirements.of(privacy, table)) is takes


def test_a_lattice_that_leaves_rows_to_mondrian_takes_no_counts() -> None:
    table = _wide()
    assert not KA(budget=1).takes_counts(table, Requirements.of([KAnonymity(k=2)], table))


@pytest.mark.parametrize("given", [{"climb": "apart"}, {"budget": 0}])
def test_other_ways_are_refused(given: dict[str, object]) -> None:
    case = random_case(3, forms=CLIMBING)
    with pytest.raises(PlanError):
        Plan.parse(case.plan(method={"ka": given}))
