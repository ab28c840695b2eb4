"""t-closeness: which distance is natural, and what the hierarchical one needs."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from shoal.model import TCloseness
from shoal.model.base import Bound, Reach
from shoal.model.t_closeness import natural_distance
from shoal.schema import Attribute, HierarchySpec, Kind, Role, Schema
from tests.verify.small import said

TREE, FLAT = HierarchySpec("tree"), HierarchySpec("flat")


@pytest.mark.parametrize(
    ("kind", "hierarchy", "distance"),
    [
        (Kind.NUMERIC, None, "ordered"), (Kind.DATE, TREE, "ordered"),
        (Kind.ORDINAL, None, "ordered"), (Kind.CATEGORICAL, TREE, "hierarchical"),
        (Kind.CATEGORICAL, HierarchySpec("file"), "hierarchical"), (None, FLAT, "equal"),
        (Kind.CATEGORICAL, None, "equal"),
    ],
)  # fmt: skip
def test_the_natural_distance(kind: Any, hierarchy: Any, distance: str) -> None:
    attribute = Attribute("s", Role.SENSITIVE, kind, hierarchy=hierarchy)
    assert natural_distance(attribute) == distance
    reach = {"equal": Reach.EMD_EQUAL, "ordered": Reach.EMD_ORDERED}.get(distance, Reach.EMD_TREE)
    assert TCloseness(t=0.2).bounds(Schema((attribute,))) == [Bound(reach, 0.2, "s")]


def test_the_hierarchical_distance_needs_a_tree() -> None:
    flat, tree = (
        Schema((Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL, hierarchy=h),))
        for h in (FLAT, TREE)
    )
    asked = TCloseness(t=0.2, distance="hierarchical")
    assert asked.problems(tree) == []
    assert "needs a hierarchy file or tree, but 's' has none" in said(asked.problems(flat))
    assert TCloseness(t=0.2, distance="equal").problems(flat) == []
    assert len(asked.problems(Schema(()))) == 1


@pytest.mark.parametrize(("t", "fits"), [(0, True), (1, True), (-1e-9, False), (1 + 1e-9, False)])
def test_t_is_a_distance(t: float, fits: bool) -> None:
    if fits:
        assert TCloseness(t=t).t == t
        return
    with pytest.raises(ValidationError):
        TCloseness(t=t)
