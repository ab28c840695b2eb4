"""The hierarchy that users declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy
from shoal.schema import HierarchySpec, Kind

CATEGORICAL = Kind.CATEGORICAL


@pytest.mark.parametrize(
    ("hierarchy", "height"),
    [
        (Hierarchy.flat(), 2),
        (Hierarchy.intervals([1]), 3),
        (Hierarchy.width(1, 4), 6),
        (Hierarchy.mask(3), 4),
        (Hierarchy.dates(["day"]), 2),
        (Hierarchy.dates(["day", "year"]), 3),
        (Hierarchy.rows([["a"]]), 1),
        (Hierarchy.tree({"*": {"A": ["a"]}}), 3),
    ],
)
def test_height_counts_the_levels_of_a_label(hierarchy: Hierarchy, height: int) -> None:
    value = {"dates": "2020-01-01", "file": "a", "tree": "a"}.get(hierarchy.spec.form, "7")
    kind = Kind.NUMERIC if hierarchy.spec.form in ("intervals", "width") else CATEGORICAL
    assert hierarchy.height == len(hierarchy.labels([value], kind)[0]) == height


def test_values_must_be_distinct() -> None:
    with pytest.raises(ValueError, match="distinct"):
        Hierarchy.flat().bind(["a", "a"], CATEGORICAL)


def test_a_specification_is_checked() -> None:
    with pytest.raises(PlanError, match=r"old\.csv: Each label must have one parent"):
        Hierarchy.from_spec(
            HierarchySpec("file", rows=(("a", "A"), ("a", "B")), path="folder/old.csv")
        )
    with pytest.raises(PlanError, match="'width' parameter"):
        Hierarchy.from_spec(HierarchySpec("width", levels=2))
    with pytest.raises(PlanError, match="'form' parameter"):
        Hierarchy.from_spec(HierarchySpec("cube"))  # type: ignore[arg-type]


def test_what_is_handed_over_stays_as_it_was() -> None:
    tree = {"*": {"A": ["a", "b"]}}
    values = ["b", None, "a"]
    Hierarchy.tree(tree).bind(values, Kind.CATEGORICAL)
    assert tree == {"*": {"A": ["a", "b"]}}
    assert values == ["b", None, "a"]


def test_a_written_missing_value_stays_missing(tmp_path: Path) -> None:
    values = ["20", None, "31"]
    hierarchy = Hierarchy.width(5, 1)
    hierarchy.write(tmp_path / "h.csv", values, Kind.NUMERIC)
    again = Hierarchy.file(tmp_path / "h.csv").bind(values, Kind.NUMERIC)
    assert again.order.tolist() == hierarchy.bind(values, Kind.NUMERIC).order.tolist()
    assert again.n_under(again.n_nodes - 1) == 3
