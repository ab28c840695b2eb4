"""How little any release could lose."""

from __future__ import annotations

from math import ceil
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shoal import papers
from shoal.measure.base import Measure, View
from shoal.measure.price import QUICK, STEPS, price_units
from shoal.model.base import Reach
from shoal.table.partition import SUPPRESSED

# So many different values need at least as many rows.
_VALUES = (Reach.DISTINCT, Reach.FREQUENCY, Reach.ENTROPY)


class LossBound(Measure):
    """The least that any release of this table can lose, by glm, whichever method makes it.

    A certified lower bound, not an estimate: prices on people that no class can pay for
    (docs/bound.md has the proof). It covers all releases with the same hierarchies (or, without
    them, ranges and sets) whose classes are as large as required. Other requirements are not
    counted: they can only cost more. It depends on the original data alone and is never published.
    About ten seconds are spent on it if the plan has `polish`, otherwise about three.
    """

    name: ClassVar[str] = "bound"
    costly: ClassVar[bool] = True
    limits: ClassVar[str] = (
        "Takes only class sizes into account, and is far from tight for ranges and sets. Absent "
        "for buckets, and for releases whose classes are smaller than required."
    )
    cite: ClassVar[papers.Citations] = (papers.cite("chambolle"),)

    def applies(self, view: View) -> bool:
        if view.buckets is not None or not view.labels or not view.n_rows:
            return False
        k = required_sizes(view)
        if int(k.max(initial=0)) < 2:
            return False
        kept = view.partition.unit_class != SUPPRESSED
        sizes = view.published_sizes[view.partition.unit_class[kept]]
        return bool((sizes >= k[kept]).all())

    def summarise(self, view: View) -> NDArray[np.float64]:
        steps = STEPS if view.polished else QUICK
        prices = price_units(view.table, required_sizes(view), steps)
        return np.array([prices.sum(), view.n_rows * len(view.labels)], dtype=np.float64)


def required_sizes(view: View) -> NDArray[np.int64]:
    """The class size that the plan requires for each unit, as far as it follows from the models.

    Methods make classes of k for k^m-anonymity and LKC-privacy too, which do not require it.
    """
    required = [m for m in view.models if m.scope != "table"]
    bounds = [b for m in required for b in m.bounds(view.table.schema)]
    sizes = [int(b.limit) for b in bounds if b.reach in (Reach.SIZE, Reach.HITTING)]
    # A person with several rows may have all the values.
    if view.table.people is None:
        # An l that is a hair above a whole number by rounding must not count as the next.
        sizes += [ceil(b.limit - 1e-6) for b in bounds if b.reach in _VALUES]
    k = np.full(view.table.n_units, max(sizes, default=1), dtype=np.int64)
    return k if view.required_k is None else np.maximum(k, view.required_k)
