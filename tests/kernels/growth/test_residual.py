"""Who is left over at nodes of hierarchies: costs and choices on a forest of two trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.growth.residual import (
    NOBODY,
    Forest,
    Released,
    choose_class,
    find_costs,
    find_losses,
    join_residual,
    keeps_holding,
    lasts,
    lift_class,
    mark_path,
)
from shoal.kernels.requirement import DISTINCT, HITTING, SHARE, SIZE, Required
from tests.cases import Case, as_field, task_of

# Leaves a to d under west (4), which has a and b, and east (5), with a root (6); then a tree of two
# leaves (7 and 8) and a root (9).
FOREST = Forest(
    np.array([0, 7, 10]),
    np.array([4, 4, 5, 5, 6, 6, 6, 9, 9, 9], dtype=np.int32),
    np.array([0, 0, 0, 0, 1 / 3, 1 / 3, 1, 0, 0, 1]),
)
CATEGORY = {"kind": "categorical"}


def _path(*codes: int) -> np.ndarray:
    path = np.zeros(10, np.bool_)
    mark_path(FOREST, np.array(codes, dtype=np.int32), np.bool_(True), path)
    return path


def _classes() -> Released:
    """Units 0 and 1 at (a, 7), units 2 and 3 at (east, 7), units 4 and 5 at the two roots."""
    node = np.array([[0, 7], [5, 7], [6, 9]], dtype=np.int32)
    return Released(
        node, FOREST.loss[node].sum(axis=1), np.array([2, 2, 3]), np.array([2, 2, 2]),
        np.array([0, 2, 4], dtype=np.int32),
        np.array([1, -1, 3, -1, 5, -1, -1, -1], dtype=np.int32), np.full(3, NOBODY),
    )  # fmt: skip


def _asked(ill: str, *privacy: dict[str, Any]) -> Required:
    fields = {
        "q": as_field("q", CATEGORY, ["x"] * len(ill)),
        "ill": as_field("ill", CATEGORY, list(ill)),
    }
    attributes = {"q": {"role": "quasi", **CATEGORY}, "ill": {"role": "sensitive", **CATEGORY}}
    return task_of(Case(fields, attributes, list(privacy))).requirements.required()


def test_a_path_goes_up_to_the_roots_and_can_be_unmarked() -> None:
    path = _path(1, 0)
    assert np.flatnonzero(path).tolist() == [1, 4, 6, 7, 9]
    mark_path(FOREST, np.array([1, 0], dtype=np.int32), np.bool_(False), path)
    assert not path.any()


def test_losses_are_those_of_the_first_common_ancestor() -> None:
    out = np.empty(10)
    find_losses(FOREST, _path(1, 0), out)
    assert out.tolist() == pytest.approx([1 / 3, 0, 1, 1, 1 / 3, 1, 1, 0, 1, 1])


def test_costs_count_the_rows_of_class_and_person() -> None:
    losses, costs = np.empty(10), np.empty(3)
    find_losses(FOREST, _path(1, 1), losses)
    find_costs(losses, np.int64(2), _classes(), costs)
    # (2 + 2)(1/3 + 1) - 0, (2 + 2)(1 + 1) - 2/3 and (3 + 2) 2 - 3 · 2.
    assert costs.tolist() == pytest.approx([16 / 3, 22 / 3, 4])


def test_a_class_is_lifted_to_the_common_ancestors() -> None:
    classes = _classes()
    lift_class(FOREST, _path(1, 0), np.int64(0), classes)
    assert classes.node[0].tolist() == [4, 7]
    assert classes.lost[0] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("what", "last"), [(SIZE, True), (DISTINCT, True), (HITTING, True), (SHARE, False)]
)
def test_what_a_further_member_can_break(what: int, last: bool) -> None:
    assert bool(lasts(what)) == last


def test_only_what_can_break_is_judged() -> None:
    """One row of 'a': too few, but no matter; and more than half of it is one value."""
    few = _asked("ab", {"k-anonymity": {"k": 9}})
    none = np.empty(0, np.int32)
    counts = few.counts
    counts[0] = counts[2] = 1
    one = np.int64(1)
    assert keeps_holding(few.bounds, one, one, counts, few.facts, few.people, none)
    share = _asked("ab", {"alpha-k": {"alpha": 0.5, "k": 1}})
    assert not keeps_holding(share.bounds, one, one, counts, share.facts, share.people, none)


def test_the_cheapest_class_that_still_holds() -> None:
    """Person 6 has 'a': with class 0 that would be two of three."""
    asked = _asked("abcdbcad", {"alpha-k": {"alpha": 0.5, "k": 2}})
    kept, units = np.zeros((1, 8), np.int64), np.empty(9, np.int32)

    def chosen(*costs: float) -> int:
        return int(
            choose_class(
                np.int64(6),
                np.int64(1),
                np.array(costs),
                _classes(),
                asked,
                kept,
                units,
                np.empty(len(costs), np.int32),
            )
        )

    assert chosen(1.0, 3.0, 2.0) == 2
    assert chosen(1.0, 2.0, 2.0 - 5e-10) == 1
    asked = _asked("aaaaaaaa", {"alpha-k": {"alpha": 0.5, "k": 2}})
    assert chosen(1.0, 3.0, 2.0) == NOBODY


def test_those_left_over_join_one_after_the_other() -> None:
    """The first lifts class 0 to (west, 7), which the second then costs nothing more."""
    asked, classes = _asked("abcdefgh", {"k-anonymity": {"k": 2}}), _classes()
    out = np.empty(2, np.int32)
    codes, rows = np.array([[1, 0], [1, 0]], dtype=np.int32), np.array([1, 1])
    join_residual(FOREST, np.array([6, 7]), codes, rows, classes, asked, out)
    assert out.tolist() == [0, 0]
    assert classes.node[0].tolist() == [4, 7]
    assert (classes.n_rows[0], classes.n_units[0], classes.head[0]) == (4, 4, 7)
    assert classes.following[[7, 6]].tolist() == [6, 0]
