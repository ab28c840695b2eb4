"""How large the classes are, and how many rows are left out."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View


class DM(Measure):
    """Discernibility: the sum of squared class sizes, and n for each suppressed row.

    Bayardo and Agrawal 2005.
    """

    name: ClassVar[str] = "dm"
    with_buckets: ClassVar[bool] = True
    limits: ClassVar[str] = (
        "Depends on class sizes only; a method with large but tight classes looks bad."
    )
    cite: ClassVar[papers.Citations] = (
        papers.cite("bayardo"),
        papers.cite("lgb", "section 4.1"),
        papers.cite("graph", "eq. 3"),
    )
    unit: ClassVar[str] = "rows squared"

    def summarise(self, view: View) -> NDArray[np.float64]:
        squares = float((view.published_rows.astype(np.float64) ** 2).sum())
        return np.array([squares, view.n_suppressed, view.n_rows], dtype=np.float64)

    def finish(self, sums: NDArray[np.float64]) -> float:
        return float(sums[0] + sums[1] * sums[2])


class AverageClass(Measure):
    """The mean number of rows in a class.

    LeFevre, DeWitt and Ramakrishnan 2006, but not divided by k, which may differ between people.
    """

    name: ClassVar[str] = "avg-class"
    with_buckets: ClassVar[bool] = True
    limits: ClassVar[str] = "The mean hides very large classes."
    cite: ClassVar[papers.Citations] = (papers.cite("lefevre"),)
    unit: ClassVar[str] = "rows"

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.array([view.published_rows.sum(), view.n_published], dtype=np.float64)


class Suppression(Measure):
    """The share of input rows that are not published."""

    name: ClassVar[str] = "suppression"
    cite: ClassVar[papers.Citations] = (papers.cite("sweeney"),)
    with_buckets: ClassVar[bool] = True
    limits: ClassVar[str] = "Says how many rows are left out, not which kind of people they are."

    def summarise(self, view: View) -> NDArray[np.float64]:
        return np.array([view.n_suppressed, view.n_rows], dtype=np.float64)
