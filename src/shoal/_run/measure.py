"""From the published tables to a release: measured, counted, and with all that advice needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput, list_guesses
from shoal._run.publish import Labelled, Ordered, Verified, may_be_unmet
from shoal._run.release import Release
from shoal.measure import View, measures_of
from shoal.method.repair import Repair
from shoal.model import Model
from shoal.plan import Plan
from shoal.plan.portable import portable
from shoal.release.outcome import Concealment, Counts, seal
from shoal.report.graph import MOST_DRAWN
from shoal.table import Table
from shoal.table.partition import Partition


def measure(
    plan: Plan, coded: CodedInput, repaired: Repair, ordered: Ordered, verified: Verified
) -> Release:
    """The release of a run; measures are computed when they are read."""
    labelled, published = ordered.labelled, verified.published
    concealed = labelled.concealed
    view = view_of(plan, coded, labelled)
    small = coded.merged.n_units <= MOST_DRAWN
    return Release(
        published=published,
        verdicts=verified.verdicts,
        measures=measures_of(view),
        counts=replace(
            _counts(coded, repaired, labelled.partition, len(ordered.rows), view.n_published),
            entries=sum(published.counterfeits.values()),
        ),
        table=coded.table,
        number=ordered.number,
        source=coded.source.frame,
        types=coded.source.types,
        declared=plan.declared_schema,
        plan_digest=plan.digest(),
        republish=plan.republish,
        input_digest=coded.lots.digest,
        seed=coded.lots.seed,
        method=plan.method.name,
        display=plan.method.display,
        format=plan.output_format,
        tried=repaired.tried,
        notes=(
            *list_guesses(plan, coded.table, coded.source.forms),
            *plan.method.choice(repaired.tried, plan.objective),
        ),
        may_be_unmet=may_be_unmet(plan),
        replaced=coded.source.replaced,
        verified=seal(published.halves or published.tables),
        portable=portable(plan),
        plan_text=plan.text or plan.to_yaml(),
        distances=plan.method.distances(coded.merged) if small else None,
        leaks=(labelled.showing.before, labelled.showing.after),
        concealment=Concealment(concealed.n_merged, concealed.n_lifted)
        if plan.method.display.conceal
        else None,
    )


def view_of(plan: Plan, coded: CodedInput, labelled: Labelled) -> View:
    """What is measured: every record once."""
    records = np.flatnonzero(coded.published_once)
    return View(
        coded.merged,
        labelled.partition,
        labelled.labels,
        _required_k(plan.models, coded.table),
        plan.models,
        labelled.buckets,
        {name: cells.take(records) for name, cells in labelled.showing.cells.items()},
        plan.polish is not None,
    )


def _required_k(models: Sequence[Model], table: Table) -> NDArray[np.int32] | None:
    """The largest k that a model requires for each unit; None where no model requires one."""
    named = [sizes for model in models if (sizes := model.asked_k(table)) is not None]
    return np.maximum.reduce(named) if named else None


def _counts(
    coded: CodedInput, repaired: Repair, partition: Partition, n_rows: int, n_published: int
) -> Counts:
    table, n_counterfeits = coded.table, coded.source.n_counterfeits
    n_people = None if table.people is None else len(table.people)
    return Counts(
        rows=table.n_rows - n_counterfeits,
        published=n_rows,
        suppressed=coded.merged.n_rows - n_rows,
        repeated=coded.n_repeated,
        suppressed_by_repair=repaired.n_suppressed,
        merged_by_repair=repaired.n_merged,
        singly=repaired.n_single,
        classes=n_published,
        people=None if n_people is None else n_people - n_counterfeits,
        counterfeits=n_counterfeits,
        published_people=None if table.people is None else int(partition.sizes().sum()),
        **_withheld(partition),
    )


def _withheld(partition: Partition) -> dict[str, int]:
    """How many cells are published nowhere, and in how many rows, where there are secrets."""
    if partition.pattern is None:
        return {}
    return dict(zip(("withheld", "withheld_rows"), partition.withheld(), strict=True))
