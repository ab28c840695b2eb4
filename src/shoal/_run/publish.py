"""From classes to a release: shown, recoded, verified, measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.code import Coded
from shoal.errors import Problem, VerificationError
from shoal.folder import private_classes, private_rows, write_release
from shoal.measure import View, measures_of
from shoal.method import QIMHSA, GraphMethod, LocalGeneralisation, Method
from shoal.method.lgb.bucket import bucketise, rules_of
from shoal.method.repair import Repair
from shoal.model import KAnonymity, Model, MultiLevelK
from shoal.plan import Plan
from shoal.recode import Generalised, Lots, Publication, class_numbers, generalise, published_order
from shoal.recode.show import Showing, show_sensitive
from shoal.release.release import Counts, Release, seal
from shoal.report.graph import MOST_DRAWN, draw_graph
from shoal.schema import Verdict
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, WITHHELD, Partition
from shoal.table.space import distance_matrix
from shoal.verify import adversary_risks, verify_release

Progress = Callable[[str], AbstractContextManager[Any]]


@dataclass(frozen=True)
class _Recoded:
    """Everything that is published, before anybody has checked it.

    `rows` are the input rows in published order, `row_class` the number of every input row's class.
    """

    partition: Partition
    labels: Sequence[Generalised]
    rows: NDArray[np.int64]
    number: NDArray[np.int32]
    row_class: NDArray[Any]
    showing: Showing
    buckets: dict[str, NDArray[np.int32]] | None
    tables: dict[str, pl.DataFrame]
    linked: dict[str, pl.DataFrame] | None


def make_release(
    plan: Plan,
    given: pl.DataFrame,
    frame: pl.DataFrame,
    coded: Coded,
    mended: Repair,
    seed: int,
    notes: list[str],
    stage: Progress,
) -> Release:
    """Show, recode and verify what the method found; raises where it does not hold.

    `given` is the input as it was handed over, `frame` the same with conflicts settled.
    """
    table = coded.table
    with stage("recoding"):
        lots = Lots.of(table, frame, seed)
        made = _recode(plan, frame, coded, mended.partition, lots)
        view = _view(plan, coded, made)
    form, showing = _form(plan.method), made.showing
    beside = given, made.rows, made.row_class, table.schema, plan.requirements
    with stage("verifying"):
        verdicts = verify_release(
            made.tables,
            *beside,
            ranges=plan.ranges,
            suppression_limit=plan.suppression_limit,
            released_k=_released_k(table, made.partition),
            form="plain" if form == "linked" else form,
            symbols=showing.how,
            concealed=showing.concealed,
            split=made.linked,
        )
        _refuse(plan, verdicts)
    tables = made.linked or made.tables
    return Release(
        schema=table.schema,
        requirements=plan.requirements,
        coded=MappingProxyType(tables),
        verified=seal(tables),
        origin=made.rows,
        private_rows=lambda: private_rows(frame, table, made.partition, made.row_class),
        private_classes=lambda: private_classes(table, made.labels, view, made.number),
        verdicts=verdicts,
        measures=measures_of(view),
        counts=_counts(coded, mended, made.partition, made.rows, view.n_published),
        plan_digest=plan.digest(),
        input_digest=lots.digest,
        seed=seed,
        seed_given=plan.seed is not None,
        ranges=plan.ranges,
        form=form,
        method=plan.method.name,
        format=plan.output_format,
        notes=tuple(notes),
        may_be_unmet=frozenset(may_be_unmet(plan)),
        source=frame,
        writer=write_release,
        plan_text=plan.text or plan.to_yaml(),
        picture=_picture(plan.method, coded.merged, made.partition, made.number),
        symbols=showing.how,
        leaks=(showing.before, showing.after),
        concealed=showing.concealed,
        adversary=None
        if not plan.method.keeps_secrets
        else lambda: adversary_risks(tables, *beside, ranges=plan.ranges, form=form),
    )


def _recode(
    plan: Plan, frame: pl.DataFrame, coded: Coded, partition: Partition, lots: Lots
) -> _Recoded:
    """Sensitive cells as flags ask, labels of classes, published order, buckets, tables."""
    table, secrets = coded.table, plan.method.keeps_secrets
    showing = Showing(partition)
    if not secrets:
        lift, once = _drawer(lots, "lift"), coded.published_once
        showing = show_sensitive(table, partition, plan.method, plan.models, lift, once)
    partition = showing.partition
    labels = generalise(table, partition, plan.ranges)
    classes = partition.unit_class[table.unit_of_row()]
    hidden = [a.name for a in table.schema.sensitive] if secrets else []
    rows = published_order(
        table, frame, labels, classes, lots, coded.stands_for, hidden, showing.cells
    )
    buckets = None
    if secrets:
        rules = rules_of(plan.models, table.schema)
        buckets = bucketise(table, partition, rules, _drawer(lots, "buckets"))
    number = class_numbers(classes, rows, partition.n_classes)
    row_class = np.where(classes == SUPPRESSED, SUPPRESSED, number[classes])
    form = _form(plan.method)
    published = Publication(
        table,
        frame,
        labels,
        classes[rows],
        row_class[rows],
        rows,
        plan.ranges,
        form,
        buckets or {},
        showing.cells,
    )
    tables = published.tables()
    linked = published.linked(tables["data"]) if form == "linked" else None
    return _Recoded(partition, labels, rows, number, row_class, showing, buckets, tables, linked)


def _view(plan: Plan, coded: Coded, made: _Recoded) -> View:
    """What measures look at: every record once."""
    records = np.flatnonzero(coded.published_once)
    return View(
        coded.merged,
        made.partition,
        made.labels,
        _asked_k(plan.models, coded.table),
        plan.models,
        made.buckets,
        {name: cells.take(records) for name, cells in made.showing.cells.items()},
    )


def _form(method: Method) -> str:
    """How the release is laid out in tables."""
    if isinstance(method, LocalGeneralisation):
        return method.tables
    return "linked" if isinstance(method, QIMHSA) and method.tables == "split" else "plain"


def _drawer(lots: Lots, what: str) -> Callable[[str], NDArray[np.uint64]]:
    return lambda name: lots.draw(f"{what} {name}")


def _picture(
    method: Method, table: Table, partition: Partition, number: NDArray[np.int32]
) -> Callable[[], str] | None:
    """For the publisher's eyes: the graph of a small table, where the method works on one."""
    if not isinstance(method, GraphMethod) or table.n_units > MOST_DRAWN:
        return None
    groups: dict[int | None, list[int]] = {}
    for unit, c in enumerate(partition.unit_class.tolist()):
        groups.setdefault(None if c == SUPPRESSED else int(number[c]), []).append(unit)
    ordered = dict(sorted(groups.items(), key=lambda item: (item[0] is None, item[0] or 0)))
    return lambda: draw_graph(distance_matrix(table, method.normalise), ordered)


