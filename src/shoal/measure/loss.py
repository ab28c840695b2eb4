"""How much detail the quasi-identifiers lost."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import CellLoss, View
from shoal.recode import Generalised
from shoal.table.distinct import distinct_pairs


class GLM(CellLoss):
    """Mean loss per cell, (leaves - 1)/(all - 1) or range/domain: use it to compare methods.

    Iyengar 2002. A set counts its values like the leaves of a node; an original value loses 0, a
    suppressed or withheld one 1, and a secret one counts as the set of its bucket.
    """

    name: ClassVar[str] = "glm"
    with_buckets: ClassVar[bool] = True
    limits: ClassVar[str] = (
        "Counts values, not how often they occur: `*` on a rare branch costs as much as "
        "on a common one."
    )
    cite: ClassVar[papers.Citations] = (
        papers.cite("iyengar"),
        papers.cite("identity", "eq. 3 and 5"),
    )

    def of_nodes(self, label: Generalised) -> NDArray[np.float64]:
        return (label.leaves - 1) / max(len(label.domain) - 1, 1)

    def of_secrets(self, view: View, label: Generalised) -> float:
        """A secret cell counts as the set of the values of its bucket."""
        name = label.domain.attribute.name
        if view.buckets is None or name not in view.buckets:
            return 0.0
        of_row, codes = view.buckets[name], view.table.columns[name].codes
        rows = np.flatnonzero(of_row >= 0)
        n_codes = len(label.domain)
        values = np.bincount(distinct_pairs(of_row[rows], codes[rows], n_codes)[0])
        return float((values[of_row[rows]] - 1).mean() / max(n_codes - 1, 1))


class NCP(CellLoss):
    """Normalised certainty penalty per cell: leaves/all, |set|/all or range/domain.

    Xu et al. 2006. An original value loses 0, and so does a secret one, whose exact value is in
    a bucket; a withheld one loses 1.
    """

    name: ClassVar[str] = "ncp"
    with_buckets: ClassVar[bool] = True
    limits: ClassVar[str] = (
        "Like glm, but a node over two of three values costs 2/3 instead of 1/2, so values of ncp "
        "and glm cannot be compared."
    )
    cite: ClassVar[papers.Citations] = (
        papers.cite("xu"),
        papers.cite("lgb", "section 3.2.2"),
        papers.cite("identity", "eq. 3 and 4"),
    )

    def of_nodes(self, label: Generalised) -> NDArray[np.float64]:
        return np.where(label.leaves > 1, label.leaves / len(label.domain), 0.0)


class Prec(CellLoss):
    """Mean height of the labels: level/height of a hierarchy, or range/domain.

    Sweeney 2002, as the graph paper uses it. Without a hierarchy, a set is at level 1 of 1.
    """

    name: ClassVar[str] = "prec"
    limits: ClassVar[str] = "Depends on how many levels a hierarchy has, not on what they mean."
    cite: ClassVar[papers.Citations] = (
        papers.cite("sweeney"),
        papers.cite("graph", "eq. 1 and 2"),
    )

    def of_nodes(self, label: Generalised) -> NDArray[np.float64]:
        tree = label.domain.tree
        height = 1 if tree is None else max(tree.height - 1, 1)
        return label.level / height
