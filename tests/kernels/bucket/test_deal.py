"""Dealing against the definition: every number of buckets tried, every bucket judged."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from shoal.kernels.bucket.deal import Stock, most_dealt
from shoal.kernels.requirement import EMD_EQUAL, EMD_ORDERED, EMD_TREE

TREE = np.array([[0, 1, 2, 3, 4, 5], [6, 6, 7, 8, 8, 8], [9, 9, 9, 10, 10, 10], [11] * 6])


def _stock(counts: Sequence[int], rank: Sequence[int]) -> Stock:
    """Value v has counts[v] rows and the given rank; ranks are leaves of the tree."""
    by_rank = np.argsort(rank)
    before = np.append(0, np.cumsum(np.array(counts)[by_rank]))
    weights = np.array(counts)[by_rank]
    nodes = TREE[:, : len(counts)].astype(np.int32)
    under = [[int(weights[level == node].sum()) for node in level] for level in nodes]
    return Stock(
        value=np.repeat(np.arange(len(counts)), counts),
        begins=np.append(0, np.cumsum(counts)),
        rank=np.array(rank, dtype=np.int64),
        before=before,
        sums=np.append(0, np.cumsum(before[1:])),
        node=nodes,
        under=np.array(under),
    )


def _distance(what: int, some: list[int], everyone: list[int]) -> float:
    """The Earth Mover's Distance between the ranks of a bucket and those of all (Li et al.)."""
    ranks = sorted(set(everyone))
    extra = {r: some.count(r) / len(some) - everyone.count(r) / len(everyone) for r in ranks}
    if what == EMD_EQUAL:
        return sum(map(abs, extra.values())) / 2
    if what == EMD_ORDERED:
        ahead = [abs(sum(extra[s] for s in ranks if s <= r)) for r in ranks]
        return sum(ahead) / (len(ranks) - 1)
    total, top = 0.0, len(TREE) - 1
    for level in range(1, top + 1):
        for node in set(TREE[level].tolist()):
            inside = [r for r in ranks if TREE[level, r] == node]
            children = {int(TREE[level - 1, r]) for r in inside}
            sums = [sum(extra[r] for r in inside if TREE[level - 1, r] == c) for c in children]
            total += (
                level / top * min(sum(max(x, 0.0) for x in sums), sum(max(-x, 0.0) for x in sums))
            )
    return total


@pytest.mark.parametrize("what", [EMD_EQUAL, EMD_ORDERED, EMD_TREE])
@pytest.mark.parametrize("t", [0.0, 0.1, 0.3, 1.0])
def test_as_many_buckets_are_dealt_as_all_hold(what: int, t: float) -> None:
    rng = np.random.default_rng([what, int(10 * t)])
    for _ in range(60):
        counts = rng.integers(1, 9, int(rng.integers(2, 7))).tolist()
        rank = rng.permutation(len(counts)).tolist()
        ranks = [rank[v] for v, n in enumerate(counts) for _ in range(n)]

        def holds(bucket: list[int], ranks: list[int] = ranks) -> bool:
            return len(set(bucket)) > 1 and _distance(what, bucket, ranks) <= t + 1e-9

        most = max(
            n
            for n in range(1, len(ranks) + 1)
            if all(holds(ranks[b::n]) for b in range(n)) or n == 1
        )
        assert most_dealt(_stock(counts, rank), what, t) == most


def test_no_bucket_has_one_value_however_large_t_is() -> None:
    assert most_dealt(_stock([5, 5], [0, 1]), EMD_EQUAL, 1.0) == 5
    assert most_dealt(_stock([97, 3], [0, 1]), EMD_EQUAL, 1.0) == 3
    assert most_dealt(_stock([3, 97], [0, 1]), EMD_ORDERED, 1.0) == 3
