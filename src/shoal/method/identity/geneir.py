"""GeneIR: one hierarchy after the other climbs by chance, the baseline of DAnonyIR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.method.base import Method, Task
from shoal.method.mks3wd.climb import UnitNumbers
from shoal.method.mks3wd.ladder import group_units
from shoal.model.requirement import Requirements
from shoal.table import Domain, Table
from shoal.table.distinct import first_of
from shoal.table.partition import COVER, SUPPRESSED, Partition, class_members
from shoal.table.space import packed_rows

if TYPE_CHECKING:
    from shoal.kernels.growth.residual import Forest, Released


class GeneIR(Method):
    """Generalise one quasi-identifier at a time, drawn by the seed, and release groups that pass.

    The baseline of identity-reserved anonymity (section 6.1.3). People with the same values are a
    group; people in no group that meets the requirements climb one level of one hierarchy, drawn
    from those below their top, until nobody is left, those left would fail even together, or
    everything is at the top. Each of those left, in the order of the table, then joins the class
    where that adds the least loss (glm, its nodes lifted to common ancestors) among those that
    still pass, or is not published. Losses within 1e-9 are equal; then the class that was released
    first counts.
    """

    name: ClassVar[str] = "geneir"
    cite: ClassVar[papers.Citations] = (
        papers.cite("identity", "section 6.1.3"),
        papers.cite("tong"),
    )
    limits: ClassVar[str] = (
        "Chance decides which hierarchy to climb: another seed may lose much more or much less. "
        "Loses more than danonyir, but is quicker. Needs a hierarchy for every quasi-identifier."
    )
    needs_hierarchy: ClassVar[bool] = True

    def partition(self, task: Task) -> Partition:
        return place_residual(task, release_groups(task))


def release_groups(task: Task) -> Partition:
    """The groups that hold on the way up, in order of release; who is left is suppressed."""
    table, rng = task.table, np.random.default_rng(task.seed)
    tops = np.array([d.tree.height - 1 for d in table.quasi if d.tree is not None])
    levels = np.zeros(len(tops), dtype=np.int16)
    left = np.arange(table.n_units)
    # The size of the group in which a unit failed before: one that did not grow fails again.
    failed = np.zeros(table.n_units, dtype=np.int64)
    unit_class = np.full(table.n_units, SUPPRESSED, dtype=np.int32)
    heights: list[NDArray[np.int16]] = []
    while True:
        group, n_groups = group_units(table, left, levels.tolist())
        sizes = np.bincount(group, minlength=n_groups)
        grown = sizes > failed[left[first_of(group, n_groups)]]
        number = _number_held(group, left, grown, task.requirements)
        unit_class[left] = np.where(number < 0, SUPPRESSED, number + _total(heights))[group]
        heights.append(np.tile(levels, (int(number.max(initial=-1)) + 1, 1)))
        failed[left] = sizes[group]
        left = left[number[group] < 0]
        below = np.flatnonzero(levels < tops)
        if not (len(left) and len(below) and task.requirements.holds(left.astype(np.int32))):
            return Partition(unit_class, _total(heights), np.concatenate(heights))
        levels[below[int(rng.integers(len(below)))]] += 1


def _total(heights: list[NDArray[np.int16]]) -> int:
    """How many classes there are in all rounds."""
    return sum(map(len, heights))


def _number_held(
    group: NDArray[np.int32],
    left: UnitNumbers,
    grown: NDArray[np.bool_],
    requirements: Requirements,
) -> NDArray[np.int32]:
    """The groups that hold, numbered from 0; SUPPRESSED for the others and those not grown.

    group[i] is the group of left[i].
    """
    judged = np.flatnonzero(grown)
    place = np.full(len(grown), SUPPRESSED, dtype=np.int32)
    place[judged] = np.arange(len(judged), dtype=np.int32)
    starts, members = class_members(Partition(place[group], len(judged)))
    held = judged[~requirements.misses(starts, left[members].astype(np.int32))]
    number = np.full(len(grown), SUPPRESSED, dtype=np.int32)
    number[held] = np.arange(len(held), dtype=np.int32)
    return number


def place_residual(task: Task, released: Partition) -> Partition:
    """Everyone who is left joins the class where that adds least, if one still holds with them."""
    from shoal.kernels.growth.residual import join_residual

    table, asked = task.table, task.requirements
    residual = np.flatnonzero(released.unit_class == SUPPRESSED)
    if not len(residual) or not released.n_classes:
        return released
    codes, rows = packed_rows(table), table.unit_rows()
    forest, levels = _forest(table.quasi)
    classes = _released(table, released, rows, forest)
    chosen = np.empty(len(residual), dtype=np.int32)
    own = codes[residual].astype(np.int32)
    # The paper takes the closest class, even where it no longer holds with them in it.
    join_residual(forest, residual, own, rows[residual], classes, asked.required(), chosen)
    unit_class = released.unit_class.copy()
    unit_class[residual] = chosen
    return replace(released, unit_class=unit_class, heights=levels[classes.node])


def _forest(domains: Sequence[Domain]) -> tuple[Forest, NDArray[np.int16]]:
    """The trees of the quasi-identifiers up to one root, and the level of every node.

    COVER for a root that closes several tops: it is no level of the hierarchy.
    """
    from shoal.kernels.growth.residual import Forest

    start, above, loss, levels = [0], [], [], []
    for domain in domains:
        assert domain.tree is not None
        tree = domain.tree.closed()
        top = tree.height - 1
        above.append(start[-1] + tree.node[np.minimum(tree.level + 1, top), tree.first])
        loss.append((tree.n_under(np.arange(tree.n_nodes)) - 1) / max(tree.n_leaves - 1, 1))
        levels.append(np.where(tree.level < domain.tree.height, tree.level, COVER))
        start.append(start[-1] + tree.n_nodes)
    forest = Forest(
        np.array(start, dtype=np.int64),
        np.concatenate(above).astype(np.int32),
        np.concatenate(loss),
    )
    return forest, np.concatenate(levels).astype(np.int16)


def _released(
    table: Table, partition: Partition, rows: NDArray[np.int64], forest: Forest
) -> Released:
    """The classes as the kernel lets them grow."""
    from shoal.kernels.growth.residual import NOBODY, Released

    assert partition.heights is not None
    starts, units = class_members(partition)
    head, n_units = units[starts[:-1]], np.diff(starts)
    node = np.empty(partition.heights.shape, dtype=np.int32)
    for j, domain in enumerate(table.quasi):
        assert domain.tree is not None
        codes = table.unit_codes(domain.attribute.name)[head]
        node[:, j] = forest.start[j] + domain.tree.node[partition.heights[:, j], codes]
    following = np.full(table.n_units, NOBODY, dtype=np.int32)
    following[units[:-1]] = units[1:]
    following[units[starts[1:] - 1]] = NOBODY
    n_rows = np.add.reduceat(rows[units], starts[:-1])
    place = np.full(len(head), NOBODY, dtype=np.int64)
    return Released(node, forest.loss[node].sum(axis=1), n_rows, n_units, head, following, place)
