"""Classes of an earlier run for a table with secrets in which people came and left.

Every class has one pattern: what its people show, keep secret or withhold. New people join a class
of their own pattern, by what others may know of them; if there is none, one that withholds what
they differ in. Classes that have become too small are taken apart, and their people join others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.renew import Earlier, Renewal, divide, moved_classes, start_from
from shoal._run.solve import MethodView, check_suppression
from shoal.method.arrival import join_nearest
from shoal.method.lgb.bucket import rules_of
from shoal.method.lgb.excess import rows_in_excess
from shoal.method.lgb.pattern import own_patterns
from shoal.method.repair import Repair
from shoal.plan import Plan
from shoal.recode import allowed_threads
from shoal.schema import Schema
from shoal.table import Table
from shoal.table.partition import PUBLIC, SUPPRESSED, WITHHELD, Partition

UnitNumbers = NDArray[np.int64]


def renew_patterns(
    plan: Plan, coded: CodedInput, earlier: Earlier, left_out: NDArray[np.bool_] | None = None
) -> Renewal | None:
    """The classes of a table, most of which are known; None where all must be made again.

    That is so if somebody fits no class, or if secrets are too frequent for their buckets, so that
    some must be left out. If it is known who is `left_out`, buckets can hold everybody else.
    """
    view = MethodView.of(coded)
    if earlier.patterns is None:
        return None
    start, is_new = start_from(coded, view, earlier)
    out = np.zeros(len(is_new), dtype=np.bool_) if left_out is None else left_out[view.units]
    unit_class = np.where(out, SUPPRESSED, start.unit_class).astype(np.int32)
    begun = replace(start, unit_class=unit_class)
    own = own_patterns(view.table)
    found = _join(plan, view.table, begun, np.flatnonzero(is_new & ~out), own)
    if found is None:
        return None
    small = _too_small(view, found)
    while len(small):
        loose = np.flatnonzero(np.isin(found.unit_class, small))
        rest = found.unit_class.copy()
        rest[loose] = SUPPRESSED
        found = _join(plan, view.table, found.renumbered(rest), loose, own)
        if found is None:
            return None
        small = _too_small(view, found)
    moved = moved_classes(begun, found, is_new)
    assert found.pattern is not None
    # The method would part those whose differences a class withholds.
    whole = (found.pattern != WITHHELD).all(axis=1)
    found = divide(plan, coded, view, found, moved & whole)
    rules = rules_of(plan.models, view.table.schema)
    if left_out is None and len(rows_in_excess(view.table, found, rules)):
        return None
    repaired = Repair(view.given(found), n_suppressed=found.n_suppressed)
    check_suppression(plan, coded.table, repaired)
    return Renewal(repaired, int(np.count_nonzero(moved)))


def _too_small(view: MethodView, partition: Partition) -> NDArray[np.int64]:
    return np.flatnonzero(view.requirements.failing(partition))


def _join(
    plan: Plan, table: Table, partition: Partition, units: UnitNumbers, own: NDArray[np.int8]
) -> Partition | None:
    """The same with these units, which are in none, in classes that fit; None: one fits none."""
    assert partition.pattern is not None
    unit_class = partition.unit_class.copy()
    patterns, of_unit = np.unique(own[units], axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        some = units[of_unit.ravel() == i]
        classes = _fitting(partition.pattern, pattern)
        if not len(classes):
            return None
        public = np.flatnonzero(partition.pattern[classes[0]] == PUBLIC)
        unit_class[some] = _nearest(table, partition, classes, some, public.tolist(), plan)
    return replace(partition, unit_class=unit_class)


def _fitting(patterns: NDArray[np.int8], own: NDArray[np.int8]) -> UnitNumbers:
    """The classes of one pattern that a person with this one can join: with least withheld."""
    fits = ((patterns == own) | (patterns == WITHHELD)).all(axis=1)
    withheld = np.where(fits, (patterns == WITHHELD).sum(axis=1), patterns.shape[1] + 1)
    if not fits.any():
        return np.empty(0, dtype=np.int64)
    chosen = patterns[int(np.argmin(withheld))]
    return np.flatnonzero((patterns == chosen).all(axis=1))


def _nearest(
    table: Table,
    partition: Partition,
    classes: UnitNumbers,
    units: UnitNumbers,
    public: Sequence[int],
    plan: Plan,
) -> NDArray[np.int32]:
    """Of these classes the one that grows least by each unit, over what others may know."""
    if not public:
        return np.full(len(units), classes[0], dtype=np.int32)
    place = np.full(partition.n_classes + 1, SUPPRESSED, dtype=np.int32)
    place[classes] = np.arange(len(classes), dtype=np.int32)
    shown = replace(table, schema=Schema(tuple(table.schema.quasi[j] for j in public)))
    among = Partition(place[partition.unit_class], len(classes))
    joined = join_nearest(shown, among, units, plan.objective, allowed_threads())
    return classes[joined.unit_class[units]].astype(np.int32)
