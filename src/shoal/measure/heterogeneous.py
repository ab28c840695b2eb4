"""The measures of QI-MHSA: what all published cells lost, and how sure a reader can be."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View, range_share
from shoal.recode import Generalised
from shoal.schema import Kind
from shoal.table import label_shares
from shoal.table.partition import SUPPRESSED


class InfoLoss(Measure):
    """The mean loss of a row's cells, summed over its attributes (eq. 1 to 4).

    Numbers: length of what is published / length of the domain; categories: (leaves - 1)/all
    leaves, so the root of n values costs (n - 1)/n. Quasi-identifiers and sensitive
    attributes count alike; a suppressed row loses 1 in each.
    """

    name: ClassVar[str] = "infoloss"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "eq. 1 to 4"),)
    limits: ClassVar[str] = (
        "A sum over attributes, so tables with different attributes cannot be compared."
    )
    unit: ClassVar[str] = "attributes"

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.array([self.mean(view) * view.n_rows, view.n_rows], dtype=np.float64)

    def mean(self, view: View) -> float:
        """The mean loss of a row."""
        return sum(infoloss_parts(view))


class InfoLossQuasi(InfoLoss):
    """The mean loss of a row's quasi-identifiers: their part of infoloss."""

    name: ClassVar[str] = "infoloss-quasi"
    part_of: ClassVar[str] = "infoloss"

    def mean(self, view: View) -> float:
        return infoloss_parts(view)[0]


class InfoLossSensitive(InfoLoss):
    """The mean loss of a row's sensitive attributes: their part of infoloss."""

    name: ClassVar[str] = "infoloss-sensitive"
    part_of: ClassVar[str] = "infoloss"

    def mean(self, view: View) -> float:
        return infoloss_parts(view)[1]


def infoloss_parts(view: View) -> tuple[float, float]:
    """The infoloss of the quasi-identifiers and that of the sensitive attributes."""
    n, lost = max(view.n_rows, 1), view.n_suppressed
    quasi = sum(
        float((_of_labels(label)[label.of_class] * view.class_rows).sum()) + lost
        for label in view.labels
    )
    # A sensitive attribute without symbols is published as it is.
    symbols = [view.symbols.get(a.name) for a in view.table.schema.sensitive]
    kept = view.row_class != SUPPRESSED
    sensitive = sum((float(c.loss[kept].sum()) if c else 0.0) + lost for c in symbols)
    return quasi / n, sensitive / n


def _of_labels(label: Generalised) -> NDArray[np.float64]:
    """What each label of a quasi-identifier loses."""
    domain = label.domain
    if domain.is_range:
        return range_share(label)
    if domain.attribute.kind in (Kind.NUMERIC, Kind.DATE):
        return np.where(label.leaves > 1, label_shares(domain, label.texts), 0.0)
    # Eq. 2 as printed: the root loses (n - 1)/n, not 1 as by `glm`.
    return np.asarray((label.leaves - 1) / len(domain))


class PrivacyLoss(Measure):
    """How sure a reader is of the person or of a sensitive value, as a mean over rows.

    For a row, the larger of 1/size of its class and the share of the class's commonest value of any
    sensitive attribute. The paper plots it without a definition; its bound, RPL = max(1/k, 1/l),
    holds for frequency l-diversity only.
    """

    name: ClassVar[str] = "privacy-loss"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "the corollary, which bounds it"),)
    limits: ClassVar[str] = (
        "Counts original values, whatever the cells show; splitting a class can only raise it."
    )

    def applies(self, view: View) -> bool:
        return bool(view.table.schema.sensitive)

    def summarise(self, view: View) -> NDArray[np.float64]:
        sizes = view.class_rows
        return np.array([(class_privacy_loss(view) * sizes).sum(), sizes.sum()], dtype=np.float64)


def class_privacy_loss(view: View) -> NDArray[np.float64]:
    """The privacy loss of the rows of every class."""
    worst = 1.0 / np.maximum(view.partition.sizes(), 1)
    kept = np.flatnonzero(view.row_class != SUPPRESSED)
    classes = view.row_class[kept].astype(np.int64)
    for column in view.table.sensitive:
        n = len(column.domain)
        pairs, counts = np.unique(classes * n + column.codes[kept], return_counts=True)
        most = np.zeros(view.partition.n_classes)
        np.maximum.at(most, pairs // n, counts / view.class_rows[pairs // n])
        worst = np.maximum(worst, most)
    return worst
