"""What the methods on the graph of rows have in common: a k of 2 or more, and unlike distances."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.method.graph.base import GraphMethod
from shoal.method.graph.weighted import WeightedGraph
from shoal.model import KAnonymity, LDiversity
from shoal.plan import Plan
from shoal.table import Table, encode
from tests.papers.graph.cases import ATTRIBUTES, EIGHT
from tests.papers.graph.test_twin import FIG_10


def _table(frame: pl.DataFrame, attributes: dict[str, Any]) -> Table:
    plan = Plan.parse({"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}]})
    return encode(frame, plan.schema)


@pytest.mark.parametrize(
    ("models", "suited"),
    [
        ([KAnonymity(k=1)], False),
        ([KAnonymity(k=2)], True),
        ([KAnonymity(k=1), KAnonymity(k=3)], True),
        ([LDiversity(l=2)], True),
        ([], True),
    ],
)
def test_groups_of_one_are_refused(models: list[Any], suited: bool) -> None:
    assert (WeightedGraph().unsuited(models) == []) == suited


def test_the_distances_are_those_of_fig_10() -> None:
    table = _table(pl.DataFrame(EIGHT, schema=["age", "sex"], orient="row"), ATTRIBUTES)
    found = WeightedGraph().distances(table)
    assert found is not None
    assert found.tolist() == FIG_10


@pytest.mark.parametrize(
    ("most", "normalise", "advised"),
    [(100, False, False), (101, False, True), (101, True, False)],
)
def test_columns_that_reach_a_hundred_times_as_far_are_told(
    most: int, normalise: bool, advised: bool
) -> None:
    frame = pl.DataFrame({"pay": [0, most], "sex": ["F", "M"]})
    attributes = {"pay": {"role": "quasi", "kind": "numeric"}, "sex": "quasi"}
    method: GraphMethod = WeightedGraph(normalise=normalise)
    found = [advice.code for advice in method.advice(_table(frame, attributes))]
    assert found == ["unlike-distances"] * advised
