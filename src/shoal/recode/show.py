"""What the sensitive cells of a release show, where people flag them, and what that gives away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

import numpy as np
from numpy.typing import NDArray

from shoal.method import QIMHSA, Method
from shoal.method.mhsa.conceal import conceal
from shoal.method.mhsa.leak import Leak, leaks
from shoal.method.mhsa.symbol import Cells, Sensitive, flagged, show
from shoal.model import LDiversity, Model
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import SUPPRESSED, Partition


@dataclass(frozen=True)
class Showing:
    """The classes, the columns that show symbols, and how each of them is formed.

    `before` and `after` are what the symbols give away without and with concealing; `concealed` is
    the l to which each attribute is concealed.
    """

    partition: Partition
    cells: Mapping[str, Cells] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Leak] = field(default_factory=dict)
    after: Mapping[str, Leak] = field(default_factory=dict)
    concealed: Mapping[str, int] = field(default_factory=dict)


def show_sensitive(
    table: Table,
    partition: Partition,
    method: Method,
    models: Sequence[Model],
    draw: Callable[[str], NDArray[np.uint64]],
    published: NDArray[np.bool_],
) -> Showing:
    """Show the sensitive cells of the published rows as their flags ask, and conceal if asked.

    Flags act after the classes are made, whatever method made them; `draw` is for the cells that
    are lifted to conceal others.
    """
    of_its_own = isinstance(method, QIMHSA)
    hides = isinstance(method, QIMHSA) and method.conceal
    numeric = method.numeric if isinstance(method, QIMHSA) else "by-flag"
    attributes = flagged(table, numeric, all_of_them=of_its_own, passes_over=False)
    if not attributes:
        return Showing(partition)
    before = show(attributes, _row_class(table, partition, published))
    leaking = leaks(attributes, before, _row_class(table, partition, published))
    if not hides:
        symbols = _symbols(attributes, before, table)
        return Showing(partition, symbols, _how(attributes, symbols), leaking, leaking)
    l = _asked_l(models, table, attributes)  # noqa: E741
    passing = flagged(table, numeric, all_of_them=of_its_own, passes_over=True)
    attributes = {name: passing[name] if name in l else one for name, one in attributes.items()}
    requirements = Requirements.of([m for m in models if not method.may_miss(m)], table)
    partition, lifted = conceal(table, partition, requirements, attributes, l, draw, published)
    row_class = _row_class(table, partition, published)
    cells = show(attributes, row_class, lifted)
    symbols = _symbols(attributes, cells, table)
    after = leaks(attributes, cells, row_class)
    return Showing(partition, symbols, _how(attributes, symbols), leaking, after, l)


def _row_class(
    table: Table, partition: Partition, published: NDArray[np.bool_]
) -> NDArray[np.int32]:
    classes = partition.unit_class[table.unit_of_row()]
    return np.where(published, classes, SUPPRESSED).astype(np.int32)


def _symbols(
    attributes: Mapping[str, Sensitive], cells: Mapping[str, Cells], table: Table
) -> dict[str, Cells]:
    """The columns that do not simply show their values."""
    return {
        name: shown
        for name, shown in cells.items()
        if name in table.flags or attributes[name].how != "by-flag"
    }


def _how(attributes: Mapping[str, Sensitive], symbols: Mapping[str, Cells]) -> dict[str, str]:
    return {name: attributes[name].how for name in symbols}


def _asked_l(
    models: Sequence[Model], table: Table, attributes: Mapping[str, Sensitive]
) -> dict[str, int]:
    """The l of every attribute that one is asked of."""
    asked: dict[str, int] = {}
    for model in models:
        if isinstance(model, LDiversity):
            for name in model.targets(table.schema):
                if name in attributes:
                    asked[name] = max(asked.get(name, 1), ceil(model.l))
    return asked
