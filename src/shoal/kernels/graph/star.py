"""Stars of nearest rows, the tightest first, with the rows that are as near to them as their own.

Every row has a star, which only widens while others are taken: what a heap knows of it is a bound
from below, and a star is looked for again only when it comes to the top. So the star that wins is
the one that section 3.4.1 of the graph paper finds by adding up all rows of the matrix again, at
O(n log n) searches instead of O(n^2) for each class.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.box.index import LAST, NOBODY, remove
from shoal.kernels.box.neighbour import distance_of, list_nearest, spread_of
from shoal.kernels.box.space import BILLIONTH
from shoal.kernels.copy import copy_into
from shoal.kernels.jit import callee, jit
from shoal.kernels.requirement import class_holds

FAR = np.iinfo(np.int64).max


@callee
def sift_down(heap, sums, first, n):
    """Bring an entry of a heap of rows, by sum and then by number, down to its place."""
    i, row = first, heap[first]
    while 2 * i + 1 < n:
        child = 2 * i + 1
        if child + 1 < n:
            a, b = heap[child], heap[child + 1]
            if sums[b] < sums[a] or (sums[b] == sums[a] and b < a):
                child += 1
        other = heap[child]
        if sums[other] > sums[row] or (sums[other] == sums[row] and other > row):
            break
        heap[i] = other
        i = child
    heap[i] = row


@callee
def grow_star(index, space, ends, k, n_left, beyond, asked, room, star, far):
    """Fill the star of star[0] with its nearest rows until it holds; returns its size, 0: never."""
    if not beyond:
        return k
    n_found, size = np.int64(0), np.int64(k)
    while size <= n_left:
        if size - 1 > n_found:
            n_found = min(2 * size, n_left - 1)
            centre = np.int64(star[0])
            list_nearest(index, space, ends, centre, n_found, FAR, room, star[1:], far)
        if class_holds(star[:size], asked):
            return size
        size += 1
    return np.int64(0)


@callee
def list_associated(index, space, ends, star, widest, room, near, far, nearest, listed):
    """Rows left that are at most `widest` from a row of the star, the nearest first; how many.

    At most as many as the star has but one are needed of each. They go into `listed`; `nearest` is
    FAR everywhere, and is left so.
    """
    n, wanted = 0, np.int64(len(star) - 1)
    for i in range(len(star)):
        found = list_nearest(index, space, ends, np.int64(star[i]), wanted, widest, room, near, far)
        for m in range(found):
            row = near[m]
            if nearest[row] == FAR:
                listed[n] = row
                n += 1
            nearest[row] = min(nearest[row], far[m])
    # Insertion sort: there are few, and most of them come in order.
    for i in range(1, n):
        row, at = listed[i], i
        while at > 0 and (
            nearest[listed[at - 1]] > nearest[row]
            or (nearest[listed[at - 1]] == nearest[row] and listed[at - 1] > row)
        ):
            listed[at] = listed[at - 1]
            at -= 1
        listed[at] = row
    for i in range(n):
        nearest[listed[i]] = FAR
    return n


@callee
def widen(ends, row, low, high):
    """Take a row into the ends of a class."""
    for j in range(len(low)):
        low[j], high[j] = min(low[j], ends[row, j]), max(high[j], ends[row, j])


@callee
def join_cheapest(space, ends, rest, n_classes, asked, room, out):
    """Each row of the rest joins the class whose error grows least and still holds, or none.

    The error of a class is its rows times its f_DIS (Definition 6 of the graph paper).
    """
    n, d = len(out), len(space.form)
    low, high = np.full((n_classes, d), LAST), np.full((n_classes, d), NOBODY)
    sizes = np.zeros(n_classes, np.int64)
    for row in range(n):
        if out[row] != NOBODY:
            widen(ends, row, low[out[row]], high[out[row]])
            sizes[out[row]] += 1
    growth, zero = np.empty(n_classes), np.int64(0)
    for i in range(len(rest)):
        for c in range(n_classes):
            a, b = low[c : c + 1].copy(), high[c : c + 1].copy()
            before = spread_of(space, low, c, high, c) * sizes[c]
            widen(ends, rest[i], a[0], b[0])
            more = spread_of(space, a, zero, b, zero) * (sizes[c] + 1) - before
            # Times the rows of a class, billionths may not fit 64 bits: they stay floats here.
            growth[c] = np.rint(more * BILLIONTH)
        while True:
            best = -1
            for c in range(n_classes):
                if growth[c] < np.inf and (best < 0 or growth[c] < growth[best]):
                    best = c
            if best < 0:
                break
            m = 0
            for row in range(n):
                if out[row] == best:
                    room[m] = row
                    m += 1
            room[m] = rest[i]
            if class_holds(room[: m + 1], asked):
                out[rest[i]] = best
                widen(ends, rest[i], low[best], high[best])
                sizes[best] += 1
                break
            growth[best] = np.inf


@jit
def join_stars(space, boxes, index, k, beyond, asked, out):
    """The class of every unit into `out`, by order of forming, -1: none (see method/adjacency).

    `beyond`: whether more than k is required.
    """
    ends = boxes.ends
    n, top = len(ends), np.int64(0)
    room = np.empty(2 * n + 2, np.int64), np.empty(2 * n + 2)
    stars, far = np.empty((n, max(k - 1, 1)), np.int32), np.empty(n + 1, np.int64)
    sums, heap = np.empty(n, np.int64), np.empty(n, np.int32)
    star, near, listed = np.empty(n + 1, np.int32), np.empty(n + 1, np.int32), np.empty(n, np.int32)
    nearest = np.full(n, FAR)
    wanted, n_left, n_heap, n_classes = np.int64(k - 1), np.int64(n), np.int64(n), np.int64(0)
    out[:] = NOBODY
    for row in range(n):
        found = list_nearest(index, space, ends, np.int64(row), wanted, FAR, room, stars[row], far)
        sums[row] = far[:found].sum()
        heap[row] = row
    for i in range(n // 2 - 1, -1, -1):
        sift_down(heap, sums, np.int64(i), n_heap)
    # With fewer than 2k left, two classes could not be made of them.
    while n_left >= 2 * k:
        centre = np.int64(heap[0])
        # Rows that are taken leave the heap only when they come to its top.
        if out[centre] != NOBODY:
            n_heap -= 1
            heap[0] = heap[n_heap]
            sift_down(heap, sums, top, n_heap)
            continue
        # Its sum was right when some of its rows were still left: now it can only be larger.
        stale = False
        for i in range(wanted):
            stale = stale or out[stars[centre, i]] != NOBODY
        if stale:
            list_nearest(index, space, ends, centre, wanted, FAR, room, stars[centre], far)
            sums[centre] = far[:wanted].sum()
            sift_down(heap, sums, top, n_heap)
            continue
        star[0] = centre
        copy_into(stars[centre, : k - 1], star[1:k])
        size = grow_star(index, space, ends, np.int64(k), n_left, beyond, asked, room, star, far)
        if size == 0:
            break
        for i in range(size):
            remove(index, np.int64(star[i]), boxes)
            out[star[i]] = n_classes
        # The farthest of a star is its last row.
        widest = distance_of(space, ends, centre, np.int64(star[size - 1]))
        # Near to the star itself: rows that join later bring in no others (section 3.4.1).
        n_listed = list_associated(
            index, space, ends, star[:size], widest, room, near, far, nearest, listed
        )
        total = size
        for i in range(n_listed):
            # Up to 2k - 1 rows (section 3.4.1), or 2s - 1 where a star needed s rows to hold; and k
            # must stay left, or the rest could not be a class.
            if total >= 2 * size - 1 or n_left - total <= k:
                break
            star[total] = listed[i]
            if beyond and not class_holds(star[: total + 1], asked):
                break
            remove(index, np.int64(listed[i]), boxes)
            out[listed[i]] = n_classes
            total += 1
        n_left -= total
        n_classes += 1
    n_rest = np.int64(0)
    for row in range(n):
        if out[row] == NOBODY:
            star[n_rest] = row
            n_rest += 1
    # The last rows, as a rule fewer than 2k, are one class (section 3.4.1) if it holds.
    if n_rest >= k and (not beyond or class_holds(star[:n_rest], asked)):
        for i in range(n_rest):
            out[star[i]] = n_classes
        return
    join_cheapest(space, ends, star[:n_rest].copy(), n_classes, asked, star, out)
