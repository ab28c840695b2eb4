"""k-member on small tables: the twin's classes, and what is left over."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.growth.member import form_members, make_room
from shoal.table.space import metric_of, packed_codes, space_of
from tests.cases import Case, as_field, random_case, task_of
from tests.papers.graph import twin as twin
from tests.papers.identity.cases import twin_attribute, twin_people

NUMBER = {"kind": "numeric"}


def _grown(task: Any, begins: int) -> list[int]:
    table, asked = task.table, task.requirements
    codes, space = packed_codes(table), space_of(table.quasi)
    room = make_room(codes, int(space.start[-1]), asked.least)
    out = np.full(len(codes), -1, np.int32)
    metric = metric_of(table.quasi, normalise=True)
    form_members(space, metric, begins, asked.least, asked.required(), room, out)
    return out.tolist()


def _line(numbers: list[int], k: int) -> Any:
    quasi = as_field("q", NUMBER, [str(n) for n in numbers])
    return task_of(
        Case({"q": quasi}, {"q": {"role": "quasi", **NUMBER}}, [{"k-anonymity": {"k": k}}])
    )


@pytest.mark.parametrize(
    ("numbers", "k", "begins", "classes"),
    [
        ([0, 1, 9, 10], 2, 0, [0, 0, 1, 1]),
        ([0, 1, 9, 10], 2, 2, [1, 1, 0, 0]),
        # The last is left over, and joins the class that it widens least.
        ([0, 1, 9, 10, 6], 2, 0, [0, 0, 1, 1, 1]),
        ([5, 5, 5, 5], 2, 3, [0, 1, 1, 0]),
        ([1, 2], 3, 0, [-1, -1]),
        ([7], 1, 0, [0]),
    ],
)
def test_classes_of_numbers_on_a_line(
    numbers: list[int], k: int, begins: int, classes: list[int]
) -> None:
    assert _grown(_line(numbers, k), begins) == classes


@pytest.mark.parametrize("seed", range(16))
def test_classes_are_those_of_the_twin(seed: int) -> None:
    case = random_case(seed, most_rows=16, models=("k",))
    k, begins = 2 + seed % 2, seed % len(case.units)
    case.privacy = [{"k-anonymity": {"k": k}}]
    if len(case.units) < k:
        return
    rows = [person.values for person in twin_people(case)]
    want = twin.k_member(rows, [twin_attribute(q) for q in case.quasi], k, begins)
    found = _grown(task_of(case), begins)
    assert [sorted(own) for own in want] == [
        [u for u, c in enumerate(found) if c == number] for number in range(len(want))
    ]
