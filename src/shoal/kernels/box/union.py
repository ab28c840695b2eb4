"""What it costs to publish two classes as one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.space import RANGE, SET, lose_union
from shoal.kernels.jit import callee, inline, jit

# Losses this close are equal, and the earlier class is taken.
TIE = 1e-9
BLOCK = 8
NONE = np.iinfo(np.int64).max


@inline
def count_union(words, a, b, first, last):
    """How many values two sets hold together; sets are bits in words."""
    n = 0
    for w in range(first, last):
        x = words[a, w] | words[b, w]
        while x != 0:
            x &= x - np.uint64(1)
            n += 1
    return n


class Classes(NamedTuple):
    """Classes by number: least and largest codes, sets as bits, units, and what each unit loses.

    Attribute j has the words word_start[j] … word_start[j+1]; a class that is gone has no units.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    words: NDArray[np.uint64]
    word_start: NDArray[np.int64]
    sizes: NDArray[np.int64]
    lost: NDArray[np.float64]


class ClassTree(NamedTuple):
    """A heap over classes in an order in which near ones are neighbours, BLOCK of them to a leaf.

    Node n has the children 2n and 2n + 1, the root is 1, and block b is the leaf n_leaves + b. A
    node knows the largest least code, the smallest largest code, all members of sets, the fewest
    units and the largest loss below it: what a union with any of them adds at the least follows.
    """

    order: NDArray[np.int64]
    place: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    words: NDArray[np.uint64]
    least: NDArray[np.int64]
    lost: NDArray[np.float64]


def plant(order: NDArray[np.int64], d: int, n_words: int) -> ClassTree:
    """Room for a tree over classes in this order."""
    n_leaves = 1
    while n_leaves * BLOCK < len(order):
        n_leaves *= 2
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    n = 2 * n_leaves
    return ClassTree(
        order, place, np.zeros((n, d), np.int64), np.zeros((n, d), np.int64),
        np.zeros((n, n_words), np.uint64), np.zeros(n, np.int64), np.zeros(n),
    )  # fmt: skip


@callee
def forget(tree, node):
    """Nothing is below a node."""
    tree.least[node], tree.lost[node] = NONE, 0.0
    for j in range(tree.low.shape[1]):
        tree.low[node, j], tree.high[node, j] = -1, NONE
    for w in range(tree.words.shape[1]):
        tree.words[node, w] = 0


@callee
def learn(tree, node, low, high, words, least, lost):
    """Take a class, or what is below a child, into what a node knows."""
    tree.least[node], tree.lost[node] = min(tree.least[node], least), max(tree.lost[node], lost)
    for j in range(len(low)):
        tree.low[node, j] = max(tree.low[node, j], low[j])
        tree.high[node, j] = min(tree.high[node, j], high[j])
    for w in range(len(words)):
        tree.words[node, w] |= words[w]


@callee
def join_node(tree, node, classes):
    """What a node knows, from its classes or its children."""
    n_leaves = len(tree.least) // 2
    forget(tree, node)
    if node >= n_leaves:
        first = (node - n_leaves) * BLOCK
        for i in range(first, min(first + BLOCK, len(tree.order))):
            c = tree.order[i]
            if classes.sizes[c] > 0:
                learn(
                    tree, node, classes.low[c], classes.high[c], classes.words[c],
                    classes.sizes[c], classes.lost[c],
                )  # fmt: skip
        return
    for child in range(2 * node, 2 * node + 2):
        if tree.least[child] != NONE:
            learn(
                tree, node, tree.low[child], tree.high[child], tree.words[child],
                tree.least[child], tree.lost[child],
            )  # fmt: skip


@jit
def grow_tree(tree, classes):
    """Fill a tree from its leaves up."""
    for node in range(len(tree.least) - 1, 0, -1):
        join_node(tree, np.int64(node), classes)


