"""The one kernel that decides whether a class holds what is asked.

A class is summarised by its number of units, its number of rows and the counts of its sensitive
codes; bounds are rows of (what, attribute, limit, extra) and facts are what holds for the whole
table. Every method that grows, splits or merges classes calls `holds`.

A summary is one array: the rows of each code, the people of each code, then the rows of the person
who has most, the largest size that a member asks for, and how many of the population the members
stand for. It changes by one unit at a time, in time that grows with the unit's rows and not with
the class; a class is judged in time that grows with the values of its attributes. Hitting sets
alone need the members themselves.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.hitting import reach_hitting
from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.sort import sort_short

SIZE, DISTINCT, FREQUENCY, ENTROPY, RECURSIVE, SHARE = 0, 1, 2, 3, 4, 5
EMD_EQUAL, EMD_ORDERED, EMD_TREE, SPREAD, DISTINCT_PRESENT = 6, 7, 8, 9, 10
PERSONAL, PERSON_SHARE, VALUE_ROWS, VALUE_PEOPLE, HITTING = 11, 12, 13, 14, 15
GAIN, GAIN_ENHANCED, RATIO, POPULATION, PRESENCE = 16, 17, 18, 19, 20
# What a summary has besides the counts of codes.
BESIDES = 3
# For sums of floats (entropy, distances). Shares are one division of counts, and k or l are whole:
# those are compared as they are.
TOLERANCE = 1e-9


class Bounds(NamedTuple):
    """Inequalities in columns: what is computed, of which attribute (-1: none), and the limits.

    `absent` is the place in a summary of the missing value that does not count; -1: every one does.
    """

    what: NDArray[np.int64]
    attribute: NDArray[np.int64]
    limit: NDArray[np.float64]
    extra: NDArray[np.float64]
    absent: NDArray[np.int64]


class SensitiveFacts(NamedTuple):
    """The whole table's sensitive attributes, end to end; attribute a is start[a] … start[a+1].

    `share`: of each code in the table; `natural`: codes in natural order; `number`: nan where a
    code has none. `node[node_start[a] + level * n_codes + code]` is the ancestor of a code, levels
    0 … n_levels[a]-1, and the last level is one node.
    """

    start: NDArray[np.int64]
    share: NDArray[np.float64]
    natural: NDArray[np.int64]
    number: NDArray[np.float64]
    node: NDArray[np.int32]
    node_start: NDArray[np.int64]
    n_levels: NDArray[np.int64]


class Members(NamedTuple):
    """The sensitive codes of the rows of each unit.

    Unit u has the rows row_start[u] … row_start[u+1]; `codes[row, attribute]`. Where every unit is
    one row, row_start is empty. `asked[u]` is the class size that unit u asks for, `crowd[u]` how
    many of the population it stands for (empty where there is none).
    """

    row_start: NDArray[np.int64]
    codes: NDArray[np.int32]
    asked: NDArray[np.int32]
    crowd: NDArray[np.int64]


class Holdings(NamedTuple):
    """The different sensitive codes of each person.

    Person u has the codes own[own_start[a, u] : own_start[a, u + 1]] of attribute a, sorted. A
    search for hitting sets has `budget` steps; `witness[a]` is the last one found, `undecided[0]`
    counts what was undecided, and the rest of it is for `waits`.
    """

    own_start: NDArray[np.int64]
    own: NDArray[np.int32]
    budget: int
    witness: NDArray[np.int64]
    undecided: NDArray[np.int64]


class Required(NamedTuple):
    """All that a class is judged by, with an empty summary to judge it in.

    Without bounds, what judges more than the size of a class is not compiled.
    """

    bounds: Bounds | None
    members: Members
    facts: SensitiveFacts
    people: Holdings | None
    counts: NDArray[np.int64]


class ClassTrial(NamedTuple):
    """The same for kernels that try one class, or both sides of a cut, again and again.

    `other` is a second empty summary, `units` a buffer for the members of what is tried. The fields
    are not those of a Required inside it: numba counts references to all arrays of a tuple each
    time that it is taken out of another.
    """

    bounds: Bounds
    members: Members
    facts: SensitiveFacts
    people: Holdings | None
    counts: NDArray[np.int64]
    other: NDArray[np.int64]
    units: NDArray[np.int32]


@inline
def reach_emd_ordered(counts, n_rows, start, stop, facts):
    """Sum of |cumulative difference| over the values present, by m - 1 (Li et al. 2007)."""
    total, cumulative, m = 0.0, 0.0, 0
    for i in range(start, stop):
        # Codes may be in the order of a hierarchy.
        code = start + facts.natural[i]
        # A value that is declared, but that nobody in the table has, is no step on the way.
        if facts.share[code] > 0:
            cumulative += counts[code] / n_rows - facts.share[code]
            total += abs(cumulative)
            m += 1
    return total / (m - 1) if m > 1 else 0.0


@inline
def reach_emd_tree(counts, n_rows, start, stop, facts, a):
    """Sum over inner nodes of height/H * min(surplus, deficit) of their children (Li et al.)."""
    n_codes, top = stop - start, facts.n_levels[a] - 1
    total = 0.0
    # Codes stand in depth-first order: the children of a node follow each other, and a node ends
    # where the next code has another.
    for level in range(1, top + 1):
        above = facts.node_start[a] + level * n_codes
        below = above - n_codes
        child, surplus, deficit = 0.0, 0.0, 0.0
        for i in range(n_codes):
            child += counts[start + i] / n_rows - facts.share[start + i]
            last = i == n_codes - 1
            if last or facts.node[below + i] != facts.node[below + i + 1]:
                surplus += max(child, 0.0)
                deficit += max(-child, 0.0)
                child = 0.0
            if last or facts.node[above + i] != facts.node[above + i + 1]:
                total += level / top * min(surplus, deficit)
                surplus, deficit = 0.0, 0.0
    return total


@inline
def order_counts(counts, start, stop, absent):
    """The counts of all values, ascending; the absent one, which does not count, has none."""
    ordered = counts[start:stop].copy()
    if absent >= 0:
        ordered[absent - start] = 0
    sort_short(ordered, stop - start)
    return ordered


@inline
def reach_recursive(counts, start, stop, c, absent):
    """The largest l with r1 < c (r_l + … + r_m), counts sorted the largest first; 0 if none."""
    ordered, n, tail = order_counts(counts, start, stop, absent), stop - start, 0
    for i in range(n):
        tail += ordered[i]
        # A rounded quotient equals a decimal c where the two are equal; a rounded product may not.
        if ordered[i] > 0 and ordered[n - 1] / tail < c:
            return float(n - i)
    return 0.0


@inline
def most_people(counts, start, stop, n_codes):
    """How many people have the value that most have."""
    most = 0
    for code in range(start, stop):
        most = max(most, counts[n_codes + code])
    return most


@inline
def reach_gain(what, counts, n_rows, start, stop, facts):
    """By how much an adversary gains on a value of the class at most, over its share in the table.

    GAIN: (q - p)/p (Cao and Karras 2012); infinite by GAIN_ENHANCED where that is above -ln p of
    the value. RATIO: |ln(q/p)| of the values that the class has (Brickell and Shmatikov 2008).
    """
    most = 0.0
    for code in range(start, stop):
        # A value that the class lacks is no gain. For RATIO it would be infinite by the letter, and
        # only a class with every value of the table could hold.
        if counts[code] == 0:
            continue
        p, q = facts.share[code], counts[code] / n_rows
        gain = abs(np.log(q / p)) if what == RATIO else (q - p) / p
        if what == GAIN_ENHANCED and gain > TOLERANCE - np.log(p):
            gain = np.inf
        most = max(most, gain)
    return most


@callee
def reach(what, a, limit, extra, absent, n_units, n_rows, counts, facts, people, units):
    """What a class reaches of one bound; more is better, or less where the bound is a most.

    HITTING is its limit, or one less where that is not proven. `units` are the members; `people` is
    None where no bound is on what people have. Where `absent` is a code, its rows do not count, and
    a class without others reaches 0.
    """
    n_codes = facts.start[-1]
    if what == SIZE:
        return float(n_units)
    if what == PERSONAL:
        return float(n_units - counts[2 * n_codes + 1])
    if what == PERSON_SHARE:
        return counts[2 * n_codes] / n_rows
    if what == POPULATION:
        return float(counts[2 * n_codes + 2])
    if what == PRESENCE:
        return n_units / counts[2 * n_codes + 2]
    # What comes before is about no attribute, and has a = -1.
    start, stop = facts.start[a], facts.start[a + 1]
    if people is not None:
        if what == VALUE_ROWS:
            return most_people(counts, start, stop, n_codes) / n_rows
        if what == VALUE_PEOPLE:
            return most_people(counts, start, stop, n_codes) / n_units
        if what == HITTING:
            return reach_hitting(
                people.own_start[a], people.own, units, stop - start, limit,
                people.budget, people.witness[a], people.undecided,
            )  # fmt: skip
    if absent >= 0:
        n_rows -= counts[absent]
        if n_rows == 0:
            return 0.0
    if what == EMD_ORDERED:
        return reach_emd_ordered(counts, n_rows, start, stop, facts)
    if what == EMD_TREE:
        return reach_emd_tree(counts, n_rows, start, stop, facts, a)
    if what == RECURSIVE:
        return reach_recursive(counts, start, stop, extra, absent)
    if what in (GAIN, GAIN_ENHANCED, RATIO):
        return reach_gain(what, counts, n_rows, start, stop, facts)
    distinct, present, commonest, spread, entropy = 0, 0, 0, 0.0, 0.0
    low, high = np.inf, -np.inf
    for code in range(start, stop):
        count = counts[code]
        if what == EMD_EQUAL:
            spread += abs(count / n_rows - facts.share[code]) / 2
        if count == 0 or code == absent:
            continue
        distinct += 1
        commonest = max(commonest, count)
        if what == ENTROPY:
            entropy -= count / n_rows * np.log(count / n_rows)
        number = facts.number[code]
        if not np.isnan(number):
            present += 1
            low, high = min(low, number), max(high, number)
    if what == DISTINCT:
        return float(distinct)
    if what == FREQUENCY:
        return n_rows / commonest
    if what == ENTROPY:
        return np.exp(entropy)
    if what == SHARE:
        return commonest / n_rows
    if what == EMD_EQUAL:
        return spread
    if what == SPREAD:
        return max(high - low, 0.0)
    return float(present)


@inline
def meets(what, limit, value):
    """Whether what was reached is enough; the tolerance is for sums of floats alone."""
    if what in (SHARE, PERSON_SHARE, VALUE_ROWS, VALUE_PEOPLE, PRESENCE):
        return value <= limit
    if what in (FREQUENCY, SPREAD):
        # One operation on counts or on two values: the verifier gets the same float.
        return value >= limit
    if what == ENTROPY:
        # exp(entropy) of n equally frequent values is n only up to rounding.
        whole = np.rint(value)
        return (whole if abs(value - whole) <= TOLERANCE * whole else value) >= limit
    if what in (EMD_EQUAL, EMD_ORDERED, EMD_TREE, GAIN, GAIN_ENHANCED):
        return value <= limit + TOLERANCE
    if what == RATIO:
        # The verifier compares as it is, and its logarithm may differ in the last digit.
        return value < limit - TOLERANCE
    # Only counts are left, for which so small a tolerance makes no difference.
    return value >= limit - TOLERANCE * max(limit, 1.0)


@callee
def holds(bounds, n_rows, counts, facts, people, units):
    """Whether the class of these units meets every bound; `counts` is their summary.

    Bounds are None where the caller judges what is large enough and nothing else is required: what
    judges all else is then not compiled.
    """
    if bounds is None:
        return True
    # A class of nobody has no shares: they would be 0/0.
    if len(units) == 0:
        return False
    for b in range(len(bounds.what)):
        what = bounds.what[b]
        value = reach(
            what, bounds.attribute[b], bounds.limit[b], bounds.extra[b],
            bounds.absent[b], len(units), n_rows, counts, facts, people, units,
        )  # fmt: skip
        if not meets(what, bounds.limit[b], value):
            return False
    return True


@callee
def add_unit(unit, sign, members, facts, people, counts):
    """Add (or take away) a unit to the summary of a class; returns how many rows it has.

    What is largest in the class is not taken away: that would need all other members again.
    """
    if len(members.row_start) == 0:
        first, last = unit, unit + 1
    else:
        first, last = members.row_start[unit], members.row_start[unit + 1]
    for row in range(first, last):
        for a in range(members.codes.shape[1]):
            counts[facts.start[a] + members.codes[row, a]] += sign
    n_codes = facts.start[-1]
    if people is not None:
        for a in range(members.codes.shape[1]):
            for i in range(people.own_start[a, unit], people.own_start[a, unit + 1]):
                counts[n_codes + facts.start[a] + people.own[i]] += sign
    counts[2 * n_codes] = max(counts[2 * n_codes], last - first)
    counts[2 * n_codes + 1] = max(counts[2 * n_codes + 1], members.asked[unit])
    if len(members.crowd) > 0:
        counts[2 * n_codes + 2] += sign * members.crowd[unit]
    return last - first


@callee
def clear_summary(units, members, facts, people, counts):
    """Take all members of a class away from its summary."""
    for i in range(len(units)):
        add_unit(np.int64(units[i]), np.int64(-1), members, facts, people, counts)
    # By hand, since `add_unit` never lowers what is largest.
    counts[2 * facts.start[-1]], counts[2 * facts.start[-1] + 1] = 0, 0


@callee
def units_hold(units, bounds, members, facts, people, counts):
    """Whether these units together hold what is asked; `counts` is an empty summary."""
    if bounds is None:
        return True
    n_rows, one = np.int64(0), np.int64(1)
    for i in range(len(units)):
        n_rows += add_unit(np.int64(units[i]), one, members, facts, people, counts)
    held = holds(bounds, n_rows, counts, facts, people, units)
    clear_summary(units, members, facts, people, counts)
    return held


@callee
def class_holds(units, asked):
    """Whether these units together hold all that is required."""
    return units_hold(units, asked.bounds, asked.members, asked.facts, asked.people, asked.counts)


@jit
def add_units(units, members, facts, people, counts):
    """Add units to the summary of a class; returns how many rows they have."""
    n_rows = np.int64(0)
    for i in range(len(units)):
        n_rows += add_unit(np.int64(units[i]), np.int64(1), members, facts, people, counts)
    return n_rows


@jit
def summary_holds(bounds, n_rows, counts, facts, people, units):
    """Whether the class of this summary meets every bound.

    Hitting sets alone depend on who the units are, everything else on how many.
    """
    return holds(bounds, n_rows, counts, facts, people, units)


@jit
def judge_classes(starts, units, bounds, members, facts, people, failing, out):
    """What every class reaches of every bound, and which miss one.

    Class c has units[starts[c] : starts[c+1]].
    """
    counts = np.zeros(2 * facts.start[-1] + BESIDES, dtype=np.int64)
    for c in range(len(starts) - 1):
        own = units[starts[c] : starts[c + 1]]
        n_rows = np.int64(0)
        if people is not None:
            # Each class is judged by itself, not as a part of one that grows.
            people.undecided[1] = 0
        for i in range(len(own)):
            n_rows += add_unit(np.int64(own[i]), np.int64(1), members, facts, people, counts)
        failing[c] = False
        for b in range(len(bounds.what)):
            out[c, b] = reach(
                bounds.what[b], bounds.attribute[b], bounds.limit[b], bounds.extra[b],
                bounds.absent[b], len(own), n_rows, counts, facts, people, own,
            )  # fmt: skip
            failing[c] |= not meets(bounds.what[b], bounds.limit[b], out[c, b])
        clear_summary(own, members, facts, people, counts)
