"""Single members that a class is better off without: the fewest whose absence saves the rest.

A class may miss a requirement because of a few rows too many of one value. Where all bounds that it
misses are on one attribute, and each of its members is one row, the fewest are found exactly:

- Shares (frequency l, alpha), entropy and recursive l: `most_even`.
- Of t-closeness with the equal distance, r rows less are nearest to the table where they come from
  the values with the largest surplus over r rows less of the table's distribution.

Everything else (other distances, several attributes at once, people with several rows) is greedy:
one member after the other is left out, the one without whom the rest comes nearest. Which rows of
a value leave is decided by table order alone, so that it says nothing of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from shoal.model.base import Bound, Reach
from shoal.model.evenness import EVEN, ValueCounts, most_even
from shoal.model.requirement import Requirements

UnitNumbers = NDArray[np.int32]

# What a class may come nearer to when members leave. Sizes, different values and hitting sets can
# only shrink, so nobody is left out on their account.
_GAIN_BY_LOSS = (
    *EVEN,
    Reach.EMD_EQUAL,
    Reach.EMD_ORDERED,
    Reach.EMD_TREE,
    Reach.PERSON_SHARE,
    Reach.VALUE_ROWS,
    Reach.VALUE_PEOPLE,
)
_SLACK = 1e-9
# The work of one greedy search: about a second.
_MOST_WORK = 200_000_000
# Whole rows may need a few more than fractions of rows would; this many numbers are tried.
_MOST_TRIES = 10_000


def omit(requirements: Requirements, units: UnitNumbers, least: int = 1) -> UnitNumbers | None:
    """The members to leave out of a class so that it holds; None where that is not found.

    At least `least` of them stay, and as many as the requirements and the other members ask for.
    """
    # Members of merged classes come part by part, but table order is to decide who leaves.
    units = np.sort(units)
    missed = requirements.missed(units)
    if not missed or any(bound.reach not in _GAIN_BY_LOSS for bound in missed):
        return None
    least = max(least, requirements.least, 1)
    out = _exact(requirements, units, missed)
    if out is not None:
        if len(units) - int(out.sum()) < least:
            return None
        # The fewest for the bounds that are missed may break another, which only a look can tell.
        if requirements.holds(units[~out]):
            return units[out]
    return _greedy(requirements, units, least)


def hopeless(requirements: Requirements, *, by_size: bool = True) -> UnitNumbers:
    """The fewest units without whom the table can meet the requirements at all.

    People who require a larger class than everybody who requires no more could form are in no
    release. Classes that meet a requirement on values meet it together, so no release keeps more of
    the rest than one class does. If that is not known, or nothing prevents it: nobody. Not
    `by_size`: the method itself says what becomes of those who require too much.
    """
    everyone = np.arange(requirements.table.n_units, dtype=np.int32)
    content = everyone
    if requirements.personal and by_size:
        content = np.sort(within_reach(everyone, requirements.asked_sizes))
    if not len(content):
        return everyone[:0]
    on_values = tuple(b for b in requirements.all_bounds if b.reach in _GAIN_BY_LOSS)
    missed = on_values and replace(requirements, all_bounds=on_values).missed(content)
    if not missed and len(content) == len(everyone):
        return everyone[:0]
    more = omit(requirements, content) if missed else None
    rest = content if more is None else np.setdiff1d(content, more)
    return np.setdiff1d(everyone, rest)


def within_reach(units: UnitNumbers, asked: NDArray[np.integer]) -> UnitNumbers:
    """The most units that can be a class together, by the sizes that they ask for.

    >>> within_reach(np.array([4, 5, 6], dtype=np.int32), np.array([4, 1, 2])).tolist()
    [5, 6]
    """
    order = np.argsort(asked, kind="stable")
    # The i units who require least can be a class together if none of them requires more than i.
    # The largest such i counts, even if a smaller one fails.
    content = np.flatnonzero(asked[order] <= np.arange(1, len(units) + 1))
    return units[order[: content[-1] + 1]] if len(content) else units[:0]


def nearest(counts: ValueCounts, share: NDArray[np.float64], t: float) -> ValueCounts | None:
    """The same for t-closeness with the equal distance to these shares.

    >>> nearest(np.array([6, 2]), np.array([0.5, 0.5]), 0.1).tolist()
    [3, 0]
    """
    total = int(counts.sum())

    def surplus(n_kept: int) -> NDArray[np.float64]:
        return np.maximum(counts - n_kept * share, 0.0)

    def taken(r: int) -> ValueCounts | None:
        over = surplus(total - r)
        whole = np.floor(over + _SLACK).astype(np.int64)
        chosen = _shared_out(whole, r)
        more = r - int(chosen.sum())
        if more:
            # A value's last row above its share gains less than one; rows without surplus nothing.
            last = np.argsort(-(over - whole), kind="stable")[:more]
            chosen[last] += 1
            if len(last) < more or (chosen > counts).any():
                return None
        left = np.maximum(counts - chosen - (total - r) * share, 0.0).sum()
        return chosen if left <= (t + _SLACK / 2) * (total - r) else None

    # Fractions of rows would do from the first r on where the surplus beyond t is no more than r.
    low, high = 0, total - 1
    while low < high:
        r = (low + high) // 2
        enough = surplus(total - r).sum() - r <= (t + _SLACK) * (total - r) + _SLACK
        low, high = (low, r) if enough else (r + 1, high)
    tries = range(low, min(total, low + _MOST_TRIES))
    return next((chosen for r in tries if (chosen := taken(r)) is not None), None)


def _shared_out(most: ValueCounts, wanted: int) -> ValueCounts:
    """At most `wanted` in all and `most` of each, from the largest down; the first of equals."""
    order = np.argsort(-most, kind="stable")
    before = np.cumsum(most[order]) - most[order]
    chosen = np.empty_like(most)
    chosen[order] = np.clip(wanted - before, 0, most[order])
    return chosen


def _exact(
    requirements: Requirements, units: UnitNumbers, missed: Sequence[Bound]
) -> NDArray[np.bool_] | None:
    """Which of the units are left out, the fewest; None where that is not known exactly."""
    name = missed[0].attribute
    if name is None or not requirements.single_rows(units):
        return None
    if any(bound.attribute != name for bound in missed):
        return None
    values = requirements.codes_of(name, units)
    share = requirements.share_of(name)
    counts = np.bincount(values, minlength=len(share))
    own = [b for b in requirements.all_bounds if b.attribute == name and b.reach in _GAIN_BY_LOSS]
    # One bound counts rows without a value, the other does not: no list of counts serves both.
    if len({b.known for b in own}) > 1:
        return None
    if own[0].known and (missing := requirements.table.columns[name].domain.missing) >= 0:
        # Rows without a value do not count, and none of them need leave.
        counts[missing] = 0
    if all(b.reach in EVEN for b in own):
        gone = most_even(counts, own)
    elif len(own) == 1 and own[0].reach is Reach.EMD_EQUAL:
        gone = nearest(counts, share, own[0].limit)
    else:
        return None
    return None if gone is None else rank_within(values) < gone[values]


def rank_within(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many before each have the same value."""
    order = np.argsort(values, kind="stable")
    sizes = np.bincount(values)
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rank


def _greedy(requirements: Requirements, units: UnitNumbers, least: int) -> UnitNumbers | None:
    from shoal.kernels.omission import omit_greedily

    profile, n_profiles = requirements.profiles(units)
    out = np.zeros(len(units), dtype=np.bool_)
    n_out = omit_greedily(
        units, profile, n_profiles, least, _MOST_WORK, requirements.bounds, requirements.members,
        requirements.facts, requirements.people, out,
    )  # fmt: skip
    if n_out <= 0 or not requirements.holds(units[~out]):
        return None
    return units[out]
