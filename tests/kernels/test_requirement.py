"""What a class reaches, against the definitions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.kernels.requirement import (
    ENTROPY,
    FREQUENCY,
    SPREAD,
    add_units,
    judge_classes,
    meets,
    summary_holds,
    units_hold,
)
from shoal.model import MultiLevelK
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.table import Table
from shoal.table.partition import Partition
from tests.cases import RAGGED, TOPS, TREE, Case, as_field, random_case, task_of
from tests.model.small import table_of
from tests.papers import naive

ILL = {"kind": "categorical", "hierarchy": {"tree": TREE}}
PAY = {"kind": "numeric"}
SHARES = (
    Reach.SHARE, Reach.PERSON_SHARE, Reach.VALUE_ROWS, Reach.VALUE_PEOPLE, Reach.PRESENCE,
)  # fmt: skip
DIVERSITIES = (Reach.DISTINCT, Reach.FREQUENCY, Reach.ENTROPY, Reach.RECURSIVE)
DISTANCES = (
    Reach.EMD_EQUAL, Reach.EMD_ORDERED, Reach.EMD_TREE, Reach.GAIN, Reach.GAIN_ENHANCED,
)  # fmt: skip


def _twin(bound: Bound, case: Case, units: Sequence[int]) -> float:
    if bound.reach is Reach.SIZE:
        return len(units)
    if bound.reach.of_population:
        fitting = sum(_crowd(u) for u in units)
        return fitting if bound.reach is Reach.POPULATION else len(units) / fitting
    secret = case.fields[bound.attribute or ""]
    cells = [secret.cells[row] for u in units for row in case.units[u]]
    if bound.known:
        cells = [cell for cell in cells if cell is not None]
        if not cells:
            return 0.0
    values = [{secret.cells[row] for row in case.units[u]} for u in units]
    commonest = max(sum(cell in own for own in values) for cell in cells)
    plain: dict[Reach, Callable[[], float]] = {
        Reach.DISTINCT: lambda: naive.distinct(cells),
        Reach.FREQUENCY: lambda: naive.frequency(cells),
        Reach.ENTROPY: lambda: naive.entropy(cells),
        Reach.RECURSIVE: lambda: naive.recursive(cells, bound.extra),
        Reach.SHARE: lambda: naive.share(cells),
        Reach.EMD_EQUAL: lambda: naive.closeness("equal", cells, secret),
        Reach.EMD_ORDERED: lambda: naive.closeness("ordered", cells, secret),
        Reach.EMD_TREE: lambda: naive.closeness("hierarchical", cells, secret),
        Reach.SPREAD: lambda: naive.spread(cells),
        Reach.DISTINCT_PRESENT: lambda: naive.distinct_present(cells),
        Reach.PERSON_SHARE: lambda: max(len(case.units[u]) for u in units) / len(cells),
        Reach.VALUE_ROWS: lambda: commonest / len(cells),
        Reach.VALUE_PEOPLE: lambda: commonest / len(units),
        Reach.GAIN: lambda: _gain(cells, secret.cells),
        Reach.GAIN_ENHANCED: lambda: _gain(cells, secret.cells, enhanced=True),
        Reach.RATIO: lambda: max(
            abs(math.log(cells.count(v) / len(cells) * len(secret.cells) / secret.cells.count(v)))
            for v in set(cells)
        ),
        Reach.HITTING: lambda: bound.limit - (_least_hitting(values) < bound.limit),
    }
    return plain[bound.reach]()


def _crowd(unit: int) -> int:
    """How many of the population a unit stands for, in these tests."""
    return 1 + unit % 4


def _table(case: Case) -> Table:
    table = task_of(case).table
    crowd = np.array([_crowd(u) for u in table.unit_of_row()], dtype=np.int64)
    return replace(table, crowd=crowd)


def _gain(cells: list, table: list, *, enhanced: bool = False) -> float:
    most = 0.0
    for value in set(cells):
        p, q = table.count(value) / len(table), cells.count(value) / len(cells)
        over = enhanced and (q - p) / p > -math.log(p) + 1e-9
        most = max(most, math.inf if over else (q - p) / p)
    return most


def _least_hitting(values: list[set]) -> int:
    """The fewest values that have one of every person's, by trying all."""
    every = sorted(set().union(*values), key=str)
    for size in range(len(every) + 1):
        for chosen in itertools.combinations(every, size):
            if all(own & set(chosen) for own in values):
                return size
    raise AssertionError("nothing hits an empty set")


