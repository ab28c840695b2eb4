"""What symbols give away: the posterior of a reader who knows the rules by which they are formed.

post(v|g) is the share of value v among the cells that are published as symbol g, over the whole
release. A flagged cell's risk is the highest post of its symbol, a person's the highest mean post
over the rows of their class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shoal.method.mhsa.symbol import Sensitive, ShownColumn

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class Posterior:
    """post(v|g) of one attribute: `share` has a row for every symbol, a column for every value.

    `most[g]` cells of symbol g, of `total[g]`, hold its commonest value.
    """

    share: sparse.csr_array
    most: NDArray[np.int64]
    total: NDArray[np.int64]

    @classmethod
    def of(cls, one: Sensitive, cells: ShownColumn) -> Posterior:
        """The posterior of an attribute as it is shown."""
        from scipy import sparse

        rows = np.flatnonzero(cells.symbol >= 0)
        n_codes, n_symbols = len(one.column.domain), len(cells.texts)
        pairs = cells.symbol[rows].astype(np.int64) * n_codes + one.column.codes[rows]
        pair, counts = np.unique(pairs, return_counts=True)
        symbol, code = pair // n_codes, pair % n_codes
        total = np.bincount(symbol, weights=counts, minlength=n_symbols).astype(np.int64)
        most = np.zeros(n_symbols, dtype=np.int64)
        np.maximum.at(most, symbol, counts)
        shape = (n_symbols, n_codes)
        share = sparse.csr_array((counts / total[symbol], (symbol, code)), shape=shape)
        return cls(share, most, total)

    def of_cells(self, one: Sensitive, cells: ShownColumn) -> NDArray[np.float64]:
        """The risk of every flagged cell that is published."""
        # A cell without a flag is shown as its owner wishes: it is not at risk.
        rows = (one.flags > 0) & (cells.symbol >= 0)
        symbol = cells.symbol[rows]
        return np.asarray(self.most[symbol] / self.total[symbol])

    def of_classes(self, cells: ShownColumn, row_class: NDArray[np.int32]) -> NDArray[np.float64]:
        """The risk of the people of every class."""
        from scipy import sparse

        rows = np.flatnonzero(cells.symbol >= 0)
        n_classes = int(row_class.max(initial=-1)) + 1
        sizes = np.bincount(row_class[rows], minlength=n_classes)
        shape = (n_classes, len(cells.texts))
        ones = np.ones(len(rows))
        shows = sparse.csr_array((ones, (row_class[rows], cells.symbol[rows])), shape=shape)
        believed = sparse.csr_array(shows @ self.share)
        return np.asarray(believed.max(axis=1).toarray().ravel() / np.maximum(sizes, 1))


@dataclass(frozen=True)
class Leak:
    """Worst and mean risk of flagged cells and of people; cells are 0 where none is flagged."""

    cell_worst: float
    cell_mean: float
    person_worst: float
    person_mean: float


def leaks(
    attributes: Mapping[str, Sensitive],
    shown: Mapping[str, ShownColumn],
    row_class: NDArray[np.int32],
) -> dict[str, Leak]:
    """The leak of every attribute that shows symbols."""
    return {name: _leak(attributes[name], cells, row_class) for name, cells in shown.items()}


def _leak(one: Sensitive, cells: ShownColumn, row_class: NDArray[np.int32]) -> Leak:
    posterior = Posterior.of(one, cells)
    of_cells = posterior.of_cells(one, cells)
    of_classes = posterior.of_classes(cells, row_class)
    published = row_class[cells.symbol >= 0]
    people = of_classes[published]
    return Leak(
        float(of_cells.max(initial=0.0)),
        float(of_cells.mean()) if len(of_cells) else 0.0,
        float(people.max(initial=0.0)),
        float(people.mean()) if len(people) else 0.0,
    )
