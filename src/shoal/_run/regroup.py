"""Classes that took somebody in, divided again together with the class nearest to them.

Somebody who joins a class leaves the borders of all others where they were, although other borders
might lose less. If the method finds the best classes of so few units, it is asked to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.shard import rows_of, shard_seed
from shoal._run.solve import MethodView
from shoal.method import Task
from shoal.method.workshop import ClassBoxes, class_boxes
from shoal.plan import Plan
from shoal.table import Table
from shoal.table.partition import Partition, class_members
from shoal.table.space import space_of

if TYPE_CHECKING:
    from shoal.kernels.box.space import Space

# Small updates alone: in large ones there is little to gain, and everybody else would move.
_MOST_MOVED, _MOST_PAIRS = 100, 2_000_000
# Less than this is rounding, and no reason to move anybody.
_GAIN = 1e-9


def regroup(
    plan: Plan, coded: CodedInput, view: MethodView, partition: Partition, moved: NDArray[np.bool_]
) -> Partition:
    """The same with each class that moved, and its nearest, divided again where that loses less.

    The nearest class is the one with which the union adds least (ties: the earlier). A class takes
    part once. Nothing is tried with more units than the method divides exactly.
    """
    numbers = np.flatnonzero(moved)
    n_pairs = len(numbers) * partition.n_classes
    if len(numbers) > _MOST_MOVED or n_pairs > _MOST_PAIRS or partition.n_classes < 2:
        return partition
    if not plan.method.exact_units or partition.heights is not None:
        return partition
    boxes, sizes = class_boxes(view.table, partition), partition.sizes()
    space = space_of(view.table.quasi, plan.objective)
    lost = boxes.lost(space)
    starts, units = class_members(partition)
    counted = view.table.counted()
    unit_class, n_classes = partition.unit_class.copy(), partition.n_classes
    taken: set[int] = set()
    for number in numbers.tolist():
        added = _together(space, boxes, number, sizes, lost)
        # Rounded, so that the last bit of a sum does not choose the class.
        nearest = int(np.argmin(np.round(added, 9)))
        pool = [units[starts[c] : starts[c + 1]] for c in (number, nearest)]
        members = np.sort(np.concatenate(pool)).astype(np.int64)
        if taken & {number, nearest} or len(members) > plan.method.exact_units:
            continue
        found = part_anew(plan, coded, view, counted, members, number)
        before = sizes[[number, nearest]] @ lost[[number, nearest]]
        if found is None or _loss(*found, space) > before - _GAIN:
            continue
        taken |= {number, nearest}
        place = np.arange(n_classes - 2, n_classes - 2 + found[1].n_classes)
        place[:2] = number, nearest
        unit_class[members] = place[found[1].unit_class]
        n_classes += found[1].n_classes - 2
    return replace(partition, unit_class=unit_class.astype(np.int32), n_classes=n_classes)


def part_anew(
    plan: Plan,
    coded: CodedInput,
    view: MethodView,
    counted: Table,
    members: NDArray[np.int64],
    number: int,
) -> tuple[Table, Partition] | None:
    """These units as the method divides them; None if somebody is left out, or a class fails.

    `counted` is the table of the view with the counts of the whole at hand.
    """
    table = counted.take(rows_of(counted, members))
    requirements = view.requirements.on(table)
    seed = shard_seed(coded.lots.seed, number)
    found = plan.method.partition(Task(table, requirements, seed, plan.objective))
    if found.n_suppressed or found.n_classes < 2 or requirements.failing(found).any():
        return None
    return table, found


def _together(
    space: Space,
    boxes: ClassBoxes,
    number: int,
    sizes: NDArray[np.int64],
    lost: NDArray[np.float64],
) -> NDArray[np.float64]:
    """What the union of a class with each other class adds; infinite with itself."""
    both = boxes._replace(
        low=np.minimum(boxes.low, boxes.low[number]),
        high=np.maximum(boxes.high, boxes.high[number]),
        words=boxes.words | boxes.words[number],
    )
    after = (sizes + sizes[number]) * both.lost(space)
    added = after - sizes * lost - sizes[number] * lost[number]
    added[number] = np.inf
    return np.asarray(added)


def _loss(table: Table, partition: Partition, space: Space) -> float:
    """What all units of some classes lose."""
    return float(partition.sizes() @ class_boxes(table, partition).lost(space))
