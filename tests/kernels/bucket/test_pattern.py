"""The partner of a part that is too small, against a look at every part and row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.kernels.box.element import boxes_of_people, room_to_grow
from shoal.kernels.bucket.pattern import PUBLIC, WITHHELD, count_withheld, find_partner
from shoal.table.partition import PUBLIC as PUBLIC_CELL
from shoal.table.partition import SECRET
from shoal.table.partition import WITHHELD as WITHHELD_CELL
from shoal.table.space import packed_codes
from tests.kernels.box.small import lose, spaces


def _loss(space: Any, points: Any, one: Any, other: Any) -> float:
    """NCP of a joined part: withheld cells lose 1, secret ones nothing, public ones their union."""
    lost = 0.0
    for j in range(points.shape[1]):
        if one[j] != other[j] or one[j] == WITHHELD:
            lost += 1
        elif one[j] == PUBLIC:
            lost += lose(space, j, points[:, j].tolist())
    return len(points) * lost


def test_the_words_for_cells_are_those_of_the_table() -> None:
    assert (PUBLIC, WITHHELD) == (PUBLIC_CELL, WITHHELD_CELL)


@pytest.mark.parametrize(
    ("one", "other", "n"),
    [([0, 1, 2], [0, 1, 2], 1), ([0, 1, 2], [1, 1, 0], 2), ([0, 0], [0, 0], 0)],
)
def test_what_only_one_part_knows_is_withheld(one: list[int], other: list[int], n: int) -> None:
    assert count_withheld(np.array(one, np.int8), np.array(other, np.int8)) == n


@pytest.mark.parametrize("block", range(4))
def test_the_partner_is_the_cheapest_of_all(block: int) -> None:
    for _, table, space in spaces("ncp", block):
        codes = packed_codes(table)
        n, d = codes.shape
        rng = np.random.default_rng(n)
        if n < 4:
            continue
        cuts = np.sort(rng.choice(np.arange(1, n), 3, replace=False))
        parts = np.split(np.arange(n), cuts)
        x = min(range(4), key=lambda i: len(parts[i]))
        patterns = rng.choice([PUBLIC, PUBLIC, SECRET], (4, d)).astype(np.int8)
        least = np.int64(len(parts[x]) + 1 + int(rng.integers(0, 2)))
        room = tuple(np.empty(n, np.int64) for _ in range(3))
        starts = np.array([0, *cuts, n], dtype=np.int64)
        nothing = np.empty((0, 2 * d), np.int64), np.empty(0, np.int32)
        points = boxes_of_people(codes, np.ones(n, np.int64))
        growing = room_to_grow(int(space.start[-1]), d)
        y, loss, m = find_partner(
            space, points, np.int64(x), least, starts, np.arange(n), patterns, growing, nothing,
            room,
        )  # fmt: skip
        given = room[1][:m]
        assert y != x
        assert set(given.tolist()) <= set(parts[y].tolist())
        joined = codes[np.concatenate([parts[x], given])]
        assert loss == pytest.approx(_loss(space, joined, patterns[x], patterns[y]), abs=1e-6)
        wanted = int(least) - len(parts[x])
        assert m == (wanted if len(parts[y]) - wanted >= least else len(parts[y]))
        for other in set(range(4)) - {x}:
            theirs = parts[other]
            if len(theirs) - wanted < least:
                joined = codes[np.concatenate([parts[x], theirs])]
                assert loss <= _loss(space, joined, patterns[x], patterns[other]) + 1e-6
            elif wanted == 1:
                # One row is chosen by what the part loses with it, so that none is better.
                for row in theirs.tolist():
                    joined = codes[[*parts[x].tolist(), row]]
                    assert loss <= _loss(space, joined, patterns[x], patterns[other]) + 1e-6
