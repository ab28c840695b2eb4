"""What a union of classes costs, against the definition."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.kernels.box.space import lose_runs
from shoal.kernels.box.union import add_units, count_union, fill_words, lose_classes
from shoal.method.workshop import Workshop, class_boxes
from shoal.table.partition import Partition
from shoal.table.space import space_of
from tests.cases import Case, as_field, random_case, task_of
from tests.papers import naive


@pytest.mark.parametrize("objective", ["glm", "ncp"])
@pytest.mark.parametrize("block", range(3))
def test_the_nearest_class_is_that_of_the_definition(block: int, objective: str) -> None:
    loss = {"glm": naive.glm, "ncp": naive.ncp}[objective]
    for seed in range(block * 20, block * 20 + 20):
        case = random_case(seed, most_rows=20)
        task = task_of(case)
        n_classes = min(5, len(case.units))
        unit_class = (np.arange(len(case.units)) * 7 // 2 % n_classes).astype(np.int32)
        place = {c: i for i, c in enumerate(sorted(set(unit_class.tolist())))}
        unit_class = np.array([place[c] for c in unit_class.tolist()], dtype=np.int32)
        members = [
            [case.units[u] for u in np.flatnonzero(unit_class == c)] for c in range(len(place))
        ]
        partition = Partition(unit_class, len(place))
        work = Workshop(task.table, task.requirements, partition, objective)
        for number in range(len(place)):
            other, added, lost = work.nearest(number)
            costs = {
                c: naive.merge_cost(case.quasi, members[number], members[c], loss)
                for c in range(len(place))
                if c != number
            }
            if not costs:
                assert other == -1
                continue
            assert added == pytest.approx(min(costs.values()), abs=1e-9)
            assert costs[other] == pytest.approx(added, abs=1e-9)
            values = [{q.cells[unit[0]] for unit in members[number]} for q in case.quasi]
            own = sum(loss(q, v) for q, v in zip(case.quasi, values, strict=True))
            assert lost == pytest.approx(len(members[number]) * (len(case.quasi) - own), abs=1e-9)


@pytest.mark.parametrize("block", range(2))
@pytest.mark.parametrize("objective", ["glm", "ncp"])
def test_runs_of_values_lose_what_the_measure_says(block: int, objective: str) -> None:
    loss = {"glm": naive.glm, "ncp": naive.ncp}[objective]
    for seed in range(block * 20, block * 20 + 20):
        case = random_case(seed, most_rows=20)
        space = space_of(task_of(case).table.quasi, objective)
        for j, quasi in enumerate(case.quasi):
            present = sorted({quasi.values.index(v) for v in quasi.cells})
            codes, m = np.array(present, dtype=np.int64), len(present)
            for step in (1, -1):
                out = np.zeros(m)
                lose_runs(space, j, codes, m, step, out)
                runs = [present[: i + 1] if step == 1 else present[i:] for i in range(m)]
                want = [loss(quasi, {quasi.values[c] for c in run}) for run in runs]
                assert out.tolist() == pytest.approx(want, abs=1e-12)


def test_a_range_is_as_long_wherever_it_lies() -> None:
    """Far from zero, places must not lose the digits that tell near numbers apart."""
    cells = [str(10**14 + n) for n in (0, 1, 2, 4, 8, 17)]
    kind = {"kind": "numeric"}
    quasi = as_field("q", kind, list(cells))
    case = Case({"q": quasi}, {"q": {"role": "quasi", **kind}}, [{"k-anonymity": {"k": 1}}])
    out = np.zeros(6)
    lose_runs(space_of(task_of(case).table.quasi), 0, np.arange(6), 6, 1, out)
    assert out.tolist() == pytest.approx([n / 17 for n in (0, 1, 2, 4, 8, 17)], abs=1e-12)


def test_sets_are_bits() -> None:
    words = np.zeros((2, 4), dtype=np.uint64)
    codes = np.array([0, 63, 64, 129, 5, 64], dtype=np.uint8)
    fill_words(codes, np.array([0, 0, 0, -1, 1, 1], dtype=np.int32), 1, words)
    assert count_union(words, 0, 0, 1, 4) == 3
    assert count_union(words, 1, 1, 1, 4) == 2
    assert count_union(words, 0, 1, 1, 4) == 4
    assert count_union(words, 0, 1, 0, 1) == 0


@pytest.mark.parametrize("seed", range(10))
def test_who_is_added_loses_as_one_of_the_class(seed: int) -> None:
    table = task_of(random_case(seed, share_of_people=0.0)).table
    draw = np.random.default_rng(seed)
    own = draw.integers(0, 3, table.n_units).astype(np.int32)
    own[:3] = np.arange(min(3, len(own)))
    partition, space = Partition(own, 3), space_of(table.quasi)
    codes = np.stack([table.unit_codes(d.attribute.name) for d in table.quasi], axis=1)
    near = np.tile(np.arange(3), (table.n_units, 1))
    added, lost = np.empty(near.shape), np.empty(3)
    boxes, sizes = class_boxes(table, partition), partition.sizes()
    lose_classes(*boxes, space, np.arange(3), lost)
    add_units(*boxes, space, sizes, lost, codes.astype(np.int64), near, added)
    for unit, to in np.ndindex(added.shape):
        # The unit as one more of the class: the same class with its values twice is as wide.
        moved = np.append(own, np.int32(to))
        rows = np.append(np.arange(table.n_units), unit)
        wider = class_boxes(table.take(rows), Partition(moved, 3))
        after = np.empty(3)
        lose_classes(*wider, space, np.arange(3), after)
        assert added[unit, to] == pytest.approx(
            (sizes[to] + 1) * after[to] - sizes[to] * lost[to], abs=1e-9
        )
