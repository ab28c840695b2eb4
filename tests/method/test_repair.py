"""What a method leaves failing."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import InfeasibleError
from shoal.method.repair import repair
from shoal.table.partition import SUPPRESSED, Partition
from tests.cases import Case, as_field, as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


def _naive_repair(case: Case, classes: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Each failing class in turn joins the class where that adds least, or is suppressed."""
    units = case.units
    alive = {i: list(members) for i, members in enumerate(classes)}
    suppressed: list[int] = []
    for number in [i for i, members in enumerate(classes) if not case.holds(members)]:
        while number in alive and not case.holds(alive[number]):
            own = [units[u] for u in alive[number]]
            costs = [
                (round(naive.merge_cost(case.quasi, own, [units[u] for u in other]), 9), i)
                for i, other in alive.items()
                if i != number
            ]
            values = [{q.cells[unit[0]] for unit in own} for q in case.quasi]
            kept = sum(naive.glm(q, v) for q, v in zip(case.quasi, values, strict=True))
            if not costs or round(len(own) * (len(case.quasi) - kept), 9) < min(costs)[0]:
                suppressed += alive.pop(number)
            else:
                alive[number] += alive.pop(min(costs)[1])
    return list(alive.values()), suppressed


def _scattered(case: Case, n: int) -> tuple[Partition, list[list[int]]]:
    members = [[u for u in range(len(case.units)) if u * 5 % 11 % n == c] for c in range(n)]
    members = [m for m in members if m]
    unit_class = np.empty(len(case.units), dtype=np.int32)
    for number, units in enumerate(members):
        unit_class[units] = number
    return Partition(unit_class, len(members)), members


@pytest.mark.parametrize("block", range(3))
def test_repair_is_that_of_the_definition(block: int) -> None:
    for seed in range(block * 40, block * 40 + 40):
        case = random_case(seed, most_rows=30)
        task = task_of(case)
        partition, members = _scattered(case, 6)
        failing = task.requirements.failing(partition)
        assert failing.tolist() == [not case.holds(m) for m in members]
        want, suppressed = _naive_repair(case, members)
        if not want:
            with pytest.raises(InfeasibleError):
                repair(task.table, task.requirements, partition, failing)
            continue
        found = repair(task.table, task.requirements, partition, failing)
        assert rows_of_classes(case, found.partition) == as_rows(case, want), seed
        assert found.n_suppressed == len(suppressed) == found.partition.n_suppressed
        assert not task.requirements.failing(found.partition).any()


def _numbers(cells: list[str], k: int) -> Case:
    kind = {"kind": "numeric"}
    return Case(
        {"q": as_field("q", kind, list(cells))},
        {"q": {"role": "quasi", **kind}},
        [{"k-anonymity": {"k": k}}],
    )


def test_the_limit_is_kept_to_the_row() -> None:
    """0.29 of a hundred rows is 29 rows, though 0.29 * 100 is a little less in floats."""
    case = _numbers(["0"] * 71 + ["1000"] * 29, 30)
    task = task_of(case)
    partition = Partition(np.array([0] * 71 + [1] * 29, dtype=np.int32), 2)
    failing = np.array([False, True])
    merged = repair(task.table, task.requirements, partition, failing, 0.28)
    assert (merged.n_merged, merged.n_suppressed) == (1, 0)
    found = repair(task.table, task.requirements, partition, failing, 0.29)
    assert (found.n_merged, found.n_suppressed) == (0, 29)


def test_what_is_suppressed_stays_so_and_counts_towards_the_limit() -> None:
    case = _numbers(["0", "1", "2", "3", "1000", "2000"], 2)
    task = task_of(case)
    partition = Partition(np.array([0, 0, 1, 1, 2, SUPPRESSED], dtype=np.int32), 3)
    failing = task.requirements.failing(partition)
    found = repair(task.table, task.requirements, partition, failing, 2 / 6)
    assert found.partition.unit_class.tolist() == [0, 0, 1, 1, SUPPRESSED, SUPPRESSED]
    tighter = repair(task.table, task.requirements, partition, failing, 1 / 6)
    assert tighter.partition.unit_class[5] == SUPPRESSED
    assert tighter.n_merged == 1


def test_heights_follow_the_classes_that_are_kept() -> None:
    kind = {"kind": "numeric", "hierarchy": {"width": 10, "levels": 2}}
    cells = ["1", "2", "15", "16", "31", "77", "78"]
    case = Case({"q": as_field("q", kind, cells)}, {"q": {"role": "quasi", **kind}},
                [{"k-anonymity": {"k": 2}}])  # fmt: skip
    task = task_of(case)
    heights = np.array([[1], [2], [0], [1]], dtype=np.int8)
    partition = Partition(np.array([0, 0, 1, 1, 2, 3, 3], dtype=np.int32), 4, heights)
    failing = task.requirements.failing(partition)
    merged = repair(task.table, task.requirements, partition, failing, 0.0).partition
    assert merged.heights is not None
    assert sorted(merged.heights[:, 0].tolist()) in ([-1, 1, 1], [-1, 1, 2])
    fewer = repair(task.table, task.requirements, partition, failing).partition
    assert fewer.heights is not None
    assert fewer.heights[:, 0].tolist() == [1, 2, 1]
