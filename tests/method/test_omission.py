"""Who is left out of a class: the fewest, against all subsets; greedily where that is too hard."""

from __future__ import annotations

import random
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from shoal.method.omission import nearest, omit
from shoal.model import MODELS, KAnonymity, Model
from shoal.model.requirement import Requirements
from tests.cases import random_case, task_of
from tests.model.small import TREE, table_of


def fewest(requirements: Requirements, units: NDArray[np.int32]) -> int | None:
    """How many must be left out at the least, by trying every subset."""
    for n_out in range(len(units)):
        for out in combinations(units.tolist(), n_out):
            rest = np.setdiff1d(units, np.array(out, dtype=np.int32))
            if requirements.holds(rest.astype(np.int32)):
                return n_out
    return None


EVEN: list[Model] = [
    *(MODELS["l-diversity"](l=x, kind="frequency") for x in (1.4, 2, 2.5, 3)),
    *(MODELS["l-diversity"](l=x, kind="entropy") for x in (1.5, 2, 2.7, 3)),
    *(MODELS["l-diversity"](l=x, kind="recursive", c=c) for x in (2, 3) for c in (0.7, 1, 1.5)),
    *(MODELS["alpha-k"](alpha=a, k=k) for a in (0.34, 0.5, 0.6) for k in (1, 4)),
]
EQUAL: list[Model] = [
    MODELS["t-closeness"](t=t, distance="equal") for t in (0.0, 0.05, 0.12, 0.2, 0.3)
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from("aaab"), min_size=1, max_size=7),
    st.lists(st.sampled_from("abcd"), max_size=4),
    st.lists(st.sampled_from(EVEN + EQUAL), min_size=1, max_size=1),
    st.integers(1, 4),
)
def test_the_fewest_are_left_out(
    cells: list[str], others: list[str], models: list[Model], k: int
) -> None:
    """Of a class of a larger table, which also holds the other cells."""
    table = table_of([*cells, *others, "a", "b", "c"])
    requirements = Requirements.of([*models, KAnonymity(k=k)], table)
    units = np.arange(len(cells), dtype=np.int32)
    want = fewest(requirements, units)
    found = omit(requirements, units)
    if want in (None, 0):
        assert found is None
        return
    assert found is not None
    assert len(found) == want
    assert requirements.holds(np.setdiff1d(units, found).astype(np.int32))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("aaabbc"), min_size=2, max_size=9), st.data())
def test_the_fewest_for_several_bounds_on_one_attribute(cells: list[str], data: Any) -> None:
    models = data.draw(st.lists(st.sampled_from(EVEN), min_size=2, max_size=3))
    requirements = Requirements.of(models, table_of(cells))
    units = np.arange(len(cells), dtype=np.int32)
    want, found = fewest(requirements, units), omit(requirements, units)
    assert (None if found is None else len(found)) == (want or None)


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=4),
    st.lists(st.integers(0, 5), min_size=4, max_size=4),
    st.sampled_from([0.0, 0.1, 0.2, 0.35]),
)
@settings(max_examples=150, deadline=None)
def test_the_nearest_counts_against_all_counts(
    numbers: list[int], weights: list[int], t: float
) -> None:
    counts = np.array(numbers, dtype=np.int64)
    weight = np.array(weights[: len(counts)]) + (counts > 0)
    if not counts.sum():
        return
    share = weight / weight.sum()
    kept = [np.array(c) for c in product(*(range(n + 1) for n in numbers)) if sum(c)]
    near = [int(c.sum()) for c in kept if np.abs(c / c.sum() - share).sum() / 2 <= t + 1e-9]
    found = nearest(counts, share, t)
    assert (None if found is None else int((counts - found).sum())) == (max(near, default=None))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["a", "a", "b", "c", None]), min_size=2, max_size=8), st.data())
