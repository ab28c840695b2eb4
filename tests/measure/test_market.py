"""Lists of cells and rows, and the market's answers to too few steps."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from shoal.kernels.bound.cell import Cells
from shoal.measure.market import Listed, ProgrammeRows


def cells(*given: tuple[float, list[int]]) -> Cells:
    sizes = [len(members) for _, members in given]
    return Cells(
        np.array([loss for loss, _ in given], dtype=np.float64),
        np.append(0, np.cumsum(sizes)).astype(np.int64),
        np.array([u for _, members in given for u in members], dtype=np.int32),
    )


NAMES = np.array([3, 5, 2**63, 11], dtype=np.uint64)


def _members(listed: Listed) -> list[list[int]]:
    start = listed.cells.start
    return [listed.cells.members[a:b].tolist() for a, b in pairwise(start)]


def test_lists_are_joined_without_repeats() -> None:
    one = Listed.of([cells((0.5, [0, 1])), cells((0.25, [2, 3]))], [2, 2], NAMES)
    two = Listed.of([cells((0.25, [3, 2]), (0.75, [0, 1, 2]))], [2], NAMES)
    both = one.joined(two)
    assert _members(both) == [[0, 1], [2, 3], [0, 1, 2]]
    assert both.cells.loss.tolist() == [0.5, 0.25, 0.75]
    assert len(set(both.digest.tolist())) == 3


def test_the_same_members_under_another_k_are_another_cell() -> None:
    one, two = (Listed.of([cells((0.5, [0, 1]))], [k], NAMES) for k in (2, 3))
    assert one.joined(two).k.tolist() == [2, 3]


def _rows(digests: list[int]) -> ProgrammeRows:
    n = len(digests)
    starts, columns = np.arange(0, 2 * n + 1, 2), np.arange(2 * n, dtype=np.int32)
    parts, limits = np.full(2 * n, 0.5), np.arange(n, dtype=np.float64)
    return ProgrammeRows(
        starts, columns, parts, limits, np.ones(n), np.array(digests, dtype=np.uint64)
    )


def test_rows_are_joined_and_taken() -> None:
    both = _rows([1, 2]).joined(_rows([2, 3, 4]))
    assert both.digest.tolist() == [1, 2, 3, 4]
    assert both.starts.tolist() == [0, 2, 4, 6, 8]
    assert both.columns.tolist() == [0, 1, 2, 3, 2, 3, 4, 5]
    some = both.take(np.array([False, True, False, True]))
    assert some.columns.tolist() == [2, 3, 4, 5]
    assert some.limits.tolist() == [1, 2]
    assert ProgrammeRows.none().joined(_rows([1])).digest.tolist() == [1]


def test_slack_is_what_prices_leave() -> None:
    assert _rows([1, 2]).slack(np.array([1.0, 3.0, 0.0, 0.5])).tolist() == [-2.0, 0.75]
