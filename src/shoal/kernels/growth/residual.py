"""People who are left over join the class at nodes of hierarchies where that loses least (GeneIR).

A class that holds keeps holding a least size or a least number of values, whoever joins; only the
other bounds are judged. The summaries of large classes are kept, those of small ones made again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.growth.greedy import list_class
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import (
    DISTINCT,
    DISTINCT_PRESENT,
    HITTING,
    SIZE,
    SPREAD,
    add_unit,
    clear_summary,
    meets,
    reach,
)
from shoal.kernels.sort import order_short

# Losses this close are equal, and the order decides.
TIE = 1e-9
NOBODY = -1


class Forest(NamedTuple):
    """The trees of all quasi-identifiers end to end, each with one root.

    Attribute j has the nodes start[j] … start[j+1], first its leaves by code, and a node before
    what is above it. Of each node: what is above it (the root itself), and what one row loses
    there.
    """

    start: NDArray[np.int64]
    above: NDArray[np.int32]
    loss: NDArray[np.float64]


class Released(NamedTuple):
    """Classes that grow: their nodes, loss of a row, rows and units, and their members as a list.

    The members of class c are head[c], following[head[c]] and so on up to NOBODY. The summary of
    class c is kept in row place[c], or not at all where that is NOBODY.
    """

    node: NDArray[np.int32]
    lost: NDArray[np.float64]
    n_rows: NDArray[np.int64]
    n_units: NDArray[np.int64]
    head: NDArray[np.int32]
    following: NDArray[np.int32]
    place: NDArray[np.int64]


@callee
def mark_path(forest, codes, mark, out):
    """Mark (or unmark) the nodes above a person's codes."""
    for j in range(len(codes)):
        node = forest.start[j] + codes[j]
        out[node] = mark
        while forest.above[node] != node:
            node = np.int64(forest.above[node])
            out[node] = mark


@callee
def find_losses(forest, path, out):
    """What one row loses at the first ancestor of each node on a path."""
    # From the roots down, since a node comes before what is above it: O(nodes) for a person, after
    # which every class is one look-up for each attribute.
    for node in range(len(path) - 1, -1, -1):
        out[node] = forest.loss[node] if path[node] else out[forest.above[node]]


@callee
def find_costs(losses, own, classes, out):
    """What each class and a person of `own` rows lose more together than the class alone."""
    n_classes, d = classes.node.shape
    for c in range(n_classes):
        after = 0.0
        for j in range(d):
            after += losses[classes.node[c, j]]
        out[c] = (classes.n_rows[c] + own) * after - classes.n_rows[c] * classes.lost[c]


@callee
def lift_class(forest, path, c, classes):
    """Lift a class to the common ancestors of its nodes and a person's."""
    classes.lost[c] = 0.0
    for j in range(classes.node.shape[1]):
        # The root is on every path.
        while not path[classes.node[c, j]]:
            classes.node[c, j] = forest.above[classes.node[c, j]]
        classes.lost[c] += forest.loss[classes.node[c, j]]


@callee
def lasts(what):
    """Whether a bound that a class meets is met whoever joins it."""
    return what in (SIZE, DISTINCT, HITTING, SPREAD, DISTINCT_PRESENT)


@callee
def keeps_holding(bounds, n_units, n_rows, counts, facts, people, none):
    """Whether a class with this summary meets the bounds that a further member can break."""
    for b in range(len(bounds.what)):
        what = bounds.what[b]
        if lasts(what):
            continue
        value = reach(
            what, bounds.attribute[b], bounds.limit[b], bounds.extra[b],
            bounds.absent[b], n_units, n_rows, counts, facts, people, none,
        )  # fmt: skip
        if not meets(what, bounds.limit[b], value):
            return False
    return True