def test_missing_values_that_do_not_count_need_not_leave(
    cells: list[str | None], data: Any
) -> None:
    kind, least = data.draw(st.sampled_from([("frequency", 2), ("entropy", 2), ("frequency", 2.5)]))
    model = MODELS["l-diversity"](l=least, kind=kind, missing="ignore")
    requirements = Requirements.of([model], table_of([*cells, None, "a", "b", "c"]))
    units = np.arange(len(cells), dtype=np.int32)
    want, found = fewest(requirements, units), omit(requirements, units)
    assert (None if found is None else len(found)) == (want or None)
    if found is not None:
        assert all(cells[unit] is not None for unit in found.tolist())


def test_the_first_in_table_order_leave() -> None:
    table = table_of("abaabb" + "aa")
    requirements = Requirements.of([MODELS["alpha-k"](alpha=0.5, k=2)], table)
    found = omit(requirements, np.arange(8, dtype=np.int32)[::-1].copy())
    assert found is not None
    assert found.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("cells", "model", "people"),
    [
        ("aabb", MODELS["l-diversity"](l=3), None),
        ("aab", KAnonymity(k=4), None),
        ("aaab", MODELS["alpha-k"](alpha=0.5, k=3), None),
        ("aaa", MODELS["l-diversity"](l=2, kind="entropy"), None),
    ],
)
def test_what_leaving_out_cannot_give(cells: str, model: Model, people: Any) -> None:
    requirements = Requirements.of([model], table_of(cells, people=people))
    assert omit(requirements, np.arange(len(cells), dtype=np.int32)) is None


GREEDY: list[tuple[Model, dict[str, Any]]] = [
    (MODELS["t-closeness"](t=0.15, distance="ordered"), {}),
    (MODELS["t-closeness"](t=0.12, distance="hierarchical"), {"hierarchy": {"tree": TREE}}),
]


@pytest.mark.parametrize(("model", "more"), GREEDY)
def test_other_distances_are_greedy(model: Model, more: dict[str, Any]) -> None:
    """What is left holds; mostly, no fewer would do."""
    exact = tried = 0
    for seed in range(60):
        rng = random.Random(seed)
        cells = rng.choices("aaabc", k=8) + rng.choices("abc", k=8)
        requirements = Requirements.of([model], table_of([*cells, "a", "b", "c"], **more))
        units = np.arange(8, dtype=np.int32)
        want, found = fewest(requirements, units), omit(requirements, units)
        if want in (None, 0):
            continue
        assert found is not None
        tried += 1
        exact += len(found) == want
        assert len(found) >= want
        assert requirements.holds(np.setdiff1d(units, found).astype(np.int32))
    assert tried > 10
    assert exact >= 0.9 * tried


@pytest.mark.parametrize("name", ["ir-alpha-beta", "eir-alpha-beta", "alpha-k"])
def test_single_people_are_left_out_with_all_their_rows(name: str) -> None:
    parameters = {"alpha": 0.5, "k": 2} if name == "alpha-k" else {"alpha": 0.5, "beta": 0.5}
    exact = tried = 0
    for seed in range(60):
        rng = random.Random(seed)
        people = [p for p in "pqrstu" for _ in range(rng.randint(1, 3))]
        cells = rng.choices("aaabc", k=len(people))
        table = table_of(cells, people=people)
        requirements = Requirements.of([MODELS[name](**parameters)], table)
        units = np.arange(table.n_units, dtype=np.int32)
        want, found = fewest(requirements, units), omit(requirements, units)
        if found is None:
            continue
        assert want
        tried += 1
        exact += len(found) == want
        assert requirements.holds(np.setdiff1d(units, found).astype(np.int32))
    assert tried > 5
    assert exact >= 0.8 * tried


def test_whatever_is_required_what_is_left_holds() -> None:
    tried = 0
    for seed in range(150):
        case = random_case(seed, most_rows=20)
        requirements = task_of(case).requirements
        units = np.arange(requirements.table.n_units, dtype=np.int32)
        if requirements.sizes_only or (found := omit(requirements, units)) is None:
            continue
        tried += 1
        assert requirements.holds(np.setdiff1d(units, found).astype(np.int32))
    assert tried > 5
