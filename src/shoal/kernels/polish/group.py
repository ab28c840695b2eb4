"""Classes whose members come and go: what they cover, what they lose, and who is in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.space import RANGE, SET, Space
from shoal.kernels.hitting import count_bits
from shoal.kernels.jit import callee
from shoal.kernels.requirement import class_holds

NOBODY = -1


class Units(NamedTuple):
    """Units by number: codes, rows, and the class size that each requires."""

    codes: NDArray[np.int32]
    rows: NDArray[np.float64]
    asked: NDArray[np.int64]


class PolishedGroups(NamedTuple):
    """Classes: ends of their codes, sets as bits, what a row loses, and members as chains.

    `rows` has the rows of a class, and `number[0]` how many classes there are.
    """

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    words: NDArray[np.uint64]
    lost: NDArray[np.float64]
    size: NDArray[np.int64]
    rows: NDArray[np.float64]
    head: NDArray[np.int64]
    following: NDArray[np.int64]
    number: NDArray[np.int64]


class Metric(NamedTuple):
    """The space, and tables of what covering codes a … b of a small tree loses.

    That is pair[at[j] + a * width[j] + b] where the width is not 0. A set has the bits from
    word[j] on.
    """

    space: Space
    word: NDArray[np.int64]
    at: NDArray[np.int64]
    width: NDArray[np.int64]
    pair: NDArray[np.float64]


@callee
def lose_group(metric, groups, c):
    """What a row of a class loses. The metric is written out: see `list_near`."""
    space, word, at, width, pair = metric
    form, start, missing, place, gap, many, loss_start, node, loss, _ = space
    low, high, words = groups.low, groups.high, groups.words
    total = 0.0
    for j in range(len(form)):
        if form[j] == SET:
            m = 0
            for w in range(word[j], word[j + 1]):
                m += count_bits(words[c, w])
            total += many[start[j] + m - 1]
            continue
        a, b = low[c, j], high[c, j]
        if a == b:
            continue
        if width[j] > 0:
            total += pair[at[j] + a * width[j] + b]
        elif form[j] == RANGE:
            total += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
        else:
            n_codes, p = start[j + 1] - start[j], loss_start[j]
            while node[p + a] != node[p + b]:
                p += n_codes
            total += loss[p + a]
    return total


@callee
def clear_group(metric, groups, c):
    """An empty class."""
    groups.size[c], groups.rows[c], groups.head[c], groups.lost[c] = 0, 0.0, NOBODY, 0.0
    for j in range(len(metric.space.form)):
        groups.low[c, j], groups.high[c, j] = np.iinfo(np.int32).max, -1
    for w in range(groups.words.shape[1]):
        groups.words[c, w] = 0


@callee
def join(metric, groups, c, units, u):
    """A unit joins a class; its loss is counted by the caller."""
    groups.following[u] = groups.head[c]
    groups.head[c] = u
    groups.size[c] += 1
    groups.rows[c] += units.rows[u]
    for j in range(len(metric.space.form)):
        code = units.codes[u, j]
        groups.low[c, j] = min(groups.low[c, j], code)
        groups.high[c, j] = max(groups.high[c, j], code)
        if metric.space.form[j] == SET:
            place = metric.word[j] + (code >> 6)
            groups.words[c, place] |= np.uint64(1) << np.uint64(code & 63)


@callee
def rid(metric, groups, c, units, gone, spare):
    """Class `spare` becomes class c without one of its members; the chains stay as they are.

    What `join` does to a class is written out: to hand so many arrays on for each member would take
    longer than that (why: see `lose_union`).
    """
    clear_group(metric, groups, spare)
    need, u = np.int64(0), groups.head[c]
    while u != NOBODY:
        if u != gone:
            groups.size[spare] += 1
            groups.rows[spare] += units.rows[u]
            need = max(need, units.asked[u])
            for j in range(len(metric.space.form)):
                code = units.codes[u, j]
                groups.low[spare, j] = min(groups.low[spare, j], code)
                groups.high[spare, j] = max(groups.high[spare, j], code)
                if metric.space.form[j] == SET:
                    place = metric.word[j] + (code >> 6)
                    groups.words[spare, place] |= np.uint64(1) << np.uint64(code & 63)
        u = groups.following[u]
    groups.lost[spare] = lose_group(metric, groups, spare)
    return need


@callee
def fill_groups(metric, units, chosen, unit_class, groups):
    """Fill classes with the chosen units; unit_class[u] is the number of the class here."""
    for c in range(groups.number[0]):
        clear_group(metric, groups, np.int64(c))
    for i in range(len(chosen) - 1, -1, -1):
        u = np.int64(chosen[i])
        join(metric, groups, np.int64(unit_class[u]), units, u)
    for c in range(groups.number[0]):
        groups.lost[c] = lose_group(metric, groups, np.int64(c))


@callee
def cost_of(groups, c, squares):
    """What all rows of a class lose; with `squares`, the square of its rows (dm)."""
    return groups.rows[c] ** 2 if squares else groups.lost[c] * groups.rows[c]


@callee
def copy_group(groups, source, target):
    """Class `target` becomes what class `source` is, members too."""
    groups.low[target], groups.high[target] = groups.low[source], groups.high[source]
    groups.words[target] = groups.words[source]
    groups.lost[target], groups.size[target] = groups.lost[source], groups.size[source]
    groups.rows[target], groups.head[target] = groups.rows[source], groups.head[source]


@callee
def all_hold(groups, first, n_new, units, least, asked):
    """Whether each of the new classes holds what is required."""
    for c in range(first, first + n_new):
        need, n, u = least, 0, groups.head[c]
        while u != NOBODY:
            need = max(need, units.asked[u])
            if asked is not None:
                asked.units[n] = u
            n += 1
            u = groups.following[u]
        if n < need:
            return False
        if asked is not None and not class_holds(asked.units[:n], asked):
            return False
    return True
