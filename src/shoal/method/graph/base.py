"""What the methods on the weighted graph of rows have in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from shoal.errors import Problem
from shoal.method.base import Method
from shoal.model import KM, LKC, AlphaK, IRk, IRkl, KAnonymity, Model
from shoal.schema.advice import Advice, advise
from shoal.table import Domain, Table
from shoal.table.space import RANGE, distance_matrix, form_of

# A run warns if one quasi-identifier reaches this many times as far as another: it decides alone.
_UNLIKE = 100.0


class GraphMethod(Method):
    """A method on the weighted graph of rows, whose edges are distances of quasi-identifiers."""

    normalise: bool = Field(
        False,
        description=(
            "whether to divide differences by the width of the domain, and levels by the height"
        ),
    )

    def unsuited(self, models: Sequence[Model]) -> list[Problem]:
        sizes = [m.k for m in models if isinstance(m, (KAnonymity, AlphaK, IRk, IRkl, LKC, KM))]
        # A k of 1 requires no groups at all.
        if not sizes or max(sizes) > 1:
            return []
        return [
            Problem(
                f"{self.name} needs a k of at least 2, but the plan requires k = 1.",
                hint="Require a k of at least 2.",
            )
        ]

    def distances(self, table: Table) -> NDArray[np.int64 | np.float64] | None:
        return distance_matrix(table, self.normalise)

    def advice(self, table: Table) -> list[Advice]:
        lengths = {d.attribute.name: _longest(d) for d in table.quasi}
        most, least = max(lengths, key=lengths.__getitem__), min(lengths, key=lengths.__getitem__)
        if self.normalise or lengths[most] <= _UNLIKE * lengths[least]:
            return []
        return [
            advise(
                "unlike-distances",
                f"{self.name} adds raw distances, but {most!r} reaches "
                f"{lengths[most] / lengths[least]:,.0f} times as far as {least!r}: it decides "
                "almost alone. 'normalise: true' weighs them equally.",
            )
        ]


def _longest(domain: Domain) -> float:
    """The largest distance that two values can have."""
    if form_of(domain) == RANGE:
        return domain.span or 1.0
    return 1.0 if domain.tree is None else float(max(domain.tree.closed().height - 1, 1))
