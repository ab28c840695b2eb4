"""Solving shard by shard, and how much may be suppressed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.code import code
from shoal._run.engine import LocalEngine
from shoal._run.read import read_input
from shoal._run.solve import check_suppression, solve, warn_of_order, warn_of_repair
from shoal.errors import InfeasibleError
from shoal.method.repair import Repair
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.partition import Partition

FRAME = pl.DataFrame({"age": [i // 2 for i in range(20)]})


def _plan(**more: Any) -> Plan:
    roles = {"age": {"role": "quasi", "kind": "numeric"}}
    return Plan.of({"attributes": roles, "privacy": [{"k-anonymity": {"k": 2}}], **more})


def _table(plan: Plan) -> Table:
    return encode(FRAME, plan.schema)


def _suppressing(n: int) -> Repair:
    unit_class = np.zeros(20, dtype=np.int32)
    unit_class[:n] = -1
    return Repair(Partition(unit_class, int(n < 20)), n_suppressed=n)


@pytest.mark.parametrize(("n", "limit"), [(0, 0.0), (1, 0.05), (3, 0.15), (19, 1.0)])
def test_suppression_up_to_the_limit_is_allowed(n: int, limit: float) -> None:
    plan = _plan(suppression={"limit": limit})
    check_suppression(plan, _table(plan), _suppressing(n))


@pytest.mark.parametrize(("n", "limit"), [(1, 0.0), (2, 0.05), (4, 0.15)])
def test_suppression_beyond_the_limit_is_refused(n: int, limit: float) -> None:
    plan = _plan(suppression={"limit": limit})
    text = f"{n} of 20 rows would be suppressed .*, but the plan allows {limit:.0%}"
    with pytest.raises(InfeasibleError, match=text):
        check_suppression(plan, _table(plan), _suppressing(n))


def test_an_empty_release_is_refused_whatever_the_limit() -> None:
    plan = _plan(method="mondrian", suppression={"limit": 1.0})
    with pytest.raises(InfeasibleError, match=r"Nothing can be published.*common top"):
        check_suppression(plan, _table(plan), _suppressing(20))


def test_no_class_spans_two_shards() -> None:
    """The classes of all shards together are those of each shard alone."""
    plan = _plan(method="mondrian", shards={"rows": 10}, seed=1)
    assert plan.shard_rows == 10
    engine = LocalEngine()
    coded = code(plan, read_input(plan, FRAME, engine), seed=1)
    found = solve(plan, coded, engine)
    assert found.partition.n_classes == 10
    ages = FRAME["age"].to_numpy()
    for number in range(10):
        assert len(set(ages[found.partition.unit_class == number])) == 1


def test_searches_that_ran_out_are_said() -> None:
    assert list(warn_of_repair(_suppressing(0), _table(_plan()))) == []
    [advice] = warn_of_repair(replace(_suppressing(0), n_undecided=3), _table(_plan()))
    assert advice.code == "search-budget"
    assert "3 times" in advice.text


def test_runs_of_neighbours_in_the_input_are_said() -> None:
    runs = {"division": "k-division"}
    attributes = {"age": "quasi", "ill": "sensitive"}

    def codes(method: Any, order: str) -> list[str]:
        plan = _plan(attributes=attributes, method=method, order=order)
        return [advice.code for advice in warn_of_order(plan)]

    assert codes({"qi-mhsa": runs}, "input") == ["input-order"]
    assert codes({"qi-mhsa": runs}, "content") == []
    assert codes({"qi-mhsa": {**runs, "order": "quasi"}}, "input") == []
    assert codes("mondrian", "input") == []


def test_the_only_shard_may_have_an_order_of_its_own() -> None:
    """Eight rows cannot be cut here, but are sorted all the same."""
    roles = {"age": "quasi", "ill": "sensitive"}
    frame = pl.DataFrame({"age": [7, 7, 7, 7, None, 7, 7, 7], "ill": list("aaabbaaa")})
    plan = {
        "attributes": roles,
        "privacy": [{"k-anonymity": {"k": 2}}, {"l-diversity": {"l": 2}}],
        "method": "weighted-graph",
        "shards": {"rows": 3},
        "seed": 1,
    }
    assert all(v.holds for v in shoal.run(plan, frame).verdicts)
