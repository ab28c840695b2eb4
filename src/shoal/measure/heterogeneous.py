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


class InfoLoss(Measure):
    """What the cells of a row lost in the mean, added up over its attributes (eq. 1 to 4).

    Numbers: the length of what is published by the length of the domain; categories: (leaves - 1)
    by all leaves, so that the root of n values costs (n - 1)/n. Quasi-identifiers and sensitive
    attributes count alike; a suppressed row loses 1 in each.
    """

    name: ClassVar[str] = "infoloss"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "eq. 1 to 4"),)
    limits: ClassVar[str] = (
        "A sum over attributes, so that tables with different attributes do not compare."
    )
    unit: ClassVar[str] = "attributes"

    def summarise(self, view: View) -> NDArray[np.float64]:
        quasi, sensitive = infoloss_parts(view)
        return np.array([(quasi + sensitive) * view.n_rows, view.n_rows], dtype=np.float64)


class InfoLossQuasi(InfoLoss):
    """What the quasi-identifiers of a row lost in the mean: their part of infoloss."""

    name: ClassVar[str] = "infoloss-quasi"
    part_of: ClassVar[str] = "infoloss"

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.array([infoloss_parts(view)[0] * view.n_rows, view.n_rows], dtype=np.float64)


class InfoLossSensitive(InfoLoss):
    """What the sensitive attributes of a row lost in the mean: their part of infoloss."""

    name: ClassVar[str] = "infoloss-sensitive"
    part_of: ClassVar[str] = "infoloss"

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.array([infoloss_parts(view)[1] * view.n_rows, view.n_rows], dtype=np.float64)


def infoloss_parts(view: View) -> tuple[float, float]:
    """The infoloss of the quasi-identifiers and of the sensitive attributes, apart."""
    n, lost = max(view.n_rows, 1), view.n_suppressed
    quasi = sum(
        float((_of_labels(label)[label.of_class] * view.class_rows).sum()) + lost
        for label in view.labels
    )
    sensitive = sum(
        (float(view.shown[a.name].loss[view.row_class >= 0].sum()) if a.name in view.shown else 0.0)
        + lost
        for a in view.table.schema.sensitive
    )
    return quasi / n, sensitive / n


def _of_labels(label: Generalised) -> NDArray[np.float64]:
    """What each label of a quasi-identifier loses."""
    domain = label.domain
    if domain.is_range:
        return range_share(label)
    if domain.attribute.kind in (Kind.NUMERIC, Kind.DATE):
        return np.where(label.leaves > 1, label_shares(domain, label.texts), 0.0)
    return np.asarray((label.leaves - 1) / len(domain))


class PrivacyLoss(Measure):
    """How sure a reader is of the person or of a sensitive value, in the mean over rows.

    Of a row the larger one of 1 by the size of its class and the share of the class's commonest
    value of any sensitive attribute. The paper plots it without a definition; its bound,
    RPL = max(1/k, 1/l), holds for frequency l-diversity alone.
    """

    name: ClassVar[str] = "privacy-loss"
    cite: ClassVar[papers.Citations] = (papers.cite("mhsa", "the corollary, which bounds it"),)
    limits: ClassVar[str] = (
        "By original values, whatever cells show; splitting a class can only raise it."
    )

    def applies(self, view: View) -> bool:
        return bool(view.table.schema.sensitive)

    def summarise(self, view: View) -> NDArray[np.float64]:
        sizes = view.class_rows
        return np.array([(class_privacy_loss(view) * sizes).sum(), sizes.sum()], dtype=np.float64)


def class_privacy_loss(view: View) -> NDArray[np.float64]:
    """The privacy loss of the rows of every class."""
    worst = 1.0 / np.maximum(view.partition.sizes(), 1)
    kept = np.flatnonzero(view.row_class >= 0)
    classes = view.row_class[kept].astype(np.int64)
    for column in view.table.sensitive:
        n = len(column.domain)
        pairs, counts = np.unique(classes * n + column.codes[kept], return_counts=True)
        most = np.zeros(view.partition.n_classes)
        np.maximum.at(most, pairs // n, counts / view.class_rows[pairs // n])
        worst = np.maximum(worst, most)
    return worst
