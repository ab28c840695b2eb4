"""Strict multidimensional partitioning: cut a node, move its rows apart, go on with both sides.

Rows are packed side by side in narrow integers and moved physically, which keeps every scan
sequential. A subtree is cut without the interpreter lock, so that threads can share the work; what
comes out does not depend on who cut what.

LeFevre, DeWitt and Ramakrishnan 2006; WIDEST is Algorithm 3 of LGB (MDP). All cuts of a node cost
one pass over its rows and one over the codes: O(rows * attributes) for each level of the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.space import BILLIONTH, RANGE, Space, lose_runs
from shoal.kernels.jit import inline, jit
from shoal.kernels.requirement import add_unit, holds
from shoal.kernels.sort import sort_short

LOSS, BALANCED, MEDIAN, WIDEST = 0, 1, 2, 3


class Cuts(NamedTuple):
    """The cuts of a node: the left side has the codes of an attribute up to and with `code`."""

    gain: NDArray[np.float64]
    balance: NDArray[np.int64]
    attribute: NDArray[np.int64]
    code: NDArray[np.int64]


class Room(NamedTuple):
    """What a thread needs to cut a subtree: the codes of a node, its cuts, and the open nodes.

    `codes`, `counts` and `losses` (of the first codes, of the last codes) are of one attribute;
    `ordered` is for a node that is small.
    """

    histogram: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    losses: NDArray[np.float64]
    ordered: NDArray[np.int64]
    cuts: Cuts
    nodes: NDArray[np.int64]


@inline
def count_codes(rows, low, high, space, histogram):
    """Count the codes of all attributes of a node in one pass over its rows."""
    for i in range(low, high):
        for j in range(rows.shape[1]):
            histogram[space.start[j] + rows[i, j]] += 1


@inline
def list_counted(start, stop, histogram, codes, counts):
    """The codes counted of one attribute, ascending, with their counts; leaves zeros behind."""
    m = 0
    for c in range(start, stop):
        if histogram[c] > 0:
            codes[m], counts[m] = c - start, histogram[c]
            histogram[c] = 0
            m += 1
    return m


@inline
def list_sorted(rows, low, high, j, ordered, codes, counts):
    """The same for a node that is small against the number of codes: by sorting."""
    for i in range(low, high):
        ordered[i - low] = rows[i, j]
    sort_short(ordered, high - low)
    m = 0
    for i in range(high - low):
        if i == 0 or ordered[i] != ordered[i - 1]:
            codes[m], counts[m] = ordered[i], 0
            m += 1
        counts[m - 1] += 1
    return m


@inline
def median_cut(counts, m, n):
    """The place of the lower median, after which is the cut; there is none after the last place."""
    seen = 0
    for i in range(m):
        seen += counts[i]
        if seen * 2 >= n:
            return i
    return m - 1


@inline
def sides_hold(rows, units, low, high, j, code, asked):
    """Whether both sides of a cut hold what is required."""
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    left, right, order = asked.counts, asked.other, asked.units
    left[:] = 0
    right[:] = 0
    n_left, n, one = 0, high - low, np.int64(1)
    rows_left, rows_right = np.int64(0), np.int64(0)
    for i in range(low, high):
        if rows[i, j] <= code:
            order[n_left] = units[i]
            n_left += 1
            rows_left += add_unit(np.int64(units[i]), one, members, facts, people, left)
        else:
            # One buffer for both sides, filled from either end: their sizes are not known before.
            order[n - 1 - (i - low - n_left)] = units[i]
            rows_right += add_unit(np.int64(units[i]), one, members, facts, people, right)
    return holds(bounds, rows_left, left, facts, people, order[:n_left]) and holds(
        bounds, rows_right, right, facts, people, order[n_left:n]
    )


@inline
def list_cuts(rows, low, high, least, rule, space, room):
    """All cuts of a node that leave `least` units on both sides; returns how many.

    LOSS ranks them by the drop in loss, BALANCED and MEDIAN by what the attribute loses, WIDEST by
    its range or by the share of its values; MEDIAN and WIDEST list the cut at the median only.
    """
    codes, counts, losses, cuts = room.codes, room.counts, room.losses, room.cuts
    n, n_cuts = high - low, 0
    # A histogram costs a pass over all codes, a sort n log n: where the codes outnumber the rows of
    # a small node, which most nodes are, sorting is quicker.
    dense = space.start[-1] <= 16 * n
    if dense:
        count_codes(rows, low, high, space, room.histogram)
    for j in range(rows.shape[1]):
        if dense:
            m = list_counted(space.start[j], space.start[j + 1], room.histogram, codes, counts)
        else:
            m = list_sorted(rows, low, high, j, room.ordered, codes, counts)
        if m < 2:
            continue
        for side in range(2):
            lose_runs(space, j, codes, m, 1 - 2 * side, losses[side])
        prefix, suffix = losses[0], losses[1]
        middle = median_cut(counts, m, n) if rule in (MEDIAN, WIDEST) else -1
        n_left = 0
        for i in range(m - 1):
            n_left += counts[i]
            balance = min(n_left, n - n_left)
            if balance < least or (middle >= 0 and i != middle):
                continue
            # The run of all codes: what the node loses in this attribute before the cut.
            gain = suffix[0]
            if rule == LOSS:
                gain = n * suffix[0] - n_left * prefix[i] - (n - n_left) * suffix[i + 1]
                # What gains nothing must not fall below 0 by rounding: that means struck out.
                gain = max(gain, 0.0)
            elif rule == WIDEST:
                if space.form[j] != RANGE:
                    gain = m / (space.start[j + 1] - space.start[j])
                # Ties go by the order of attributes, not by balance; in whole billionths, so that
                # what ties on paper ties here.
                gain, balance = np.rint(gain * BILLIONTH), 0
            cuts.gain[n_cuts], cuts.balance[n_cuts] = gain, balance
            cuts.attribute[n_cuts], cuts.code[n_cuts] = j, codes[i]
            n_cuts += 1
    return n_cuts


@inline
def best_cut(cuts, n_cuts):
    """The cut of largest gain, then of best balance, then the first; struck out once taken."""
    best = -1
    for i in range(n_cuts):
        if cuts.gain[i] < 0:
            continue
        if (
            best < 0
            or cuts.gain[i] > cuts.gain[best]
            or (cuts.gain[i] == cuts.gain[best] and cuts.balance[i] > cuts.balance[best])
        ):
            best = i
    if best >= 0:
        cuts.gain[best] = -1.0
    return best


@inline
def move_apart(rows, units, low, high, j, code, turned):
    """Bring the rows with codes up to `code` to the front; returns where the others begin.

    If `turned`, the others come to the front.
    """
    i, k = low, high - 1
    while True:
        while i <= k and (rows[i, j] <= code) != turned:
            i += 1
        while i <= k and (rows[k, j] <= code) == turned:
            k -= 1
        if i >= k:
            return i
        for a in range(rows.shape[1]):
            rows[i, a], rows[k, a] = rows[k, a], rows[i, a]
        units[i], units[k] = units[k], units[i]


def make_room(space: Space, n: int) -> Room:
    """What a thread needs to cut a subtree of n units."""
    total = int(space.start[-1])
    codes, counts, balance, attribute, code = np.zeros((5, total), dtype=np.int64)
    losses, gain = np.zeros((2, total), dtype=np.float64), np.zeros(total, dtype=np.float64)
    histogram, ordered = np.zeros((2, total), dtype=np.int64)
    cuts, nodes = Cuts(gain, balance, attribute, code), np.zeros((n + 1, 3), dtype=np.int64)
    return Room(histogram, codes, counts, losses, ordered, cuts, nodes)


@jit
def cut_nodes(rows, units, low, high, least, stop, rule, once, curve, space, asked, room, out):
    """Cut the node low … high, and its parts, until no cut is allowed or `stop` units are left.

    `asked` is None where sizes alone decide, else what Requirements.asked gives; `room` is from
    make_room.
    Marks in `out` where a class begins. With `once`, only the node itself is cut: returns where its
    right side begins, or -1 where it is a class.

    With `curve`, cuts go on inside the classes until rows are equal, and of both sides of a cut
    the one comes first that the row before them would be on, so that neighbours are near.
    """
    cuts, nodes = room.cuts, room.nodes
    begin, n_nodes = low, 1
    nodes[0, 0], nodes[0, 1], nodes[0, 2] = low, high, 0
    while n_nodes > 0:
        n_nodes -= 1
        low, high, inside = nodes[n_nodes, 0], nodes[n_nodes, 1], nodes[n_nodes, 2]
        best, fewest = -1, 1 if inside else least
        if high - low >= 2 * fewest and (inside or high - low > stop):
            n_cuts = list_cuts(rows, low, high, fewest, rule, space, room)
            # Sizes are judged for all cuts at once; the other requirements only for the best cut,
            # and for the next best where that fails.
            while True:
                best = best_cut(cuts, n_cuts)
                if best < 0 or asked is None or inside:
                    break
                if sides_hold(rows, units, low, high, cuts.attribute[best], cuts.code[best], asked):
                    break
        if best < 0:
            if not inside:
                out[low] = 1
                if curve and not once:
                    # The node is still in the slot it was taken from: it is opened once more, to
                    # put the inside of its class in order.
                    nodes[n_nodes, 2] = 1
                    n_nodes += 1
            continue
        j, code = cuts.attribute[best], cuts.code[best]
        turned = curve and low > begin and rows[low - 1, j] > code
        middle = move_apart(rows, units, low, high, j, code, turned)
        if once:
            return middle
        # The left side is pushed last, so that it is cut first: `turned` looks at the row before a
        # node, which must be in its final place by then.
        nodes[n_nodes, 0], nodes[n_nodes, 1], nodes[n_nodes, 2] = middle, high, inside
        nodes[n_nodes + 1, 0], nodes[n_nodes + 1, 1] = low, middle
        nodes[n_nodes + 1, 2] = inside
        n_nodes += 2
    return -1
