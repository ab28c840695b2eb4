"""How much information the labels lost, by the frequencies of the values."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.recode import Generalised


class Entropy(Measure):
    """Bits lost / bits in the input, over all cells: the non-uniform entropy of the labels.

    De Waal and Willenborg 1999, Gionis and Tassa 2009: a cell of value v published as a label g
    loses log2 n(g)/n(v), with n counted over the input; the sum is divided by that of publishing
    nothing. A suppressed cell loses log2 n/n(v).
    """

    name: ClassVar[str] = "entropy"
    limits: ClassVar[str] = (
        "Weighs each value by its frequency in the input, so losing rare values hardly counts."
    )
    cite: ClassVar[papers.Citations] = (papers.cite("gionis"),)

    def summarise(self, view: View) -> NDArray[np.float64]:
        bits = [_bits(view, label) for label in view.labels]
        return np.array([sum(lost for lost, _ in bits), sum(there for _, there in bits)])


def _bits(view: View, label: Generalised) -> tuple[float, float]:
    """The bits that an attribute lost, and those that it had."""
    codes = view.table.columns[label.domain.attribute.name].codes
    counts = np.bincount(codes, minlength=len(label.domain)).astype(np.float64)
    own = float((counts * np.log2(np.maximum(counts, 1))).sum())
    covered = np.log2(np.maximum(label.total(counts), 1))[label.of_class]
    nothing = np.log2(max(view.n_rows, 1))
    published = float((covered * view.class_rows).sum())
    return published + view.n_suppressed * nothing - own, view.n_rows * nothing - own