@jit
def renew(tree, classes, c):
    """Class c has changed, or is gone."""
    node = np.int64(len(tree.least) // 2 + tree.place[c] // BLOCK)
    while node > 0:
        join_node(tree, node, classes)
        node //= 2


@jit
def find_nearest(f, tree, classes, space, todo, bounds, out):
    """The class whose union with class f adds the least loss, the first of those that tie.

    out[0] is the class (-1: none), out[1] what the union adds, out[2] what suppressing f adds.
    Branch and bound, depth first: `todo` and `bounds` are for nodes and what they add at the least.
    Nodes and classes are looked at alike: of a node, the narrowest union, the fewest units and the
    largest loss before. Written out in one piece, `lose_union` too (why: see there).
    """
    form, start, missing, place, gap, many, loss_start, tree_node, tree_loss, _ = space
    low, high, words, word_start, sizes, lost = classes
    order, n_leaves, d = tree.order, len(tree.least) // 2, low.shape[1]
    best, least = -1, np.inf
    own, own_lost = sizes[f], lost[f]
    todo[0], bounds[0], n = 1, 0.0, 1
    while n > 0:
        n -= 1
        node = todo[n]
        # What ties is looked at too: an earlier class may be below.
        if bounds[n] > least + TIE:
            continue
        is_leaf = node >= n_leaves
        first = (node - n_leaves) * BLOCK if is_leaf else 2 * node
        last = min(first + BLOCK, len(order)) if is_leaf else first + 2
        before = n
        for i in range(first, last):
            c = order[i] if is_leaf else i
            rows = sizes[c] if is_leaf else tree.least[c]
            if (is_leaf and (c == f or rows == 0)) or rows == NONE:
                continue
            was = lost[c] if is_leaf else tree.lost[c]
            both = 0.0
            for j in range(d):
                if form[j] == SET:
                    m, shared = 0, False
                    for w in range(word_start[j], word_start[j + 1]):
                        theirs = words[c, w] if is_leaf else tree.words[c, w]
                        shared |= (words[f, w] & theirs) != 0
                        x = (words[f, w] | theirs) if is_leaf else words[f, w]
                        while x != 0:
                            x &= x - np.uint64(1)
                            m += 1
                    # A node that has none of our values adds at least one to the union.
                    if not (is_leaf or shared):
                        m += 1
                    if m > 1:
                        both += many[start[j] + m - 1]
                    continue
                a = min(low[f, j], low[c, j] if is_leaf else tree.low[c, j])
                b = max(high[f, j], high[c, j] if is_leaf else tree.high[c, j])
                if a == b:
                    continue
                if form[j] == RANGE:
                    both += gap[j] if b == missing[j] else place[start[j] + b] - place[start[j] + a]
                else:
                    n_codes, at = start[j + 1] - start[j], loss_start[j]
                    while tree_node[at + a] != tree_node[at + b]:
                        at += n_codes
                    both += tree_loss[at + a]
            if is_leaf:
                added = (own + rows) * both - (own * own_lost + rows * was)
                # What is a tie on paper must be one here: the earlier class wins it.
                if added < least - TIE or (added <= least + TIE and c < best):
                    best = c
                least = min(least, added)
                continue
            # Of a node: no class below it has fewer units or lost more before, nor is a union with
            # one narrower, so none of them adds less.
            added = own * max(both - own_lost, 0.0) + rows * max(both - was, 0.0)
            if added <= least + TIE:
                todo[n], bounds[n] = c, added
                n += 1
        # The nearer child is looked at first: it comes last.
        if n == before + 2 and bounds[before] < bounds[before + 1]:
            todo[before], todo[before + 1] = todo[before + 1], todo[before]
            bounds[before], bounds[before + 1] = bounds[before + 1], bounds[before]
    out[0], out[1], out[2] = best, least, own * d - own * own_lost


@jit
def lose_classes(low, high, words, word_start, space, chosen, out):
    """What a unit of each chosen class loses, into `out`."""
    for i in range(len(chosen)):
        c = chosen[i]
        out[c] = 0.0
        for j in range(low.shape[1]):
            a, b, m = low[c, j], high[c, j], 1
            if space.form[j] == SET:
                m = count_union(words, c, c, word_start[j], word_start[j + 1])
            out[c] += lose_union(space, j, a, b, m)


@jit
def lose_bounds(low, high, many, space, out):
    """What a unit of each class loses, given its ends, and of sets how many values it has."""
    for c in range(len(out)):
        out[c] = 0.0
        for j in range(low.shape[1]):
            out[c] += lose_union(space, j, low[c, j], high[c, j], many[c, j])


@jit
def add_units(low, high, words, word_start, space, sizes, lost, codes, near, out):
    """What each unit, by its codes, adds to the loss of the classes near it, into `out`.

    Class c has sizes[c] units, each of which loses lost[c]; `near` has the classes of each unit.
    """
    for i in range(len(codes)):
        for place in range(near.shape[1]):
            c = near[i, place]
            after = 0.0
            for j in range(low.shape[1]):
                code = np.int64(codes[i, j])
                a, b, m = min(low[c, j], code), max(high[c, j], code), 1
                if space.form[j] == SET:
                    m = count_union(words, c, c, word_start[j], word_start[j + 1])
                    word = words[c, word_start[j] + (code >> 6)]
                    m += 1 - np.int64((word >> np.uint64(code & 63)) & np.uint64(1))
                after += lose_union(space, j, a, b, m)
            out[i, place] = (sizes[c] + 1) * after - sizes[c] * lost[c]


@jit
def fill_words(codes, unit_class, first, words):
    """Set the bit of every code in the words of its class, from word `first` on."""
    for u in range(len(unit_class)):
        if unit_class[u] >= 0:
            code = np.int64(codes[u])
            words[unit_class[u], first + (code >> 6)] |= np.uint64(1) << np.uint64(code & 63)
