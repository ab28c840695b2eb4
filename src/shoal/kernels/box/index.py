"""A tree over elements that finds the nearest to a growing class without looking at all of them.

Nodes are halved at the middle of their widest attribute, elements with equal keys at their rows. A
node knows the ends of the codes under it, the fewest rows, and the first element that is left; what
a union with any of them loses at the least follows from these.

What holds at all times, and what the search rests on:
- the ends, fewest rows and largest losses of a node bound those of every element below it (tightly,
  but for leaves of more than LEAF elements with equal keys: theirs stay when one is taken out);
- the elements of a leaf are chained by ascending number, and FIRST is the least under a node;
- children come after their parents, so that one pass from the end joins them bottom up.

A search visits what cannot be ruled out: about log n nodes where the elements are spread, all of
them where everything is equally far. `remove` costs the depth of the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.box.element import bit_of
from shoal.kernels.box.space import RANGE, SET, TREE, lose_union
from shoal.kernels.jit import callee, inline, jit
from shoal.kernels.sort import front_marked

# Few enough that looking at all of a leaf costs no more than looking at two nodes.
LEAF = 8
NOBODY = -1
LAST = np.iinfo(np.int32).max

# What nodes hold, in columns; then for each attribute the ends of the codes under the node.
SPLIT, CUT, LEFT, PARENT, COUNT, HEAD, UNIFORM, FIRST, ROWS, ENDS = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
MIN_LOW, MAX_LOW, MIN_HIGH, MAX_HIGH = 0, 1, 2, 3
# What elements hold: their leaf, and their neighbours in it.
HOME, ABOVE, BELOW = 0, 1, 2


class Index(NamedTuple):
    """The nodes of a tree, the largest losses under them, and the chains of elements in its leaves.

    The children of a node are LEFT and LEFT + 1; a leaf has SPLIT -1, and HEAD is its first element
    by number, whose neighbour above is the last. UNIFORM: all elements of a leaf are as far away as
    one. The last row of `nodes` counts them.
    """

    nodes: NDArray[np.int32]
    worst: NDArray[np.float64]
    chain: NDArray[np.int32]


def room_for_index(n: int, d: int) -> Index:
    """Room for a tree of n elements; what is not used takes no memory."""
    nodes = np.empty((2 * n + 3, ENDS + 4 * d), np.int32)
    nodes[-1, 0] = 0
    return Index(nodes, np.empty((2 * n + 2, d)), np.empty((n, 3), np.int32))


@callee
def new_leaf(index, parent):
    """An empty leaf."""
    node = np.int64(index.nodes[-1, 0])
    index.nodes[-1, 0] += 1
    own = index.nodes[node]
    own[SPLIT], own[PARENT], own[COUNT], own[HEAD], own[UNIFORM] = -1, parent, 0, NOBODY, 0
    clear_node(index, node)
    return node


@callee
def clear_node(index, node):
    """Nothing is known under a node."""
    own = index.nodes[node]
    own[FIRST], own[ROWS] = LAST, LAST
    for j in range(index.worst.shape[1]):
        at = ENDS + 4 * j
        own[at + MIN_LOW], own[at + MIN_HIGH] = LAST, LAST
        own[at + MAX_LOW], own[at + MAX_HIGH] = -1, -1
        index.worst[node, j] = 0.0


@callee
def widen_node(index, node, boxes, e):
    """Take an element into what is known under a node."""
    own, d = index.nodes[node], index.worst.shape[1]
    own[FIRST] = min(own[FIRST], e)
    own[ROWS] = min(own[ROWS], np.int64(boxes.loss[e, d]))
    for j in range(d):
        at, low, high = ENDS + 4 * j, boxes.ends[e, j], boxes.ends[e, d + j]
        own[at + MIN_LOW], own[at + MAX_LOW] = min(own[at], low), max(own[at + MAX_LOW], low)
        own[at + MIN_HIGH] = min(own[at + MIN_HIGH], high)
        own[at + MAX_HIGH] = max(own[at + MAX_HIGH], high)
        index.worst[node, j] = max(index.worst[node, j], boxes.loss[e, j])


@callee
def join_children(index, node):
    """What is known under a node, from its children."""
    clear_node(index, node)
    own = index.nodes[node]
    for child in range(own[LEFT], own[LEFT] + 2):
        theirs = index.nodes[child]
        if theirs[COUNT] == 0:
            continue
        own[FIRST] = min(own[FIRST], theirs[FIRST])
        own[ROWS] = min(own[ROWS], theirs[ROWS])
        for j in range(index.worst.shape[1]):
            at = ENDS + 4 * j
            own[at] = min(own[at], theirs[at])
            own[at + MAX_LOW] = max(own[at + MAX_LOW], theirs[at + MAX_LOW])
            own[at + MIN_HIGH] = min(own[at + MIN_HIGH], theirs[at + MIN_HIGH])
            own[at + MAX_HIGH] = max(own[at + MAX_HIGH], theirs[at + MAX_HIGH])
            index.worst[node, j] = max(index.worst[node, j], index.worst[child, j])


@callee
def widest(space, ends):
    """The key to halve, and the last one of its lower half; -1: all keys are equal.

    `ends[0]` are the least keys and `ends[1]` the largest. The last key is the number of rows; it
    decides where nothing else differs.
    """
    # Typed, here and in graph/, since a literal makes a callee compile once more.
    best, wide, d = np.int64(-1), -1.0, ends.shape[1] - 1
    for j in range(d):
        low, high = ends[0, j], ends[1, j]
        if low == high:
            continue
        # Halving a set of many values tells little about which of them an element has: it is worth
        # what one further value is, whatever the space says of two.
        width = 1 / max(space.start[j + 1] - space.start[j] - 1, 1)
        if space.form[j] != SET:
            width = lose_union(space, j, low, high, 1)
        if width > wide:
            best, wide = np.int64(j), width
    if best >= 0:
        return best, middle_code(space, best, ends[0, best], ends[1, best])
    return (d if ends[0, d] < ends[1, d] else -1), (ends[0, d] + ends[1, d]) >> 1


@callee
def middle_code(space, j, least, most):
    """The last code of the lower half of least … most: by value, by branch, else by count."""
    middle = (least + most) >> 1
    start = space.start[j]
    if space.form[j] == RANGE and most != space.missing[j]:
        half = (space.place[start + least] + space.place[start + most]) / 2
        low, high = least, most - 1
        while low < high:
            probe = (low + high + 1) >> 1
            if space.place[start + probe] <= half:
                low = probe
            else:
                high = probe - 1
        return low
    best = middle
    # Where the branches that meet highest part: elements on either side have no lower node.
    if space.form[j] == TREE:
        for code in range(least, most):
            higher = space.join[start + code] - space.join[start + best]
            if higher > 0 or (higher == 0 and abs(code - middle) < abs(best - middle)):
                best = code
    return best


@inline
def key_of(boxes, e, j):
    """What an element is placed by: the middle of its codes, or its rows."""
    d = boxes.loss.shape[1] - 1
    if j == d:
        return np.int64(boxes.loss[e, d])
    return (np.int64(boxes.ends[e, j]) + boxes.ends[e, d + j]) >> 1


@callee
def ends_of_keys(items, boxes, ends):
    """The least and the largest of each key."""
    for j in range(ends.shape[1]):
        ends[0, j] = ends[1, j] = key_of(boxes, items[0], j)
        for i in range(1, len(items)):
            key = key_of(boxes, items[i], j)
            ends[0, j], ends[1, j] = min(ends[0, j], key), max(ends[1, j], key)


@callee
def append(index, node, e):
    """Chain an element to a leaf whose elements all come before it."""
    chain, own = index.chain, index.nodes[node]
    chain[e, HOME], chain[e, BELOW] = node, NOBODY
    head = own[HEAD]
    if head == NOBODY:
        own[HEAD], chain[e, ABOVE] = e, e
    else:
        last = chain[head, ABOVE]
        chain[last, BELOW], chain[e, ABOVE], chain[head, ABOVE] = e, last, e
    own[COUNT] += 1


@callee
def fill_leaf(index, node, items, boxes, alike):
    """Make a leaf of these elements, which are in order."""
    index.nodes[node, UNIFORM] = alike
    for i in range(len(items)):
        e = np.int64(items[i])
        append(index, node, e)
        widen_node(index, node, boxes, e)


@callee
def divide(index, node, items, boxes, split, cut):
    """Make a leaf a node with two empty leaves, and part its elements; returns where."""
    own = index.nodes[node]
    own[LEFT] = new_leaf(index, node)
    new_leaf(index, node)
    own[SPLIT], own[CUT], own[HEAD] = split, cut, NOBODY
    near = np.empty(len(items), np.bool_)
    for i in range(len(items)):
        near[i] = key_of(boxes, items[i], split) <= cut
    return front_marked(items, near, np.empty(len(items), np.int32))


# Called from Python, by itself: every method that has a tree shares one compiled kernel.
@jit
def build_tree(index, items, space, boxes):
    """A tree over these elements, which are in order and equally far from anything if equal.

    `items` become their order along it.
    """
    ends = np.empty((2, boxes.loss.shape[1]), np.int64)
    todo = np.empty((len(items) + 1, 3), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2] = new_leaf(index, np.int64(NOBODY)), 0, len(items)
    n_todo = 1 if len(items) > 0 else 0
    while n_todo > 0:
        n_todo -= 1
        node, start, stop = todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2]
        part = items[start:stop]
        ends_of_keys(part, boxes, ends)
        split, cut = widest(space, ends)
        if split < 0 or len(part) <= LEAF:
            fill_leaf(index, node, part, boxes, split < 0)
            continue
        middle = start + divide(index, node, part, boxes, split, cut)
        left = index.nodes[node, LEFT]
        todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2] = left, start, middle
        todo[n_todo + 1, 0], todo[n_todo + 1, 1], todo[n_todo + 1, 2] = left + 1, middle, stop
        n_todo += 2
    # Children have larger numbers than their parents.
    for node in range(index.nodes[-1, 0] - 1, -1, -1):
        own = index.nodes[node]
        if own[SPLIT] >= 0:
            own[COUNT] = index.nodes[own[LEFT], COUNT] + index.nodes[own[LEFT] + 1, COUNT]
            join_children(index, np.int64(node))


@callee
def insert(index, e, space, boxes):
    """Add an element that comes after all others; a leaf that grows too full is divided."""
    node = np.int64(0)
    while True:
        # On the way down: only the nodes above an element must know of it.
        widen_node(index, node, boxes, e)
        own = index.nodes[node]
        if own[SPLIT] < 0:
            break
        own[COUNT] += 1
        node = np.int64(own[LEFT]) + (1 if key_of(boxes, e, own[SPLIT]) > own[CUT] else 0)
    # In a leaf of equal elements a search looks at the first alone; this one may be another.
    index.nodes[node, UNIFORM] = 0
    append(index, node, e)
    # Not each time that it is too full: a leaf of equal keys cannot be divided, and is looked at
    # again only after as many have joined.
    if index.nodes[node, COUNT] % (LEAF + 1) == 0:
        divide_leaf(index, node, space, boxes)


@callee
def divide_leaf(index, node, space, boxes):
    """Divide a full leaf, unless its elements have equal keys."""
    items = np.empty(index.nodes[node, COUNT], np.int32)
    e = index.nodes[node, HEAD]
    for i in range(len(items)):
        items[i] = e
        e = index.chain[e, BELOW]
    ends = np.empty((2, boxes.loss.shape[1]), np.int64)
    ends_of_keys(items, boxes, ends)
    split, cut = widest(space, ends)
    if split >= 0:
        middle = divide(index, node, items, boxes, split, cut)
        # Never alike: these may be classes, which can differ in their ends and sets where their
        # keys are equal.
        left, alike = np.int64(index.nodes[node, LEFT]), split < 0
        fill_leaf(index, left, items[:middle], boxes, alike)
        fill_leaf(index, left + 1, items[middle:], boxes, alike)


@callee
def remove(index, e, boxes):
    """Take an element out, and narrow what is known above it."""
    chain, node = index.chain, np.int64(index.chain[e, HOME])
    own = index.nodes[node]
    head, above, below = own[HEAD], chain[e, ABOVE], chain[e, BELOW]
    if e == head:
        own[HEAD] = below
    else:
        chain[above, BELOW] = below
    if below != NOBODY:
        chain[below, ABOVE] = above
    elif e != head:
        chain[head, ABOVE] = above
    own[COUNT] -= 1
    # A larger leaf keeps what is known of it, or each removal would look at all of it. The ends may
    # then be too wide, which rules out less than it could, but nobody wrongly.
    if own[COUNT] <= LEAF:
        clear_node(index, node)
        other = np.int64(own[HEAD])
        while other != NOBODY:
            widen_node(index, node, boxes, other)
            other = np.int64(chain[other, BELOW])
    else:
        own[FIRST] = own[HEAD]
    while node != 0:
        node = np.int64(index.nodes[node, PARENT])
        index.nodes[node, COUNT] -= 1
        join_children(index, node)


@callee
def find_nearest(index, growing, space, boxes, sets, codes, room, limit, early):
    """The least distance of an element to the growing class that is at most the limit, else inf.

    With `early`, instead the first element, by number, that is no farther than the limit. Returns
    the distance, the element (NOBODY: none), and how far away the next one is at the least. `room`
    is for nodes to look at and their bounds.

    Branch and bound, depth first. The distance of an element is that of `element.distance`; that of
    a node is computed alike from what it knows of those under it, which makes it a lower bound: the
    narrowest union (the largest least code, the smallest largest code), the fewest rows, the
    largest losses before. Gains below 0, which only such bounds have, count as 0.

    Written out in one piece, `lose_union` too (why: see there), with arrays taken out of their
    tuples first. A test holds it equal to `element.distance`.
    """
    nodes, worst, chain = index.nodes, index.worst, index.chain
    todo, bounds = room
    own_ends, own_loss, mask, inside = growing.ends, growing.loss, growing.mask, growing.inside
    form, start, missing, place, gap, many, loss_start, tree_node, tree_loss, _ = space
    ends, loss, d, of_people = boxes.ends, boxes.loss, len(mask), len(sets) == 0
    todo[0], bounds[0], n = 0, 0.0, 1
    least, found, following = limit, np.int64(NOBODY), np.inf
    while n > 0:
        n -= 1
        node = todo[n]
        if nodes[node, COUNT] == 0 or bounds[n] > least:
            following = min(following, bounds[n])
            continue
        # Whoever is below here comes after the one that was found.
        if early and found != NOBODY and nodes[node, FIRST] > found:
            continue
        is_leaf = nodes[node, SPLIT] < 0
        # What is looked at: the elements of a leaf, else the two children.
        e = np.int64(nodes[node, HEAD]) if is_leaf else np.int64(nodes[node, LEFT])
        before, turn = n, 0
        while e != NOBODY:
            theirs, ours = 0.0, 0.0
            rows = loss[e, d] if is_leaf else np.float64(nodes[e, ROWS])
            if is_leaf or nodes[e, COUNT] > 0:
                for j in range(d):
                    # The other attributes can only add to this, so it is a bound already.
                    if rows * theirs + own_loss[d + 1] * ours > least:
                        break
                    at, n_codes, union = start[j], start[j + 1] - start[j], 0.0
                    if form[j] == SET:
                        size = own_ends[2 * d + j]
                        if is_leaf and of_people:
                            size += 0 if inside[at + ends[e, j]] else 1
                        elif is_leaf:
                            for i in range(sets[e, j], sets[e, d + j]):
                                size += 0 if inside[at + codes[i]] else 1
                        else:
                            low, high = nodes[e, ENDS + 4 * j], nodes[e, ENDS + 4 * j + MAX_HIGH]
                            if low == high:
                                size += 0 if inside[at + low] else 1
                            else:
                                # One look at 64 bits instead of one at each code: whether the class
                                # has any value near those under the node. If not, each adds one.
                                first, last = bit_of(low, n_codes), bit_of(high, n_codes)
                                wanted = ~np.uint64(0) >> np.uint64(63 - (last - first))
                                if mask[j] & (wanted << np.uint64(first)) == np.uint64(0):
                                    size += 1
                        union = many[at + size - 1]
                    else:
                        a = ends[e, j] if is_leaf else nodes[e, ENDS + 4 * j + MAX_LOW]
                        b = ends[e, d + j] if is_leaf else nodes[e, ENDS + 4 * j + MIN_HIGH]
                        low = a if a < own_ends[j] else own_ends[j]
                        high = b if b > own_ends[d + j] else own_ends[d + j]
                        if low == high:
                            union = 0.0
                        elif form[j] == RANGE:
                            union = place[at + high] - place[at + low]
                            if high == missing[j]:
                                union = gap[j]
                        else:
                            at = loss_start[j]
                            while tree_node[at + low] != tree_node[at + high]:
                                at += n_codes
                            union = tree_loss[at + low]
                    gain = union - own_loss[j]
                    ours += gain if gain > 0.0 else 0.0
                    gain = union - (loss[e, j] if is_leaf else worst[e, j])
                    theirs += gain if gain > 0.0 else 0.0
            away = rows * theirs + own_loss[d + 1] * ours
            if is_leaf:
                if early:
                    if away <= limit and (found == NOBODY or e < found):
                        found = e
                elif away < least or (found == NOBODY and away <= least):
                    if found != NOBODY:
                        following = least
                    least, found = away, e
                else:
                    following = min(following, away)
                e = np.int64(NOBODY if nodes[node, UNIFORM] else chain[e, BELOW])
                continue
            if nodes[e, COUNT] > 0:
                if away <= least:
                    todo[n], bounds[n] = e, away
                    n += 1
                else:
                    following = min(following, away)
            turn += 1
            e = e + 1 if turn < 2 else np.int64(NOBODY)
        # The nearer child is looked at first, since it tightens the bound: it comes last.
        if n == before + 2 and bounds[before] < bounds[before + 1]:
            todo[before], todo[before + 1] = todo[before + 1], todo[before]
            bounds[before], bounds[before + 1] = bounds[before + 1], bounds[before]
    return (least if found != NOBODY else np.inf), found, following
