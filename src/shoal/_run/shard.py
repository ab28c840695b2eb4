"""How a table is cut into shards: by the plan alone, so that every engine gives the same tables."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal._run.cut import (
    Question,
    SlotCounts,
    by_counts,
    can_be_counted,
    counted_sensitive,
    plan_cuts,
)
from shoal._run.headcount import Heads, Sizes, people_can_be_counted, plan_people
from shoal._run.secret import Secrets, table_columns
from shoal.method.baseline.mondrian import cut_table, marked_classes
from shoal.method.lgb.bucket import Rule
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.space import stack_columns


@dataclass(frozen=True)
class Shard:
    """A part of the table that is processed alone; no person is in two of them.

    `units` are its units in the numbers of the whole table, in the shard's own order.
    """

    number: int
    table: Table
    units: NDArray[np.int64]

    def places(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places of chosen units among those of this shard, in the order of the chosen."""
        if not len(chosen):
            return chosen
        place = {unit: i for i, unit in enumerate(self.units.tolist())}
        return np.array([place[u] for u in chosen.tolist() if u in place], dtype=np.int64)

    def seed(self, seed: int | str) -> int:
        """The seed of this shard, from the plan's seed and the shard's number only."""
        return shard_seed(seed, self.number)


def shard_seed(seed: int | str, number: int) -> int:
    """The seed of a shard, from the plan's seed and the number of the shard."""
    digest = hashlib.sha256(f"{seed}/{number}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


def shard_table(
    table: Table,
    requirements: Requirements,
    rows: int | None,
    threads: int = 1,
    rules: Mapping[str, Rule] | None = None,
) -> list[Shard]:
    """Cut a table into shards of at most about `rows`; None: it stays whole.

    `rules` are those of buckets, which every shard must be able to make of its own secrets.

    Shards are the top of a Mondrian tree: similar people stay together, and every shard meets what
    is required of a class. A table that stays whole keeps its order; within a shard rows are sorted
    by all coded columns, ties in the order of the table.
    """
    if rows is None or table.n_rows <= rows:
        return [Shard(0, table, np.arange(table.n_units))]
    if can_be_counted(requirements):
        shard_of_row = _cut_by_counts(table, by_counts(requirements), rows, rules)
    elif people_can_be_counted(requirements):
        shard_of_row = _cut_by_people(table, requirements, rows)
    else:
        shard_of_row = _cut_by_units(table, requirements, rows, threads)
    keys = [table.columns[a.name].codes for a in reversed(table.schema.attributes)
            if a.name in table.columns]  # fmt: skip
    by_content = np.lexsort([*keys, shard_of_row])
    parts = np.split(by_content, np.cumsum(np.bincount(shard_of_row))[:-1])
    return [Shard(i, table.take(part), table.units_in(part)) for i, part in enumerate(parts)]


def _cut_by_counts(
    table: Table, requirements: Requirements, rows: int, rules: Mapping[str, Rule] | None
) -> NDArray[np.int64]:
    """The shard of every row, by counts of codes alone."""
    if rules:
        secrets = Secrets.of(table, rules)
        codes = stack_columns(table_columns(table, secrets))
        count = partial(_counted, codes)
        return plan_cuts(requirements, rows, count, secrets).find(codes)
    sensitive = counted_sensitive(requirements)
    columns = [table.columns[a.name].codes for a in table.schema.quasi]
    codes = stack_columns([*columns, *(c.codes for c in sensitive)])
    return plan_cuts(requirements, rows, partial(_counted, codes)).find(codes)


def _counted(codes: NDArray[Any], question: Question) -> SlotCounts:
    return question.count(codes)


def _cut_by_people(table: Table, requirements: Requirements, rows: int) -> NDArray[np.int64]:
    """The same where people have several rows: by counts of people."""
    heads = Heads.of(table)
    sizes = Sizes.of(heads.n_rows())
    cuts = plan_people(requirements, sizes, rows, lambda question: question.count(heads))
    return np.asarray(cuts.find(heads.descriptions)[heads.person])


def _cut_by_units(
    table: Table, requirements: Requirements, rows: int, threads: int
) -> NDArray[np.int64]:
    """The same where people ask for sizes of their own or stand for others, which nobody counts."""
    stop = max(1, rows * table.n_units // table.n_rows)
    found = marked_classes(*cut_table(table, requirements, "balanced", stop, threads=threads))
    return table.by_row(found.unit_class).astype(np.int64)


def rows_of(table: Table, units: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of some units, in table order."""
    if table.people is None:
        return np.sort(units)
    chosen = np.zeros(table.n_units, dtype=np.bool_)
    chosen[units] = True
    return np.flatnonzero(chosen[table.unit_of_row()])
