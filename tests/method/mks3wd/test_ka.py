"""The ladder against its naive twin, on random small tables."""

from __future__ import annotations

import pytest

from shoal.method import KA
from tests.cases import CLIMBING, Case, as_field, as_rows, random_case, rows_of_classes, task_of
from tests.papers import naive


@pytest.mark.parametrize("block", range(4))
def test_the_classes_are_those_of_the_definition(block: int) -> None:
    for seed in range(block * 80, block * 80 + 80):
        case = random_case(seed, forms=CLIMBING)
        found = KA(climb="together").partition(task_of(case, method="ka"))
        released, left = naive.ladder(case.quasi, case.units, case.holds)
        assert rows_of_classes(case, found) == as_rows(case, [group for group, _ in released])
        level = {u: step for group, step in released for u in group}
        assert found.level is not None
        assert found.level.tolist() == [level.get(u, 0) for u in range(len(case.units))]
        assert sorted(left) == [u for u, c in enumerate(found.unit_class.tolist()) if c < 0]


def test_a_group_is_published_at_its_step_and_a_short_hierarchy_repeats_its_top() -> None:
    import shoal

    kinds = {
        "age": {"kind": "numeric", "hierarchy": {"width": 10, "levels": 2}},
        "sex": {"kind": "categorical", "hierarchy": "flat"},
    }
    fields = {
        "age": as_field("age", kinds["age"], ["1", "1", "12", "15", "22", "39", "77"]),
        "sex": as_field("sex", kinds["sex"], ["f", "f", "f", "m", "f", "m", "f"]),
    }
    attributes = {name: {"role": "quasi", **kind} for name, kind in kinds.items()}
    case = Case(fields, attributes, [{"k-anonymity": {"k": 2}}])
    release = shoal.run(case.plan(method={"ka": {"climb": "together"}}), case.frame)
    assert release.rows["level"].to_list() == [1, 1, 2, 2, 3, 3, None]
    assert sorted(set(release.frame.rows())) == [("1", "f"), ("[10, 20[", "*"), ("[20, 40[", "*")]


def test_wide_vectors_are_grouped_in_steps() -> None:
    """More combinations of values than a 64-bit key can hold."""
    kind = {"kind": "categorical", "hierarchy": "flat"}
    values = [f"v{n:02d}" for n in range(40)]
    fields, attributes = {}, {}
    for j in range(14):
        cells = [values[(row // 2 * (j + 3)) % 40] for row in range(80)]
        fields[f"q{j}"] = as_field(f"q{j}", kind, cells)
        attributes[f"q{j}"] = {"role": "quasi", **kind}
    case = Case(fields, attributes, [{"k-anonymity": {"k": 2}}])
    found = KA(climb="together").partition(task_of(case, method="ka"))
    released, _ = naive.ladder(case.quasi, case.units, case.holds)
    assert rows_of_classes(case, found) == as_rows(case, [group for group, _ in released])
    assert found.n_classes == 40
