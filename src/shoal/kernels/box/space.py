"""The space of quasi-identifiers as kernels see it, and the one metric in it: what a union loses.

Every distance of the five systems is a sum over attributes of `lose_union`; what differs between
them is the space that is handed over (`table/space.py`): `glm`, `ncp`, `infoloss`, or f_DIS of the
graph paper.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import inline

RANGE, TREE, SET = 0, 1, 2

# Distances that are compared for order are first rounded to whole billionths: what is a tie on
# paper (1/3 + 1/3 against 2/3) is then one here too, on every machine, and the order of the table
# decides it. Sums of them stay exact, as integers do.
BILLIONTH = 1e9


class Space(NamedTuple):
    """Quasi-identifiers end to end; attribute j has the codes start[j] … start[j+1].

    `form` is how it is published: a range, the node of a tree, a set. `missing` is the code of
    missing, the last of its attribute where it is published as a range, or -1. RANGE: `place` is a
    number's place in its domain, so a range loses the difference, and `gap` what numbers and
    missing lose together. SET: `many[start[j] + m - 1]` is what m different values lose, nothing
    where m = 1. TREE: `loss[loss_start[j] + level * n_codes + c]` is what the ancestor of c at that
    level loses, `node` (alike) which one it is; the last level has one node. `join[start[j] + c]`
    is the lowest level at which codes c and c+1 meet.
    """

    form: NDArray[np.int64]
    start: NDArray[np.int64]
    missing: NDArray[np.int64]
    place: NDArray[np.float64]
    gap: NDArray[np.float64]
    many: NDArray[np.float64]
    loss_start: NDArray[np.int64]
    node: NDArray[np.int32]
    loss: NDArray[np.float64]
    join: NDArray[np.int16]


# Kernels call this wherever a few calls are made for a look at an element. Innermost loops have it
# written out, on arrays that were taken out of the tuple at the head: handing arrays on inside a
# loop, even to a function that is inlined, counts references (atomically) 2 to 5 times as long as
# the work itself takes. Those loops, in box/index.py, box/neighbour.py, box/union.py, hilbert.py
# and polish/, say so, and a test holds each equal to this: of index.py and neighbour.py that of the
# same name in tests/kernels/box, of union.py test_space.py there, of hilbert.py and polish/ those
# of the same name in tests/kernels.
@inline
def lose_union(space, j, low, high, m):
    """What one published value of attribute j loses that covers the codes low … high.

    Of a set: what its m values lose, wherever they lie. A missing value has no place among numbers,
    so that a range with both says nothing. Leaves are in depth-first order, so that the lowest
    node over both ends covers all between them.
    """
    lost, start = 0.0, space.start[j]
    if space.form[j] == SET:
        # In the space of `glm`: Definition 4.2 (eq. 12) of identity-reserved anonymity.
        lost = space.many[start + m - 1]
    elif low != high:
        if space.form[j] == RANGE:
            # In the space of `glm`: Definition 4.1 (eq. 11).
            lost = space.place[start + high] - space.place[start + low]
            if high == space.missing[j]:
                lost = space.gap[j]
        else:
            n_codes, at = space.start[j + 1] - start, space.loss_start[j]
            # This ends at the root at the latest: the last level is one node.
            while space.node[at + low] != space.node[at + high]:
                at += n_codes
            lost = space.loss[at + low]
    return lost


# The same metric for all prefixes (or suffixes) of a node's codes at once, so that a cut of
# Mondrian costs no look-up of its own: along a run the level of the common ancestor only rises, and
# is the largest `join` so far. A test holds it equal to `lose_union`.
@inline
def lose_runs(space, j, codes, m, step, out):
    """What runs of present, ascending codes lose when published as one value.

    step 1: out[i] for codes[0] … codes[i]; step -1: out[i] for codes[i] … codes[m-1].
    """
    start, form = space.start[j], space.form[j]
    n_codes = space.start[j + 1] - start
    first = 0 if step == 1 else m - 1
    level = 0
    out[first] = 0.0
    for run in range(1, m):
        i = first + step * run
        low, high = (codes[0], codes[i]) if step == 1 else (codes[i], codes[m - 1])
        if form == TREE:
            for c in range(codes[min(i, i - step)], codes[max(i, i - step)]):
                level = max(level, space.join[start + c])
            out[i] = space.loss[space.loss_start[j] + level * n_codes + low]
        elif form == SET:
            out[i] = space.many[start + run]
        elif high == space.missing[j]:
            out[i] = space.gap[j]
        else:
            out[i] = space.place[start + high] - space.place[start + low]
