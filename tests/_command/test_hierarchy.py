"""The levels of a hierarchy over a table: what a run would publish, and how often."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import shoal
from shoal._command.hierarchy import hierarchy_levels
from shoal.errors import PlanError

TOWNS = {"*": {"north": ["Oslo", "Turku"], "south": ["Rome", "Nice"]}}
FRAME = pl.DataFrame({"town": ["Rome", "Oslo", None, "Rome"], "age": [3, 4, 5, 6]})


def levels(hierarchy: Any, attribute: str = "town", **more: Any) -> list[list[tuple[Any, ...]]]:
    attributes: dict[str, Any] = {"town": "quasi", "age": "quasi"}
    attributes[attribute] = {"role": "quasi", "hierarchy": hierarchy, **more}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 1}}]}
    found = hierarchy_levels(plan, attribute, FRAME)
    assert [one.level for one in found] == list(range(1, len(found) + 1))
    return [one.labels.rows() for one in found]


def test_labels_that_occur_are_counted_in_the_order_of_the_hierarchy() -> None:
    original, region, root = levels({"tree": TOWNS})
    assert original == [("Oslo", 1, 1), ("Rome", 1, 2), (None, 1, 1)]
    assert region == [("north", 1, 1), ("south", 1, 2), (None, 1, 1)]
    assert root == [("*", 3, 4)]


def test_declared_values_that_nobody_has_are_left_out() -> None:
    assert levels("flat", values=["Oslo", "Rome", "Ulm"])[0] == [
        ("Oslo", 1, 1), ("Rome", 1, 2), (None, 1, 1)
    ]  # fmt: skip


def test_labels_are_those_of_a_run() -> None:
    """A ladder publishes the label of the second level for the two rows that share it."""
    hierarchy = {"width": 2, "levels": 1}
    attributes = {"town": "insensitive", "age": {"role": "quasi", "hierarchy": hierarchy}}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 2}}], "method": "ka"}
    second = hierarchy_levels(plan, "age", FRAME)[1].labels
    assert second.rows() == [("[2, 4[", 1, 1), ("[4, 6[", 2, 2), ("[6, 8[", 1, 1)]
    shown = shoal.run({**plan, "seed": 1}, FRAME).frame["age"].to_list()
    assert sorted(shown) == ["*", "*", "[4, 6[", "[4, 6["]


def test_every_level_counts_every_row() -> None:
    for hierarchy in ("flat", {"mask": 3}, {"tree": TOWNS}):
        assert all(sum(rows for _, _, rows in level) == 4 for level in levels(hierarchy))


@pytest.mark.parametrize(
    ("name", "said"), [("who", "has no attribute"), ("age", "published as ranges")]
)
def test_an_attribute_without_levels_is_refused(name: str, said: str) -> None:
    plan = {"attributes": {"town": "quasi", "age": "quasi"}, "privacy": [{"k-anonymity": {"k": 1}}]}
    with pytest.raises(PlanError, match=said):
        hierarchy_levels(plan, name, FRAME)


def test_a_name_that_is_misspelt() -> None:
    plan = {"attributes": {"town": "quasi"}, "privacy": [{"k-anonymity": {"k": 1}}]}
    with pytest.raises(PlanError) as caught:
        hierarchy_levels(plan, "twon", FRAME)
    [problem] = caught.value.problems
    assert problem.text == "The plan has no attribute 'twon'."
    assert problem.hint == "Did you mean 'town'?"
