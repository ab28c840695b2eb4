"""Classes of a whole table from the counts of its coded rows, for methods that are defined so.

`ka` and `top-down` see only how often each combination of values occurs, and `sd-mks3wd` on which
side of every threshold its people's sensitivities are. A cluster counts them, one process finds the
classes on the different combinations, and every row looks its class up: the result is that of one
machine, however many rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.level import look_of_classes
from shoal._run.part.fact import INPUT, SHARD, Facts
from shoal._run.part.solve import Solver
from shoal.errors import InfeasibleError
from shoal.method import Task
from shoal.method.repair import Repair
from shoal.model import MultiLevelK
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Column, Table
from shoal.table.partition import SUPPRESSED, Partition

BY_COUNTS = ("ka", "top-down", "sd-mks3wd")
_N, _CLASS = "n", "class"
# The side of every threshold on which a sensitivity is, and one of those that are there.
_SIDE, _F = "side", "f"


@dataclass(frozen=True)
class RowCounter:
    """The different rows of codes in a batch, and how often each occurs.

    `thresholds` are those of sensitivities, where the method goes by them.
    """

    facts: Facts
    names: tuple[str, ...]
    thresholds: tuple[tuple[float, float], ...] = ()

    def __call__(self, rows: pl.DataFrame) -> pl.DataFrame:
        codes = self.codes(rows)
        how = [pl.len().cast(pl.Int64).alias(_N)]
        keys = codes.columns
        if self.thresholds:
            codes = codes.with_columns(pl.Series(_F, self.facts.sensitivity(rows)))
            how.append(pl.col(_F).min())
        return codes.group_by(keys).agg(how)

    def codes(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The codes that are counted, a column for each name, and the side of thresholds."""
        columns = [pl.Series(f"k{i}", self.facts.codes(rows, n)) for i, n in enumerate(self.names)]
        if self.thresholds:
            f = self.facts.sensitivity(rows)
            side = np.zeros(rows.height, dtype=np.uint64)
            for above, below in self.thresholds:
                side = 4 * side + 2 * (f >= above) + (f <= below)
            columns.append(pl.Series(_SIDE, side))
        return pl.DataFrame(columns)