def _every_bound(case: Case) -> list[Bound]:
    bounds = [Bound(Reach.SIZE, 1.0)]
    for name in ("ill", "pay"):
        for reach in Reach:
            numeric = reach in (Reach.SPREAD, Reach.DISTINCT_PRESENT)
            fits = (name == "pay") if numeric else (reach is not Reach.EMD_TREE or name == "ill")
            fits &= case.people is not None or not reach.of_people
            if reach not in (Reach.SIZE, Reach.PERSONAL) and fits:
                extras = (0.5, 1.0, 2.5) if reach is Reach.RECURSIVE else (0.0,)
                limits = (1.0, 2.0, 3.0, 9.0) if reach is Reach.HITTING else (1.0,)
                bounds += [Bound(reach, x, name, extra) for extra in extras for x in limits]
                if reach in DIVERSITIES:
                    bounds += [Bound(reach, 1.0, name, extra, known=True) for extra in extras]
    return bounds


def _enough(reach: Reach, limit: float, reached: float) -> bool:
    return bool(meets(int(reach), limit, reached))


@pytest.mark.parametrize("reach", list(Reach))
def test_what_is_enough_on_either_side_of_the_limit(reach: Reach) -> None:
    """Shares are compared as they are; sums of floats may be off by a billionth, not by two."""
    if reach in (Reach.FREQUENCY, Reach.ENTROPY, Reach.SPREAD):
        assert _enough(reach, 0.3, 0.3)
        assert not _enough(reach, 0.3, np.nextafter(0.3, 0))
    elif reach in SHARES:
        assert _enough(reach, 0.3, 0.3)
        assert not _enough(reach, 0.3, np.nextafter(0.3, 1))
    elif reach is Reach.RATIO:
        assert _enough(reach, 0.3, 0.3 - 2e-9)
        assert not _enough(reach, 0.3, 0.3 - 5e-10), "stricter than the verifier, never laxer"
        assert not _enough(reach, 1e-9, 0.0)
    elif reach in DISTANCES:
        assert _enough(reach, 0.3, 0.3 + 5e-10)
        assert _enough(reach, 0.0, 1e-9)
        assert not _enough(reach, 0.3, 0.3 + 2e-9)
    else:
        assert _enough(reach, 4.0, 4 - 3e-9)
        assert not _enough(reach, 4.0, 4 - 5e-9)
        assert _enough(reach, 0.25, 0.25 - 5e-10)
        assert _enough(reach, 1e-9, 0.0)
        assert not _enough(reach, 0.25, 0.25 - 2e-9)
    assert _enough(reach, 0.3, 0.1 if reach in (*SHARES, *DISTANCES, Reach.RATIO) else 0.5)


