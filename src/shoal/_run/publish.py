"""From classes to published tables: concealed, labelled, ordered, laid out, verified.

Each stage takes the plan, the coded input and the result of the stage before it, and returns one
value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput
from shoal._run.signed import Bucketiser
from shoal.errors import Problem, VerificationError
from shoal.method.lgb.bucket import bucketise, rules_of
from shoal.method.merge import by_first_unit
from shoal.method.repair import Repair
from shoal.plan import Plan
from shoal.recode import (
    Concealed,
    Generalised,
    Lots,
    Publication,
    Showing,
    class_numbers,
    conceal_flags,
    generalise,
    published_order,
    show_sensitive,
)
from shoal.recode.bucket import Entries
from shoal.schema import Layout, Verdict
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition
from shoal.verify import Published, verify_release


@dataclass(frozen=True)
class Labelled:
    """What the cells of every class show, and the buckets of those that show nothing."""

    concealed: Concealed
    labels: Sequence[Generalised]
    showing: Showing
    buckets: dict[str, NDArray[np.int32]] | None
    entries: dict[str, Entries]

    @property
    def partition(self) -> Partition:
        """The classes that are published."""
        return self.concealed.partition


@dataclass(frozen=True)
class Ordered:
    """The input rows in published order, and the published number of every class."""

    labelled: Labelled
    rows: NDArray[np.int64]
    number: NDArray[np.int32]


@dataclass(frozen=True)
class Verified:
    """What is published, and the verdicts on it."""

    published: Published
    verdicts: tuple[Verdict, ...]


def conceal(plan: Plan, coded: CodedInput, repaired: Repair) -> Concealed:
    """Conceal what flags reveal; of classes that are as near, the earlier in table order."""
    units = None if coded.order is None else coded.merged.units_in(coded.order)
    return conceal_flags(
        coded.table,
        by_first_unit(repaired.partition, units),
        plan.method,
        plan.models,
        _drawer(coded.lots, "lift"),
        coded.published_once,
    )


def label(
    plan: Plan,
    coded: CodedInput,
    concealed: Concealed,
    shards: NDArray[np.int32] | None = None,
    versions: Bucketiser | None = None,
) -> Labelled:
    """Labels of classes, symbols of sensitive cells, buckets of secrets.

    `shards` is the shard of every class, where there are several. Buckets continue from those of
    earlier `versions`, where there are some.
    """
    table, partition = coded.table, concealed.partition
    buckets, draw = None, _drawer(coded.lots, "buckets")
    entries: dict[str, Entries] = {}
    if versions is not None:
        buckets, entries = versions.bucketise(plan, table, partition, draw)
    elif plan.method.layout.keeps_secrets:
        buckets = bucketise(table, partition, rules_of(plan.models, table.schema), draw, shards)
    return Labelled(
        concealed,
        generalise(table, partition, plan.ranges),
        show_sensitive(table, concealed, coded.published_once),
        buckets,
        entries,
    )


def order(plan: Plan, coded: CodedInput, labelled: Labelled) -> Ordered:
    """Order rows by what they show and by lot; number classes as they appear."""
    table, partition = coded.table, labelled.partition
    classes = table.by_row(partition.unit_class)
    # Where a row has no sensitive value of its own, neither may its place depend on it: a class
    # whose rows stood together by value would say which of its people share one.
    linked = plan.method.layout is not Layout.PLAIN
    rows, _ = published_order(
        table,
        coded.source.frame,
        labelled.labels,
        classes,
        coded.lots,
        coded.stands_for,
        [a.name for a in table.schema.sensitive] if linked else [],
        labelled.showing.cells,
        linked_by_number=linked,
    )
    return Ordered(labelled, rows, class_numbers(classes, rows, partition.n_classes))


def lay_out(plan: Plan, coded: CodedInput, ordered: Ordered) -> Published:
    """The published tables, with all that they are verified against."""
    table, rows, layout = coded.table, ordered.rows, plan.method.layout
    labelled = ordered.labelled
    classes = table.by_row(labelled.partition.unit_class)
    row_class = np.where(classes == SUPPRESSED, SUPPRESSED, ordered.number[classes])
    made = Publication(
        table,
        coded.source.frame,
        labelled.labels,
        classes[rows],
        row_class[rows],
        rows,
        plan.ranges,
        layout,
        labelled.buckets or {},
        labelled.showing.cells,
        labelled.entries,
    )
    tables = made.tables()
    return Published(
        tables,
        coded.source.given,
        rows,
        row_class,
        table.schema,
        plan.requirements,
        ranges=plan.ranges,
        layout=layout,
        suppression_limit=plan.suppression_limit,
        # Not the k that people require: a scheme may release them under a smaller one (Theorem 1
        # fails for sd-mks3wd by design), and the verifier holds it to that.
        released_k=_released_k(table, labelled.partition),
        symbols=labelled.showing.how,
        concealed=labelled.concealed.l,
        described_by=coded.source.first,
        population=coded.source.population,
        halves=made.linked(tables["data"]) if layout is Layout.LINKED else None,
        counterfeits={name: len(own) for name, own in labelled.entries.items() if len(own)},
    )


def _released_k(table: Table, partition: Partition) -> NDArray[np.int64] | None:
    """The k that each row was released under, where the method says so and nothing was repaired."""
    if partition.k is None:
        return None
    return table.by_row(partition.k).astype(np.int64)


def verify(plan: Plan, published: Published) -> Verified:
    """The verdicts on what is published; raises VerificationError where a requirement fails."""
    verdicts = verify_release(published)
    refuse_failing(plan, verdicts)
    return Verified(published, verdicts)


def refuse_failing(plan: Plan, verdicts: Sequence[Verdict]) -> None:
    """Raise VerificationError where a requirement fails that the method must meet."""
    allowed = may_be_unmet(plan)
    failing = [v for v in verdicts if v.holds is not True and v.requirement not in allowed]
    if failing:
        raise VerificationError(
            Problem(
                f"{v.requirement} cannot be confirmed: {v.note}."
                if v.holds is None
                else f"{v.requirement} does not hold: required {v.asked}, achieved {v.reached}, "
                f"{len(v.offending)} fail.",
                where=v.attribute or "",
            )
            for v in failing
        )


def may_be_unmet(plan: Plan) -> frozenset[str]:
    """The requirements that the method may leave unmet by its definition."""
    return frozenset(str(m.requirement()) for m in plan.models if plan.method.may_miss(m))


def _drawer(lots: Lots, what: str) -> Callable[[str], NDArray[np.uint64]]:
    return lambda name: lots.draw(f"{what} {name}")
