"""Classes that grow by what is nearest: chains, who joins at the end, and small tables by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.growth.greedy import (
    form_classes,
    joins,
    list_class,
    make_room,
    number_members,
    place_residual,
)
from shoal.table.space import packed_codes, space_of
from tests.cases import Case, as_field, random_case, task_of
from tests.papers.identity import twin as twin
from tests.papers.identity.cases import twin_attribute, twin_people

# Class 0 has the units 4, 0 and 2, class 1 the unit 1, class 2 the units 3 and 5.
HEAD = np.array([4, 1, 3], dtype=np.int32)
FOLLOWING = np.array([2, -1, -1, 5, 0, -1, -1], dtype=np.int32)


def _task(ill: str, k: int, l: int) -> Any:  # noqa: E741
    kind = {"kind": "categorical"}
    fields = {"q": as_field("q", kind, ["x"] * len(ill)), "ill": as_field("ill", kind, list(ill))}
    attributes = {"q": {"role": "quasi", **kind}, "ill": {"role": "sensitive", **kind}}
    privacy = [{"k-anonymity": {"k": k}}, {"l-diversity": {"l": l, "kind": "frequency"}}]
    return task_of(Case(fields, attributes, privacy))


def test_chains_are_listed_after_those_that_are_there() -> None:
    out = np.full(8, 9, np.int32)
    assert list_class(HEAD, FOLLOWING, np.int64(0), out, np.int64(1)) == 4
    assert out[:5].tolist() == [9, 4, 0, 2, 9]


def test_members_of_classes_that_are_no_more_have_no_number() -> None:
    out = np.full(7, -1, np.int32)
    alive = np.array([True, False, True])
    number_members(3, alive, HEAD, FOLLOWING, np.empty(7, np.int32), out)
    assert out.tolist() == [0, -1, 0, 2, 0, 2, -1]


def test_a_class_is_joined_where_it_still_holds() -> None:
    """At most half of a class may have the same value: class 0 is large and varied enough."""
    task, units = _task("abcaabb", 2, 2), np.empty(8, np.int32)
    asked = task.requirements.required()
    for c, own in enumerate([[4, 0, 2], [1], [3, 5]]):
        found = joins(np.int64(6), np.int64(c), asked, HEAD, FOLLOWING, units)
        assert bool(found) == task.requirements.holds(np.array([*own, 6], dtype=np.int32))


@pytest.mark.parametrize(
    ("far", "limit", "chosen"),
    [
        ([1.0, 2.0, 3.0], 9.0, 0),
        ([5.0, 0.5, 3.0], 9.0, 2),
        ([3.0 + 5e-10, np.inf, 3.0], 9.0, 0),
        ([5.0, 0.5, 3.0], 2.0, -1),
        ([np.inf, np.inf, np.inf], 9.0, -1),
    ],
)
def test_the_cheapest_class_that_holds_and_first_of_equals(
    far: list[float], limit: float, chosen: int
) -> None:
    """Class 1 alone does not hold with the unit: both have the value 'b'."""
    asked, units = _task("abcaacb", 2, 2).requirements.required(), np.empty(8, np.int32)
    found = place_residual(np.int64(6), np.array(far), limit, asked, HEAD, FOLLOWING, units)
    assert found == chosen


@pytest.mark.parametrize("seed", range(16))
def test_classes_are_those_of_the_paper(seed: int) -> None:
    """Algorithms 1 and 7 of identity-reserved anonymity, from given starters."""
    case = random_case(seed, most_rows=16, models=("k", "l"))
    task = task_of(case)
    codes, space = packed_codes(task.table), space_of(task.table.quasi)
    n = len(codes)
    starters = np.random.default_rng(seed).permutation(n)
    rows = np.array([len(unit) for unit in case.units], dtype=np.int64)
    out = np.full(n, -1, np.int32)
    room = make_room(codes, rows, int(space.start[-1]))
    form_classes(space, starters, task.requirements.least, task.requirements.required(), room, out)
    attributes = [twin_attribute(q) for q in case.quasi]
    classes, suppressed = twin.danonyir(
        twin_people(case), attributes, case.holds, starters.tolist()
    )
    assert np.flatnonzero(out < 0).tolist() == sorted(suppressed)
    found = [np.flatnonzero(out == c).tolist() for c in sorted(set(out[out >= 0].tolist()))]
    assert sorted(found) == sorted(sorted(own) for own in classes)