def add_counts(one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
    """The counts of both."""
    keys = _keys(one)
    how = [pl.col(_N).sum(), *([pl.col(_F).min()] if _F in one.columns else [])]
    return pl.concat([one, other]).group_by(keys).agg(how)


def _keys(counts: pl.DataFrame) -> list[str]:
    return [name for name in counts.columns if name not in (_N, _F)]


@dataclass(frozen=True)
class Assignment:
    """The class of every different row of codes, and the bin of rows that each class is in.

    Classes that publish the same labels are in one bin, so whole classes are judged there.
    """

    counter: RowCounter
    counts: pl.DataFrame
    partition: Partition
    bins: NDArray[np.int64]
    n_bins: int

    def place(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Coded rows with the number of their bin; those that are left out go anywhere."""
        classes = self.classes(rows)
        anywhere = rows[INPUT].to_numpy() % np.uint64(self.n_bins)
        kept = classes != SUPPRESSED
        number = anywhere.astype(np.uint32)
        number[kept] = self.bins[classes[kept]]
        return rows.with_columns(pl.Series(SHARD, number)).sort(SHARD, maintain_order=True)

    def classes(self, rows: pl.DataFrame) -> NDArray[np.int32]:
        """The class of every coded row."""
        codes = self.counter.codes(rows)
        found = codes.join(self._known, on=codes.columns, how="left", maintain_order="left")
        return found[_CLASS].to_numpy()

    @cached_property
    def _known(self) -> pl.DataFrame:
        known = self.counts.select(_keys(self.counts))
        return known.with_columns(pl.Series(_CLASS, self.partition.unit_class))

    def repaired(self, rows: pl.DataFrame) -> Repair:
        """The classes of the rows of a bin, numbered without gaps."""
        found, classes = self.partition, self.classes(rows)
        return Repair(Partition(classes, found.n_classes, found.heights).renumbered(classes))


@dataclass(frozen=True)
class AssignedSolver(Solver):
    """The labels and the verification of one bin of classes that are found already."""

    assignment: Assignment | None = None

    def classes(self, shard: pl.DataFrame, table: Table, number: int) -> Repair:
        assert self.assignment is not None
        return self.assignment.repaired(shard)


def counted_names(facts: Facts, requirements: Requirements) -> tuple[str, ...]:
    """The attributes on whose values the classes depend."""
    sensitive = facts.schema.sensitive if requirements.beyond_size else ()
    return tuple(a.name for a in (*facts.schema.quasi, *sensitive))


def counted_thresholds(plan: Plan, requirements: Requirements) -> tuple[tuple[float, float], ...]:
    """The thresholds of sensitivities on which the classes depend."""
    model = requirements.find(MultiLevelK)
    return model.thresholds if model is not None and plan.method.by_levels else ()


def assign(
    plan: Plan, counter: RowCounter, requirements: Requirements, counts: pl.DataFrame, n_rows: int
) -> Assignment:
    """Find the classes by the plan's method; bins have about `n_rows`.

    Raises InfeasibleError where classes fail that the method would have to repair row by row.
    """
    # In the order of codes, so that it does not matter how the counts were merged.
    counts = counts.sort(_keys(counts))
    weight = counts[_N].to_numpy()
    table = _table(counter, counts, weight)
    partition = _partition(plan, requirements, table, weight)
    by_size = requirements.personal
    if by_size or Requirements.weighted(requirements, table).failing(partition).any():
        raise InfeasibleError(
            f"{plan.method.name} leaves classes that must be repaired row by row, which counts of "
            "rows do not allow.",
            hint="Add 'shards: {rows: 1000000}' to the plan, or require less.",
        )
    kept = partition.unit_class != SUPPRESSED
    classes = partition.unit_class[kept]
    sizes = np.bincount(classes, weight[kept], partition.n_classes).astype(np.int64)
    bins = _bins(look_of_classes(table, partition), sizes, n_rows)
    return Assignment(counter, counts, partition, bins, int(bins.max(initial=0)) + 1)


def _table(counter: RowCounter, counts: pl.DataFrame, weight: NDArray[np.int64]) -> Table:
    facts = counter.facts
    columns = {
        name: Column(facts.codings[name].domain, counts[f"k{i}"].to_numpy())
        for i, name in enumerate(counter.names)
    }
    # Values that nothing depends on are not counted; the table has a column of them all the same.
    for a in facts.schema.sensitive:
        if a.name not in columns:
            coding = facts.codings[a.name]
            columns[a.name] = Column(coding.domain, np.zeros(counts.height, coding.codes.dtype))
    every = {name: coding.counts for name, coding in facts.codings.items()}
    f = counts[_F].to_numpy() if _F in counts.columns else None
    return Table(
        facts.schema, columns, counts.height, counts_all=every, sensitivity=f, weight=weight
    )


def _partition(
    plan: Plan, requirements: Requirements, table: Table, weight: NDArray[np.int64]
) -> Partition:
    """The classes of the different rows."""
    if plan.method.takes_counts(table, requirements):
        task = Task(table, Requirements.weighted(requirements, table), 0, plan.objective)
        return plan.method.partition(task)
    row = np.repeat(np.arange(len(weight)), weight)
    whole = replace(table.take(row), counts_all=table.counts_all, weight=None)
    found = plan.method.partition(Task(whole, requirements.on(whole), 0, plan.objective))
    return replace(
        found,
        # The last row of every run of equal ones, which are all in one class.
        unit_class=found.unit_class[np.cumsum(weight) - 1],
        level=None,
        k=None,
        region=None,
    )


def _bins(look: NDArray[np.int32], sizes: NDArray[np.int64], n_rows: int) -> NDArray[np.int64]:
    """The bin of every class: looks one after the other until a bin has about `n_rows`."""
    together = np.zeros(int(look.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(together, look, sizes)
    before = np.cumsum(together) - together
    return np.asarray(np.unique(before // n_rows, return_inverse=True)[1][look])