@callee
def joins(p, own, c, classes, asked, kept, units):
    """Whether class c, which holds, still does with person p of `own` rows."""
    bounds, members, facts, people = asked.bounds, asked.members, asked.facts, asked.people
    counts = asked.counts
    n_units, n_rows = classes.n_units[c] + 1, classes.n_rows[c] + own
    none, one = units[:0], np.int64(1)
    if classes.place[c] == NOBODY:
        n = list_class(classes.head, classes.following, c, units, np.int64(0))
        units[n] = p
        for i in range(n + 1):
            add_unit(np.int64(units[i]), one, members, facts, people, counts)
        held = keeps_holding(bounds, n_units, n_rows, counts, facts, people, none)
        clear_summary(units[: n + 1], members, facts, people, counts)
        return held
    counts = kept[classes.place[c]]
    # Of the largest alone a summary does not know who is second, so they are put back by hand.
    after = 2 * facts.start[-1]
    largest = counts[after], counts[after + 1]
    add_unit(p, one, members, facts, people, counts)
    held = keeps_holding(bounds, n_units, n_rows, counts, facts, people, none)
    add_unit(p, -one, members, facts, people, counts)
    counts[after], counts[after + 1] = largest
    return held


@callee
def choose_class(p, own, costs, classes, asked, kept, units, order):
    """The class that still holds with person p at the least cost, or NOBODY.

    Among costs within 1e-9 of the least, the class that was released first.
    """
    # Nearly always the cheapest still holds, so they are sorted only where it does not.
    best = np.int64(NOBODY)
    for c in range(len(costs)):
        if best == NOBODY or costs[c] < costs[best]:
            best = np.int64(c)
    if best != NOBODY and not joins(p, own, best, classes, asked, kept, units):
        for c in range(len(costs)):
            order[c] = c
        order_short(costs, order, len(order))
        best = np.int64(NOBODY)
        # Not from 0: that is the cheapest, which does not hold.
        for i in range(1, len(order)):
            if joins(p, own, np.int64(order[i]), classes, asked, kept, units):
                best = np.int64(order[i])
                break
    for c in range(best):
        close = costs[c] <= costs[best] + TIE
        if close and joins(p, own, np.int64(c), classes, asked, kept, units):
            return np.int64(c)
    return best


@callee
def keep_summary(c, n_kept, classes, asked, kept, units):
    """Keep the summary of a class from now on if it is large; returns how many are kept then."""
    members, facts, people = asked.members, asked.facts, asked.people
    if classes.n_units[c] < kept.shape[1]:
        return n_kept
    classes.place[c] = n_kept
    for i in range(list_class(classes.head, classes.following, c, units, np.int64(0))):
        add_unit(np.int64(units[i]), np.int64(1), members, facts, people, kept[n_kept])
    return n_kept + 1


@jit
def join_residual(forest, residual, codes, rows, classes, asked, out):
    """Put people who are left over into classes, one after the other, as long as these hold.

    `codes[i]` and `rows[i]` are those of residual[i], whose class goes to out[i], NOBODY where none
    would hold. `classes` are lifted and grow; `place` is all NOBODY at first.
    """
    members, facts, people = asked.members, asked.facts, asked.people
    counts = asked.counts
    n, n_classes = len(classes.following), len(classes.head)
    costs, units = np.empty(n_classes), np.empty(n + 1, np.int32)
    order = np.empty(n_classes, np.int32)
    path, losses = np.zeros(len(forest.loss), np.bool_), np.empty(len(forest.loss))
    # A class is large if it has more units than a summary has numbers: all are n numbers at most.
    kept, n_kept = np.zeros((n // len(counts) + 1, len(counts)), np.int64), np.int64(0)
    for c in range(n_classes):
        n_kept = keep_summary(np.int64(c), n_kept, classes, asked, kept, units)
    for i in range(len(residual)):
        p, own = np.int64(residual[i]), np.int64(rows[i])
        mark_path(forest, codes[i], np.bool_(True), path)
        find_losses(forest, path, losses)
        find_costs(losses, own, classes, costs)
        c = choose_class(p, own, costs, classes, asked, kept, units, order)
        out[i] = c
        if c != NOBODY:
            lift_class(forest, path, c, classes)
            classes.n_rows[c] += own
            classes.n_units[c] += 1
            classes.following[p] = classes.head[c]
            classes.head[c] = p
            if classes.place[c] != NOBODY:
                add_unit(p, np.int64(1), members, facts, people, kept[classes.place[c]])
            else:
                n_kept = keep_summary(c, n_kept, classes, asked, kept, units)
        mark_path(forest, codes[i], np.bool_(False), path)
