"""Classes of an earlier run for a table in which people came and left.

New people join the class where that loses least (ties: the earlier), and classes that do not hold
are repaired. If nothing is sensitive, a few classes that took somebody in are divided again with
their nearest, if that loses less. Then classes that took somebody in and could be two are divided
again by the method, on their own. Everybody else stays where they are, so the work is that of
the people who came and left (graph paper, section 3.4, Table 12).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.engine import Engine
from shoal._run.level import settle_levels
from shoal._run.regroup import part_anew, regroup
from shoal._run.solve import MethodView, check_suppression, solve
from shoal.method.arrival import join_nearest
from shoal.method.repair import Repair, repair
from shoal.plan import Plan
from shoal.table.distinct import first_of
from shoal.table.partition import SUPPRESSED, Partition, class_members


@dataclass(frozen=True)
class Earlier:
    """The class of every row that was there (0: new, or suppressed), and what is known of classes.

    `heights` and `patterns` are as in `Partition`, by the numbers of classes from 1. `together`:
    nobody is parted from the class only to lose less.
    """

    classes: NDArray[np.int64]
    heights: NDArray[np.int16] | None
    patterns: NDArray[np.int8] | None = None
    together: bool = False

    def of_units(self, coded: CodedInput, view: MethodView) -> NDArray[np.int64]:
        """The class of every unit of a view, as those of rows are given."""
        of_unit = np.zeros(coded.table.n_units, dtype=np.int64)
        np.maximum.at(of_unit, coded.table.unit_of_row(), self.classes)
        return np.asarray(of_unit[view.units])


@dataclass(frozen=True)
class Renewal:
    """The classes, and how many of them were computed again: all, where that is the `whole`."""

    repaired: Repair
    n_touched: int
    whole: bool = False


def renew(plan: Plan, coded: CodedInput, engine: Engine, earlier: Earlier) -> Renewal:
    """The classes of a table, most of which are known.

    Not of a method with secrets: see `renew_patterns`.
    """
    view = MethodView.of(coded)
    start, is_new = start_from(coded, view, earlier)
    if not start.n_classes:
        return Renewal(solve(plan, coded, engine), 0, whole=True)
    new = np.flatnonzero(is_new)
    joined = join_nearest(view.table, start, new, plan.objective, engine.threads)
    failing = view.requirements.failing(joined)
    repaired = repair(
        view.table, view.requirements, joined, failing, plan.suppression_limit, plan.objective
    )
    moved = moved_classes(start, repaired.partition, is_new)
    # Whoever has both versions looks for a person among those who share both classes: to part
    # people who were together leaves fewer of them, and fewer of their sensitive values.
    if not (earlier.together or plan.schema.sensitive):
        regrouped = regroup(plan, coded, view, repaired.partition, moved)
        repaired = replace(repaired, partition=regrouped)
        moved = moved_classes(start, regrouped, is_new)
    repaired = replace(repaired, partition=divide(plan, coded, view, repaired.partition, moved))
    repaired = settle_levels(
        view.table, view.requirements, repaired, plan.suppression_limit, plan.objective
    )
    repaired = replace(repaired, partition=view.given(repaired.partition))
    check_suppression(plan, coded.table, repaired)
    return Renewal(repaired, int(np.count_nonzero(moved)))


def start_from(
    coded: CodedInput, view: MethodView, earlier: Earlier
) -> tuple[Partition, NDArray[np.bool_]]:
    """Everybody where they were, new people in no class; and who is new."""
    known = earlier.of_units(coded, view)
    # Classes in the order of their first units, as methods number them.
    first = first_of(known, int(known.max(initial=0)) + 1)
    # 0 is no class: whoever has it is new.
    first[0] = len(known)
    by_first = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(known))]
    rank = np.full(len(first), SUPPRESSED, dtype=np.int32)
    rank[by_first] = np.arange(len(by_first), dtype=np.int32)
    heights = None if earlier.heights is None else earlier.heights[by_first - 1]
    patterns = None if earlier.patterns is None else earlier.patterns[by_first - 1]
    return Partition(rank[known], len(by_first), heights, pattern=patterns), known == 0


def moved_classes(start: Partition, end: Partition, is_new: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which classes have a new unit, or units of several classes."""
    kept = end.unit_class != SUPPRESSED
    moved = np.zeros(end.n_classes, dtype=np.bool_)
    moved[end.unit_class[kept & is_new]] = True
    kept &= ~is_new
    before, after = start.unit_class[kept], end.unit_class[kept]
    one = np.full(end.n_classes, SUPPRESSED, dtype=np.int32)
    one[after] = before
    moved[after[before != one[after]]] = True
    return moved


def divide(
    plan: Plan, coded: CodedInput, view: MethodView, partition: Partition, moved: NDArray[np.bool_]
) -> Partition:
    """The same with large classes that took somebody in divided by the method.

    A part of a class covers no more than the class did, so dividing never loses; a division
    that leaves somebody out, or a class that does not hold, is not taken.
    """
    least = max(view.requirements.least, 1)
    sizes = partition.sizes()
    starts, units = class_members(partition)
    unit_class, n_classes = partition.unit_class.copy(), partition.n_classes
    heights = [] if partition.heights is None else [partition.heights]
    from_class = [np.arange(n_classes)]
    counted = view.table.counted()
    for number in np.flatnonzero(moved & (sizes >= 2 * least)).tolist():
        members = np.sort(units[starts[number] : starts[number + 1]]).astype(np.int64)
        parts = part_anew(plan, coded, view, counted, members, number)
        if parts is None:
            continue
        _, found = parts
        beyond = found.unit_class > 0
        unit_class[members[beyond]] = n_classes + found.unit_class[beyond] - 1
        n_classes += found.n_classes - 1
        from_class.append(np.full(found.n_classes - 1, number))
        if heights:
            own = found.heights_of(heights[0].shape[1])
            heights[0][number] = own[0]
            heights.append(own[1:])
    pattern = None if partition.pattern is None else partition.pattern[np.concatenate(from_class)]
    high = np.concatenate(heights) if heights else None
    return Partition(unit_class, n_classes, high, pattern=pattern)
