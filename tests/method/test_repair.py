"""What a method leaves failing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from shoal.errors import InfeasibleError
from shoal.method.omission import omit
from shoal.method.repair import repair
from shoal.table.partition import SUPPRESSED, Partition
from tests.cases import Case, as_field, as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


def _naive_repair(case: Case, classes: list[list[int]]) -> tuple[list[list[int]], list[int]]:
    """Each failing class in turn joins the class where that adds least, or is left out.

    Whom a class can be rid of is for the tests of `omit`.
    """
    units, requirements = case.units, task_of(case).requirements
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
            singly = omit(requirements, np.array(alive[number], dtype=np.int32))
            n_out = len(own) if singly is None else len(singly)
            if not costs or round(n_out * (len(case.quasi) - kept), 9) < min(costs)[0]:
                out = alive[number] if singly is None else singly.tolist()
                suppressed += out
                alive[number] = [u for u in alive[number] if u not in out]
                if not alive[number]:
                    alive.pop(number)
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
    heights = np.array([[1], [2], [0], [1]], dtype=np.int16)
    partition = Partition(np.array([0, 0, 1, 1, 2, 3, 3], dtype=np.int32), 4, heights)
    failing = task.requirements.failing(partition)
    merged = repair(task.table, task.requirements, partition, failing, 0.0).partition
    assert merged.heights is not None
    assert sorted(merged.heights[:, 0].tolist()) in ([-1, 1, 1], [-1, 1, 2])
    fewer = repair(task.table, task.requirements, partition, failing).partition
    assert fewer.heights is not None
    assert fewer.heights[:, 0].tolist() == [1, 2, 1]


def test_single_rows_are_left_out_where_that_keeps_the_rest() -> None:
    """21 a and 19 b that cannot be told apart: two a less, and every other one is at most half."""
    case = _secrets("a" * 21 + "b" * 19, [{"l-diversity": {"l": 2, "kind": "frequency"}}])
    task = task_of(case)
    partition = Partition(np.zeros(40, dtype=np.int32), 1)
    found = repair(task.table, task.requirements, partition, np.array([True]))
    assert (found.n_single, found.n_suppressed, found.n_merged) == (2, 2, 0)
    assert np.flatnonzero(found.partition.unit_class == SUPPRESSED).tolist() == [0, 1]
    with pytest.raises(InfeasibleError, match=r"without 2 of its 40 rows.*limit allows 1 more"):
        repair(task.table, task.requirements, partition, np.array([True]), 0.049)


def _secrets(cells: str, privacy: list[dict[str, Any]], numbers: list[str] | None = None) -> Case:
    kinds = {"q": {"kind": "numeric"}, "s": {"kind": "categorical"}}
    columns = {"q": numbers or ["7"] * len(cells), "s": list(cells)}
    return Case(
        {name: as_field(name, kinds[name], list(columns[name])) for name in kinds},
        {"q": {"role": "quasi", **kinds["q"]}, "s": {"role": "sensitive", **kinds["s"]}},
        privacy,
    )


@pytest.mark.parametrize(("far", "merged"), [("1", True), ("1000", False)])
def test_merging_and_leaving_out_are_chosen_by_what_they_lose(far: str, merged: bool) -> None:
    """Three a and a b: with a near class of the other kind they merge, with a far one an a goes."""
    numbers = ["0"] * 4 + [far] * 4 + ["2000"] * 2
    alpha = [{"alpha-k": {"alpha": 0.67, "k": 2}}]
    case = _secrets("aaab" + "bbba" + "ab", alpha, numbers)
    task = task_of(case)
    partition = Partition(np.repeat([0, 1, 2], [4, 4, 2]).astype(np.int32), 3)
    failing = task.requirements.failing(partition)
    found = repair(task.table, task.requirements, partition, failing)
    assert failing.tolist() == [True, True, False]
    assert (found.n_merged, found.n_single) == ((1, 0) if merged else (0, 2))


def test_whoever_asks_for_more_than_there_are_is_left_out() -> None:
    kind = {"kind": "numeric"}
    f = {"kind": "numeric"}
    case = Case(
        {"q": as_field("q", kind, ["1", "2", "3"]), "f": as_field("f", f, ["0.9", "0.1", "0.1"])},
        {"q": {"role": "quasi", **kind}, "f": {"role": "sensitivity"}},
        [{"multi-level-k": {"thresholds": [[0.8, 0.2]], "levels": [[4, 1]]}}],
    )
    task = task_of(case)
    found = repair(
        task.table, task.requirements, Partition(np.zeros(3, dtype=np.int32), 1), np.array([True])
    )
    assert found.partition.unit_class.tolist() == [SUPPRESSED, 0, 0]
    assert found.n_single == 1
