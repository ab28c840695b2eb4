"""A plan rehearsed on a table or a sample of it: what would be lost. Nothing is published."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shoal._run.code import CodedInput, compile_requirements
from shoal._run.engine import LocalEngine
from shoal._run.measure import view_of
from shoal._run.publish import Labelled, conceal, label
from shoal._run.read import Input
from shoal._run.solve import solve
from shoal.measure import measures_of
from shoal.plan import Plan
from shoal.recode import Concealed, Generalised
from shoal.table import Table, encode
from shoal.table.partition import SUPPRESSED


@dataclass(frozen=True)
class Rehearsed:
    """The loss (glm) of each quasi-identifier, and the share of their cells that show only `*`."""

    by_attribute: dict[str, float]
    stars: float

    @property
    def loss(self) -> float:
        """The mean over the quasi-identifiers."""
        return sum(self.by_attribute.values()) / max(len(self.by_attribute), 1)


def rehearse(plan: Plan, coded: CodedInput) -> Rehearsed:
    """Go through a run as far as the labels of its classes; raises as a run does."""
    requirements = compile_requirements(plan.models, plan.method, coded)
    coded = replace(coded, requirements=requirements)
    repaired = solve(plan, coded, LocalEngine(plan.workers))
    concealed = (
        conceal(plan, coded, repaired)
        if plan.method.display.conceal
        else Concealed.nothing(coded.table, repaired.partition, plan.method.display)
    )
    labelled = label(plan, coded, concealed, repaired.shards)
    found = measures_of(view_of(plan, coded, labelled)).by_attribute
    return Rehearsed(dict(found), _stars(coded.table, labelled))


def _stars(table: Table, labelled: Labelled) -> float:
    """The share of quasi-identifying cells, of all rows read, that are `*` or not published."""
    classes = labelled.partition.unit_class[table.unit_of_row()]
    kept = classes[classes != SUPPRESSED]
    sizes = np.bincount(kept, minlength=labelled.partition.n_classes)
    n_cells = table.n_rows * len(labelled.labels)
    shown = sum(int(sizes[_is_shown(one)].sum()) for one in labelled.labels)
    return 1 - shown / n_cells if n_cells else 0.0


def _is_shown(one: Generalised) -> NDArray[np.bool_]:
    """For every class whether its label says anything."""
    texts = np.array([text != "*" for text in one.texts], dtype=np.bool_)
    return np.asarray(texts[one.of_class])


def sampled(plan: Plan, source: Input, most: int) -> Input:
    """The input, or all rows of as many of its people as have about `most` rows."""
    rows = sample_people(encode(source.frame, plan.schema), most)
    if rows is None:
        return source
    return replace(source, given=source.given[rows], frame=source.frame[rows], first=None)


def sample_people(table: Table, most: int, seed: int = 0) -> NDArray[np.int64] | None:
    """All rows of as many people as have about `most` rows; None if the table has no more.

    >>> import polars as pl
    >>> from shoal.schema import Attribute, Role, Schema
    >>> from shoal.table import encode
    >>> schema = Schema((Attribute("age", Role.QUASI),))
    >>> table = encode(pl.DataFrame({"age": range(9)}), schema)
    >>> len(sample_people(table, 4)), sample_people(table, 9)
    (4, None)
    """
    if table.n_rows <= most:
        return None
    draw = np.random.default_rng(seed)
    n_units = max(1, most * table.n_units // table.n_rows)
    chosen = np.zeros(table.n_units, dtype=np.bool_)
    chosen[draw.choice(table.n_units, n_units, replace=False)] = True
    return np.flatnonzero(chosen[table.unit_of_row()])
