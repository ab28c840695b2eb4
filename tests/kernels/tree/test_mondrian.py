"""The cutting kernel on a few small tables; tests/method compares it on many."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.method import Mondrian
from shoal.method.baseline.mondrian import cut_rows
from shoal.table.space import packed_rows, space_of
from tests.cases import Case, as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


@pytest.mark.parametrize("cut", ["loss", "balanced", "median"])
@pytest.mark.parametrize("seed", range(5000, 5012))
def test_the_classes_are_those_of_the_definition(cut: str, seed: int) -> None:
    case = random_case(seed, most_rows=24)
    got = rows_of_classes(case, Mondrian(cut=cut).partition(task_of(case)))
    assert got == as_rows(case, naive.mondrian(case.quasi, case.units, cut, case.holds))


def order_on_curve(case: Case) -> list[tuple[int, ...]]:
    """The codes of all units: cuts as in `naive.mondrian`, inside the classes as long as there are.

    First comes the side of a cut on which the last one is that was put in order.
    """
    codes = [[q.values.index(q.cells[unit[0]]) for unit in case.units] for q in case.quasi]
    done: list[int] = []

    def visit(node: list[int], inside: bool) -> None:
        for j, code in naive._ranked_cuts(case.quasi, codes, node, "loss"):
            left = [u for u in node if codes[j][u] <= code]
            right = [u for u in node if codes[j][u] > code]
            if inside or (case.holds(left) and case.holds(right)):
                sides = [right, left] if done and codes[j][done[-1]] > code else [left, right]
                for side in sides:
                    visit(side, inside)
                return
        if inside:
            done.extend(node)
        else:
            visit(node, inside=True)

    visit(list(range(len(case.units))), inside=False)
    return [tuple(column[u] for column in codes) for u in done]


@pytest.mark.parametrize("block", range(3))
def test_the_curve_goes_through_the_classes_and_on_inside(block: int) -> None:
    for seed in range(6000 + 40 * block, 6040 + 40 * block):
        case = random_case(seed, most_rows=30)
        task = task_of(case)
        rows, units = packed_rows(task.table), np.arange(task.table.n_units, dtype=np.int32)
        space = space_of(task.table.quasi)
        starts, _ = cut_rows(rows, units, space, task.requirements, "loss", curve=True)
        assert [tuple(row) for row in rows.tolist()] == order_on_curve(case), seed
        assert (rows == packed_rows(task.table)[units]).all()
        classes = np.split(units, np.flatnonzero(starts)[1:])
        found = as_rows(case, [members.tolist() for members in classes])
        assert found == rows_of_classes(case, Mondrian().partition(task))
