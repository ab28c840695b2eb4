"""What flags reveal, concealed where the plan says so: classes merged and cells lifted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.method import Display, Method
from shoal.method.mhsa.conceal import conceal
from shoal.method.mhsa.leak import Leak, leaks
from shoal.method.mhsa.symbol import Sensitive, SymbolLevels, flagged, show
from shoal.model import LDiversity, Model
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition


@dataclass(frozen=True)
class Concealed:
    """The classes that are published, and the sensitive cells that are lifted in them.

    `attributes` are those whose cells may show symbols, `lifted` the least level of each cell,
    `l` what each attribute is concealed to; `before` is what symbols would have revealed without
    concealing. `n_merged` classes were merged into others.
    """

    partition: Partition
    attributes: Mapping[str, Sensitive] = field(default_factory=dict)
    lifted: Mapping[str, SymbolLevels] = field(default_factory=dict)
    l: Mapping[str, int] = field(default_factory=dict)  # noqa: E741
    before: Mapping[str, Leak] | None = None
    n_merged: int = 0

    @classmethod
    def nothing(cls, table: Table, partition: Partition, display: Display) -> Concealed:
        """Classes as they are, and cells that show what their flags allow."""
        return cls(partition, _flagged(table, display))

    @property
    def n_lifted(self) -> dict[str, int]:
        """How many cells of each attribute are lifted."""
        return {name: int(np.count_nonzero(levels)) for name, levels in self.lifted.items()}


def conceal_flags(
    table: Table,
    partition: Partition,
    method: Method,
    models: Sequence[Model],
    draw: Callable[[str], NDArray[np.uint64]],
    published: NDArray[np.bool_],
) -> Concealed:
    """Merge classes and lift cells until no reader of flags can be surer of a cell than 1/l.

    `draw` decides which cells are lifted to conceal others; `published` marks the rows that are
    published themselves.
    """
    attributes = _flagged(table, method.display)
    rows = row_class(table, partition, published)
    before = leaks(attributes, show(attributes, rows), rows)
    l = _required_l(models, table, attributes)  # noqa: E741
    # Intervals pass over the cells that do not show them: else the * of such a cell, next to an
    # interval that it widened, would reveal where the cell lies.
    passing = _flagged(table, method.display, passes_over=True)
    attributes = {name: passing[name] if name in l else one for name, one in attributes.items()}
    requirements = Requirements.of([m for m in models if not method.may_miss(m)], table)
    merged, lifted = conceal(table, partition, requirements, attributes, l, draw, published)
    n_merged = partition.n_classes - merged.n_classes
    return Concealed(merged, attributes, lifted, l, before, n_merged)


def row_class(
    table: Table, partition: Partition, published: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """The class of every row that is published itself, SUPPRESSED for the others."""
    classes = table.by_row(partition.unit_class)
    return np.where(published, classes, SUPPRESSED).astype(np.int32)


def _flagged(table: Table, display: Display, *, passes_over: bool = False) -> dict[str, Sensitive]:
    return flagged(table, display.numeric, all_of_them=display.every, passes_over=passes_over)


def _required_l(
    models: Sequence[Model], table: Table, attributes: Mapping[str, Sensitive]
) -> dict[str, int]:
    """The largest l that is required of each attribute."""
    required: dict[str, int] = {}
    for model in models:
        if isinstance(model, LDiversity):
            for name in model.targets(table.schema):
                if name in attributes:
                    required[name] = max(required.get(name, 1), ceil(model.l))
    return required
