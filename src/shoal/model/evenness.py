"""Requirements on how even the counts of values are, and the fewest rows that prevent it.

Shares (frequency l, alpha), entropy and recursive l are such requirements. Of all ways to leave out
r rows, taking each from what is then the commonest value is the most even one (every other one
majorises it), so that the first r that holds is the least. A cap on all counts is more even than
what lies between it and the next higher cap, so the cap is found by halving. A release can keep no
more rows than its table as one class: classes that meet such a requirement meet it together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from shoal.errors import Problem
from shoal.model.base import Bound, Reach, SensitiveModel, too_few_spare
from shoal.schema import Schema
from shoal.schema.wording import counted
from shoal.table import Table

ValueCounts = NDArray[np.int64]

# exp(entropy) of n equally frequent values is n only up to rounding; as the kernel has it.
_EXACT = 1e-9


def most_even(counts: ValueCounts, bounds: Sequence[Bound]) -> ValueCounts | None:
    """How many of each value to leave out, the fewest, so that the rest meets all bounds.

    >>> most_even(np.array([21, 19]), [Bound(Reach.FREQUENCY, 2.0)]).tolist()
    [2, 0]
    """

    def holds(kept: ValueCounts) -> bool:
        return all(EVEN[b.reach](np.sort(kept[kept > 0])[::-1], b) for b in bounds)

    low, high = 0, int(counts.max(initial=0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(np.minimum(counts, middle)) else (low, middle - 1)
    if low == 0:
        return None
    kept = np.minimum(counts, low + 1)
    for place in np.flatnonzero(counts > low):
        kept[place] -= 1
        if holds(kept):
            break
    return counts - kept


def share_bounds(model: SensitiveModel, parameter: str, schema: Schema) -> list[Bound]:
    """No value of a sensitive attribute has more than a share of a class."""
    most = getattr(model, parameter)
    return [Bound(Reach.SHARE, most, name) for name in model.targets(schema)]


def uneven(model: SensitiveModel, parameter: str, table: Table, spare: int | None) -> list[Problem]:
    """The problems that no choice of rows keeps values within a share, or too few rows do."""
    most, problems = getattr(model, parameter), []
    for name in model.targets(table.schema):
        counts = table.counts(name)[table.counts(name) > 0]
        gone = most_even(counts, [Bound(Reach.SHARE, most, name)])
        if gone is None:
            found = f"the table has {counted(len(counts), 'distinct value')}"
            problems.append(model.out_of_reach(parameter, found, 1 / max(len(counts), 1), name))
        else:
            said = f"{model.name} with {parameter} = {most:g}"
            problems += too_few_spare(said, int(gone.sum()), spare, name)
    return problems


def _entropy(ordered: ValueCounts, bound: Bound) -> bool:
    share = ordered / ordered.sum()
    effective = float(np.exp(-(share * np.log(share)).sum()))
    whole = round(effective)
    near = abs(effective - whole) <= _EXACT * whole
    return (whole if near else effective) >= bound.limit


def _recursive(ordered: ValueCounts, bound: Bound) -> bool:
    tail = int(ordered[int(bound.limit) - 1 :].sum())
    return tail > 0 and bool(ordered[0] / tail < bound.extra)


# Whether counts, the largest first, meet a bound: as `reach` and `meets` of the kernel judge a
# class with these counts, which a test sees to. They are not called here, since a plan is refused
# before anything is compiled, and that would take longer than all the halving.
EVEN: dict[Reach, Callable[[ValueCounts, Bound], bool]] = {
    Reach.SHARE: lambda ordered, bound: bool(ordered[0] / ordered.sum() <= bound.limit),
    Reach.FREQUENCY: lambda ordered, bound: bool(ordered.sum() / ordered[0] >= bound.limit),
    Reach.ENTROPY: _entropy,
    Reach.RECURSIVE: _recursive,
}