def _asked_k(models: Sequence[Model], table: Table) -> NDArray[np.int32] | None:
    """The k that each unit asks for, by all models together; None where no model names one."""
    asked = np.zeros(table.n_units, dtype=np.int32)
    for model in models:
        if isinstance(model, MultiLevelK):
            asked = np.maximum(asked, model.asked(table))
        elif isinstance(model, KAnonymity):
            asked = np.maximum(asked, np.int32(model.k))
    return asked if asked.any() else None


def _released_k(table: Table, partition: Partition) -> NDArray[np.int64] | None:
    """The k that each row was released under, where the method says so and nothing was repaired."""
    if partition.k is None:
        return None
    return partition.k[table.unit_of_row()].astype(np.int64)


def may_be_unmet(plan: Plan) -> set[str]:
    """The requirements that the method may leave unmet by its definition."""
    return {str(m.requirement()) for m in plan.models if plan.method.may_miss(m)}


def _refuse(plan: Plan, verdicts: Sequence[Verdict]) -> None:
    """A release that does not hold is never handed on."""
    allowed = may_be_unmet(plan)
    failing = [v for v in verdicts if v.holds is not True and v.requirement not in allowed]
    if failing:
        raise VerificationError(
            Problem(
                f"{v.requirement} does not hold: asked {v.asked}, reached {v.reached}, "
                f"{len(v.offending)} fail.",
                where=v.attribute or "",
            )
            for v in failing
        )


def _counts(
    coded: Coded,
    mended: Repair,
    partition: Partition,
    rows: NDArray[np.int64],
    n_published: int,
) -> Counts:
    table = coded.table
    return Counts(
        rows=table.n_rows,
        published=len(rows),
        suppressed=coded.merged.n_rows - len(rows),
        repeated=coded.n_repeated,
        suppressed_by_repair=mended.n_suppressed,
        merged_by_repair=mended.n_merged,
        classes=n_published,
        people=None if table.people is None else len(table.people),
        **_withheld(partition),
    )


def _withheld(partition: Partition) -> dict[str, int]:
    """How many cells are shown nowhere, and in how many rows."""
    if partition.pattern is None:
        return {}
    cells = np.count_nonzero(partition.pattern == WITHHELD, axis=1)
    sizes = partition.sizes()
    return {
        "withheld": int((cells * sizes).sum()),
        "withheld_rows": int(sizes[cells > 0].sum()),
    }
