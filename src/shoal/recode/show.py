"""What the sensitive cells of a release show, where people flag them, and what that gives away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shoal.method.mhsa.leak import Leak, leaks
from shoal.method.mhsa.symbol import ShownColumn, show
from shoal.recode.conceal import Concealed, row_class
from shoal.table import Table


@dataclass(frozen=True)
class Showing:
    """The columns that show symbols, how each of them is formed, and what they give away.

    `before` and `after` are what the symbols give away without and with concealing.
    """

    cells: Mapping[str, ShownColumn] = field(default_factory=dict)
    how: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Leak] = field(default_factory=dict)
    after: Mapping[str, Leak] = field(default_factory=dict)


def show_sensitive(table: Table, concealed: Concealed, published: NDArray[np.bool_]) -> Showing:
    """Show the sensitive cells of the published rows as their flags allow.

    Flags act after the classes are made, whatever method made them.
    """
    attributes = concealed.attributes
    if not attributes:
        return Showing()
    rows = row_class(table, concealed.partition, published)
    cells = show(attributes, rows, concealed.lifted)
    after = leaks(attributes, cells, rows)
    symbols = {
        name: shown
        for name, shown in cells.items()
        # A column that is shown by flags but has none shows its values as they are.
        if name in table.flags or attributes[name].how != "by-flag"
    }
    how = {name: attributes[name].how for name in symbols}
    return Showing(symbols, how, after if concealed.before is None else concealed.before, after)