@pytest.mark.parametrize("block", range(3))
def test_every_reach_is_that_of_its_definition(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        case = random_case(seed, most_rows=25)
        table = _table(case)
        bounds = _every_bound(case)
        requirements = Requirements(table, tuple(bounds))
        unit_class = np.arange(table.n_units, dtype=np.int32) % 3
        n_classes = min(3, table.n_units)
        unit_class[3::7] = -1
        partition = Partition(unit_class, n_classes)
        reached = requirements.reached(partition)
        for number in range(n_classes):
            units = np.flatnonzero(unit_class == number).tolist()
            want = [_twin(bound, case, units) for bound in bounds]
            assert reached[number].tolist() == pytest.approx(want, abs=1e-12), (seed, number)


def _secret(kind: dict, cells: list[str | None], reach: Reach, extra: float = 0.0) -> float:
    """What the first half of the rows reaches as one class; another attribute comes before."""
    attributes = {
        "q": {"role": "quasi", "kind": "numeric"},
        "o": {"role": "sensitive", "kind": "categorical"},
        "s": {"role": "sensitive", **kind},
    }
    quasi = as_field("q", {"kind": "numeric"}, ["1"] * len(cells))
    other = as_field("o", {"kind": "categorical"}, list("xyz" * len(cells))[: len(cells)])
    fields = {"q": quasi, "o": other, "s": as_field("s", kind, cells)}
    case = Case(fields, attributes, [{"k-anonymity": {"k": 1}}])
    requirements = Requirements(task_of(case).table, (Bound(reach, 1.0, "s", extra),))
    n = len(cells) // 2
    partition = Partition(np.array([0] * n + [-1] * (len(cells) - n), dtype=np.int32), 1)
    return float(requirements.reached(partition)[0, 0])


@pytest.mark.parametrize("tree", [TREE, TOPS, RAGGED])
@given(st.lists(st.sampled_from([*"abcdef", None]), min_size=2, max_size=14))
@settings(max_examples=40)
def test_the_hierarchical_distance_on_any_tree(tree: dict, cells: list[str | None]) -> None:
    kind = {"kind": "categorical", "hierarchy": {"tree": tree}}
    twin = as_field("s", kind, cells)
    half = cells[: len(cells) // 2]
    if all(v is None for v in cells):
        return
    want = naive.closeness("hierarchical", half, twin)
    assert _secret(kind, cells, Reach.EMD_TREE) == pytest.approx(want, abs=1e-12)


def test_a_declared_value_that_nobody_has_is_no_step_of_the_ordered_distance() -> None:
    """Shares 1/2, 1/4, 1/4, 0 against 1, 0, 0, 0: 1/2 + 1/4 over two steps between three values."""
    kind = {"kind": "ordinal", "values": ["a", "b", "c", "d"]}
    assert _secret(kind, ["a", "a", "b", "c"], Reach.EMD_ORDERED) == pytest.approx(0.375)


def test_small_cases_are_exact() -> None:
    kind = {"kind": "categorical"}
    assert _secret(kind, ["a", "b", "a", "b"], Reach.ENTROPY) == pytest.approx(2, abs=1e-12)
    assert _secret(kind, ["a", "b", "a", "b"], Reach.FREQUENCY) == 2
    assert _secret(kind, ["a", "a", "a", "a"], Reach.ENTROPY) == 1
    # r = (3, 2, 1): 3 < c (2 + 1) needs c > 1; 3 < c * 1 needs c > 3.
    six = ["a", "a", "a", "b", "b", "c"] * 2
    assert _secret(kind, six, Reach.RECURSIVE, 1.0) == 1
    assert _secret(kind, six, Reach.RECURSIVE, 1.01) == 2
    assert _secret(kind, six, Reach.RECURSIVE, 3.0) == 2
    assert _secret(kind, six, Reach.RECURSIVE, 3.01) == 3
    assert _secret(kind, six, Reach.RECURSIVE, 0.4) == 0
    # 28 < 1.12 · 25 is not so, though 1.12 * 25 > 28 in floats.
    assert _secret(kind, (["a"] * 28 + ["b"] * 25) * 2, Reach.RECURSIVE, 1.12) == 1
    assert _secret(PAY, ["7", "7", "7", "7"], Reach.EMD_ORDERED) == 0
    assert _secret(PAY, [None, None, None, None], Reach.SPREAD) == 0


def test_the_worked_example_of_t_closeness() -> None:
    """Li et al. 2007, section 4.2: salaries 3k to 11k against {3k, 4k, 5k} and {6k, 8k, 11k}."""
    table = [str(k) for k in (3, 4, 5, 6, 7, 8, 9, 10, 11)]
    for cells, distance in ((["3", "4", "5"], 0.375), (["6", "8", "11"], 1 / 6)):
        rest = [v for v in table if v not in cells]
        attributes = {"q": {"role": "quasi", "kind": "numeric"}, "s": {"role": "sensitive", **PAY}}
        fields = {
            "q": as_field("q", PAY, ["1"] * 9),
            "s": as_field("s", PAY, [*cells, *rest]),
        }
        case = Case(fields, attributes, [{"k-anonymity": {"k": 1}}])
        asked = Requirements(task_of(case).table, (Bound(Reach.EMD_ORDERED, 1.0, "s"),))
        partition = Partition(np.array([0] * 3 + [-1] * 6, dtype=np.int32), 1)
        assert asked.reached(partition)[0, 0] == pytest.approx(distance)


@pytest.mark.parametrize("seed", range(12))
def test_classes_hold_where_the_definitions_say_so(seed: int) -> None:
    case = random_case(seed, most_rows=20)
    requirements = task_of(case).requirements
    units = np.arange(len(case.units), dtype=np.int32)
    partition = Partition(units % 2, min(2, len(units)))
    failing = requirements.failing(partition)
    for number in range(partition.n_classes):
        chosen = [u for u in units.tolist() if u % 2 == number]
        verdict = case.holds(chosen)
        assert requirements.holds(np.array(chosen, dtype=np.int32)) == verdict
        assert failing[number] == (not verdict)


def test_judging_leaves_no_trace_between_classes() -> None:
    case = random_case(4, most_rows=20)
    requirements = Requirements(_table(case), tuple(_every_bound(case)))
    n = len(case.units)
    starts = np.array([0, n, 2 * n], dtype=np.int64)
    units = np.concatenate([np.arange(n)] * 2).astype(np.int32)
    out = np.empty((2, len(requirements.all_bounds)))
    asked = requirements.bounds, requirements.members, requirements.facts, requirements.people
    judge_classes(starts, units, *asked, np.empty(2, dtype=np.bool_), out)
    assert out[0].tolist() == out[1].tolist()


@pytest.mark.parametrize(
    ("what", "value", "limit", "enough"),
    [
        (FREQUENCY, 2.0, 2.0, True),
        (FREQUENCY, 2.0, np.nextafter(2.0, 3), False),
        (SPREAD, 0.3, 0.3, True),
        (SPREAD, 0.3, np.nextafter(0.3, 1), False),
        (ENTROPY, 3.0 - 1e-12, 3.0, True),
        (ENTROPY, 3.0 + 1e-12, np.nextafter(3.0, 4), False),
        (ENTROPY, 2.5, np.nextafter(2.5, 3), False),
    ],
)
def test_what_the_verifier_compares_exactly_is_compared_exactly(
    what: int, value: float, limit: float, enough: bool
) -> None:
    assert meets(what, limit, value) == enough


def test_a_class_is_as_large_as_each_of_its_members_asks() -> None:
    """The first and the last ask for three, the others for one."""
    table = table_of("ababab", sensitivities=[0.9, 0.1, 0.1, 0.1, 0.1, 0.9])
    requirements = Requirements.of([MultiLevelK(thresholds=[(0.8, 0.2)], levels=[(3, 1)])], table)
    partition = Partition(np.array([0, 0, 0, 1, 1, 2], dtype=np.int32), 3)
    assert requirements.reached(partition)[:, 0].tolist() == [0, 1, -2]
    assert requirements.failing(partition).tolist() == [False, False, True]


@pytest.mark.parametrize("seed", range(8))
def test_a_summary_is_judged_as_the_class_that_it_is_of(seed: int) -> None:
    """By hand and at once; nothing of the class is left behind."""
    case = random_case(seed, most_rows=16)
    table = _table(case)
    bounds = task_of(case).requirements.all_bounds
    crowd = (Bound(Reach.POPULATION, 6.0), Bound(Reach.PRESENCE, 0.5))
    draw = np.random.default_rng(seed)
    for all_bounds in (bounds, (*bounds, *crowd), crowd[:1], crowd[1:]):
        requirements = Requirements(table, all_bounds)
        asked = requirements.required()
        for size in range(table.n_units + 1):
            units = draw.permutation(table.n_units)[:size].astype(np.int32)
            held = size > 0 and requirements.holds(units)
            assert units_hold(units, *asked) == held
            assert not asked.counts.any()
            n_rows = add_units(units, asked.members, asked.facts, asked.people, asked.counts)
            assert n_rows == sum(len(case.units[u]) for u in units.tolist())
            one = asked.bounds, n_rows, asked.counts, asked.facts, asked.people, units
            assert summary_holds(*one) == held
            asked.counts[:] = 0


def test_a_class_that_is_cleared_asks_for_nothing() -> None:
    """Whichever attributes stand before: how large members want a class to be goes as well."""
    case = random_case(4, most_rows=16)
    asked = Requirements(_table(case), tuple(_every_bound(case))).required()
    assert len(asked.facts.start) > 2
    wanted = np.arange(3, 3 + len(case.units)).astype(asked.members.asked.dtype)
    units = np.arange(len(case.units), dtype=np.int32)
    units_hold(units, *asked._replace(members=asked.members._replace(asked=wanted)))
    assert not asked.counts.any()


def test_each_class_is_judged_by_itself_not_as_one_that_grew() -> None:
    """Of three overlapping pairs no value hits all, and no two are apart: only a search tells."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 3
    table = table_of(
        [value for pair in pairs for value in pair],
        people=[who for who in "123456789" for _ in "ab"],
    )
    requirements = Requirements(table, (Bound(Reach.HITTING, 2, "s"),))
    assert requirements.people is not None
    # As if the first eight had been searched in vain, so that one more would wait.
    requirements.people.undecided[:4] = 5, 8, 0, 7
    partition = Partition(np.zeros(9, dtype=np.int32), 1)
    assert requirements.reached(partition).tolist() == [[2.0]]
    assert requirements.people.undecided[0] == 5


def test_without_bounds_every_class_holds() -> None:
    asked = Requirements(table_of("ab"), ()).required()
    for units in (np.arange(2, dtype=np.int32), np.empty(0, dtype=np.int32)):
        assert units_hold(units, None, *asked[1:])
        assert summary_holds(None, len(units), asked.counts, asked.facts, None, units)
