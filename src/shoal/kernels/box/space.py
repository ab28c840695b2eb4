"""The space of quasi-identifiers as kernels see it, and what a range of codes loses in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.kernels.jit import inline

RANGE, TREE, SET = 0, 1, 2


class Space(NamedTuple):
    """Quasi-identifiers end to end; attribute j has the codes start[j] … start[j+1].

    `form` is how it is published: a range, the node of a tree, a set. `place` is a number's place
    in its domain, so that a range loses the difference (RANGE). `join[start[j] + c]` is the lowest
    level at which codes c and c+1 meet, and `loss[loss_start[j] + level * n_codes + c]` what the
    ancestor of c at that level loses, `node` (alike) which one it is; one level above the top
    stands for `*` (TREE). `missing` is the code of missing, or -1. m values of a set lose
    (m - less)/whole: (m - 1)/(n - 1) for the measure `glm`, m/n for `ncp`, (m - 1)/n for
    `infoloss`; `one_more` is what each further value costs. `gap` is what a range loses that has
    numbers and missing.
    """

    form: NDArray[np.int64]
    start: NDArray[np.int64]
    missing: NDArray[np.int64]
    place: NDArray[np.float64]
    join: NDArray[np.int16]
    loss: NDArray[np.float64]
    node: NDArray[np.int32]
    loss_start: NDArray[np.int64]
    less: NDArray[np.int64]
    whole: NDArray[np.int64]
    one_more: NDArray[np.float64]
    gap: NDArray[np.float64]


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
            out[i] = (run + 1 - space.less[j]) / space.whole[j]
        elif high == space.missing[j]:
            out[i] = space.gap[j]
        else:
            out[i] = space.place[start + high] - space.place[start + low]
