"""Which thresholds make sense, and which class is worst."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from shoal.errors import VerificationError
from shoal.schema import Attribute, Role, Schema
from shoal.verify.model.verdict import (
    Reach,
    find_targets,
    reach_both,
    read_parameter,
    settle,
    settle_size,
)
from tests.verify.small import asked, classes_of, reach

SMALLEST = 5e-324


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", 1), ("l", 1), ("l", 1.5), ("k", 10**300), ("k", sys.float_info.max),
        ("c", SMALLEST), ("alpha", SMALLEST),
        ("alpha", 1), ("alpha", 1.0), ("beta", 1), ("beta", 0.5), ("t", 0), ("t", 7), ("e", 0.0),
        ("low", 0), ("low", 0.5), ("low", 1),
    ],
)  # fmt: skip
def test_the_least_and_most_that_make_sense(name: str, value: float) -> None:
    assert read_parameter(asked("m", **{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("k", np.nextafter(1.0, 0)), ("k", 0), ("l", 0.999), ("c", 0), ("c", -1), ("alpha", 0),
        ("alpha", np.nextafter(1.0, 2)), ("beta", -0.5), ("beta", 1.01), ("t", -SMALLEST),
        ("e", -1), ("k", float("inf")), ("t", float("nan")), ("k", True), ("k", "2"), ("k", None),
        ("low", -SMALLEST), ("low", np.nextafter(1.0, 2)), ("k", 10**400), ("c", 10**400),
    ],
)  # fmt: skip
def test_what_makes_no_sense(name: str, value: Any) -> None:
    with pytest.raises(VerificationError, match=f"'{name}' parameter of m must be a number"):
        read_parameter(asked("m", **{name: value}), name)


def test_targets_are_named_or_all_that_is_sensitive() -> None:
    other = Attribute("o", Role.INSENSITIVE)
    classes = classes_of({1: "ab"}, attributes=[other], extra={"o": "xy"})
    assert [a.name for a in find_targets(classes, asked("m"))] == ["s"]
    assert find_targets(classes, asked("m", attribute="o")) == (other,)
    with pytest.raises(VerificationError, match="m needs an attribute 'p', but the schema has"):
        find_targets(classes, asked("m", attribute="p"))


@pytest.mark.parametrize("role", [Role.SEMI_SENSITIVE, Role.SENSITIVE])
def test_targets_must_be_there_to_be_looked_at(role: Role) -> None:
    other = Attribute("o", role)
    there = {"o": "xy"} if role == Role.SEMI_SENSITIVE else {}
    classes = classes_of({1: "ab"}, attributes=[other], extra=there)
    with pytest.raises(VerificationError, match="no independent check of m for 'o'"):
        find_targets(classes, asked("m", attribute="o"))
    classes = classes_of({1: "ab"})
    with pytest.raises(VerificationError, match="m needs a sensitive attribute"):
        find_targets(
            type(classes)(Schema(()), classes.table, classes.rows, classes.of_row, classes.numbers),
            asked("m"),
        )


def test_no_class_proves_nothing() -> None:
    verdict = settle(classes_of({}), asked("m"), 2, lambda: reach([]))
    assert (verdict.holds, verdict.note, verdict.worst_class) == (False, "no rows", None)


def test_one_bad_class_is_enough_and_they_are_in_order() -> None:
    classes = classes_of({9: "a", 4: "b", 7: "c"})
    verdict = settle(classes, asked("m"), 2, lambda: reach([False, True, False], [3, 2, 3]))
    assert (verdict.holds, verdict.offending, verdict.worst_class) == (False, (7, 9), 4)
    assert (verdict.asked, verdict.reached, verdict.attribute) == (2, "reached", None)
    one = settle(classes, asked("m"), 2, lambda: reach([True, True, True], [1, 1, 2]))
    assert (one.holds, one.offending, one.worst_class) == (True, (), 4)


def test_the_second_key_decides_between_equals() -> None:
    classes = classes_of({9: "a", 4: "b", 7: "c"})
    verdict = settle(classes, asked("m"), 2, lambda: reach([True] * 3, [1, 2, 1], [5, 0, 4]))
    assert verdict.worst_class == 7
    named = settle(classes, asked("m"), 2, lambda: reach([True] * 3, [1] * 3), Attribute("s", "x"))
    assert (named.worst_class, named.attribute) == (4, "s")


def test_of_two_limits_the_worst_class_misses_both() -> None:
    few, uneven = np.array([True, True, False, False]), np.array([False, True, True, False])
    found = reach_both(few, uneven, None, np.zeros(4))
    assert found.good.tolist() == [False, False, False, True]
    assert found.worst_first[0].tolist() == [-1, -2, -1, 0]


@pytest.mark.parametrize(
    ("good", "undecided", "holds", "offending"),
    [
        ([True, False, True], [False, True, False], None, ()),
        ([False, False, False], [True, True, True], None, ()),
        ([True, False, False], [False, True, False], False, (7,)),
        ([True, False, True], [False, False, False], False, (4,)),
        ([True, True, True], [False, False, False], True, ()),
    ],
)
def test_a_class_of_which_it_is_not_known_leaves_it_open_unless_another_fails(
    good: list[bool], undecided: list[bool], holds: bool | None, offending: tuple[int, ...]
) -> None:
    def find() -> Reach:
        return replace(reach(good, [1, 1, 1]), undecided=np.array(undecided))

    verdict = settle(classes_of({9: "a", 4: "b", 7: "c"}), asked("m"), 2, find)
    assert (verdict.holds, verdict.offending) == (holds, offending)
    note = f"the search ran out of steps: {sum(undecided)} of 3 classes"
    assert verdict.note == (note if holds is None else "")


@pytest.mark.parametrize(("k", "holds"), [(2, True), (2.5, False), (3, False)])
def test_every_class_has_k_people(k: float, holds: bool) -> None:
    verdict = settle_size(classes_of({4: "abc", 7: "ab"}), asked("k-anonymity", k=k))
    assert (verdict.holds, verdict.asked, verdict.reached, verdict.worst_class) == (holds, k, 2, 7)
    assert verdict.offending == (() if holds else (7,))
