"""Buckets against the twin, by brute force, and what cannot be had."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError, InfeasibleError, PlanError
from shoal.method import LGBMDP
from shoal.method.lgb.bucket import Rule, bucketise, rules_of, value_order
from shoal.model import LDiversity, TCloseness
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.schema import Attribute, HierarchySpec, Kind, Role, Schema
from shoal.table import encode
from shoal.table.partition import Partition
from tests.papers.lgb import twin as twin
from tests.papers.lgb.cases import random_secrets, twin_rule, twin_table

SCHEMA = Schema((Attribute("s", Role.SENSITIVE, Kind.CATEGORICAL), Attribute("own", Role.FLAG)))


def _same(found: dict[str, Any], expected: dict[str, list[list[int]]]) -> None:
    assert set(found) == set(expected)
    for name, of_row in found.items():
        groups = {tuple(np.flatnonzero(of_row == b).tolist()) for b in range(int(of_row.max()) + 1)}
        assert groups == {tuple(sorted(bucket)) for bucket in expected[name]}


@pytest.mark.parametrize("seed", range(150))
def test_buckets_are_those_of_the_twin(seed: int) -> None:
    case = random_secrets(seed, n_rows=8 + seed % 40)
    task = case.task()
    coded, plan = task.table, Plan.of(case.plan())
    table = twin_table(coded)
    parts, _ = twin.join_undersized(table, case.k)
    names = [a.name for a in (*coded.schema.quasi, *coded.schema.sensitive)]
    rules = {names.index(n): twin_rule(r) for n, r in case.rules.items()}
    asked = rules_of(plan.models, coded.schema)
    partition = LGBMDP().partition(task)
    lots = {
        name: np.random.default_rng([9, i]).random(coded.n_rows) for i, name in enumerate(names)
    }
    orders = {
        names.index(name): sorted(_secret(parts, names.index(name)), key=lots[name].__getitem__)
        for name in asked
    }
    expected, largest = _expected(table, parts, rules, orders)
    if largest:
        with pytest.raises(InfeasibleError) as refused:
            bucketise(coded, partition, asked, lots.__getitem__)
        told = [p.text for p in refused.value.problems]
        assert len(told) == len(largest)
        for place in largest:
            assert any(repr(names[place]) in text for text in told)
        return
    found = bucketise(coded, partition, asked, lots.__getitem__)
    _same(found, {names[a]: buckets for a, buckets in expected.items()})


def _expected(
    table: twin.Table, parts: list[twin.Part], rules: Any, orders: Any
) -> tuple[dict[int, list[list[int]]], dict[int, int]]:
    try:
        return twin.bucketise_all(table, parts, rules, orders), {}
    except twin.NotPossibleError as error:
        return {}, error.largest


def _secret(parts: list[twin.Part], attribute: int) -> list[int]:
    return sorted(r for p in parts if p.pattern[attribute] == twin.SECRET for r in p.rows)


def _close_buckets(cells: list[Any], kind: Kind, model: TCloseness, tree: Any = None) -> Any:
    schema = Schema((Attribute("s", Role.SENSITIVE, kind, hierarchy=tree),))
    table = encode(pl.DataFrame({"s": cells}), schema)
    whole = Partition(np.zeros(len(cells), dtype=np.int32), 1)
    lots = np.random.default_rng(1).random(len(cells))
    rule = Rule("s", (), (model,))
    return table, bucketise(table, whole, {"s": rule}, lambda _: lots)["s"]


def _by_rest(n: int) -> HierarchySpec:
    """A tree whose order is not that of numbers, with two tops."""
    rows = [(str(v), f"rest {v % 3}", "even" if v % 3 == 1 else "odd") for v in range(n)]
    return HierarchySpec("file", rows=tuple(rows))


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("kind", [Kind.NUMERIC, Kind.CATEGORICAL])
def test_t_closeness_deals_into_the_most_buckets_that_all_hold(distance: Any, kind: Kind) -> None:
    """Against the kernel of all methods, every number of buckets and every bucket of it."""
    rng = np.random.default_rng(len(distance))
    for _ in range(40):
        numbers = rng.integers(0, 7, int(rng.integers(2, 30)))
        cells = numbers.tolist() if kind is Kind.NUMERIC else [str(v) for v in numbers]
        model = TCloseness(t=float(rng.choice([0.05, 0.2, 0.5, 1.0])), distance=distance)
        if len(set(cells)) == 1:
            with pytest.raises(InfeasibleError, match="at least two different values"):
                _close_buckets(cells, kind, model, _by_rest(7))
            continue
        table, of_row = _close_buckets(cells, kind, model, _by_rest(7))
        asked = Requirements.of([model], table.as_whole())

        def holds(rows: Any, asked: Requirements = asked, cells: list[Any] = cells) -> bool:
            return len({cells[r] for r in rows}) > 1 and asked.holds(rows.astype(np.int32))

        n_buckets = int(of_row.max()) + 1
        assert all(holds(np.flatnonzero(of_row == b)) for b in range(n_buckets))
        codes = table.columns["s"].codes
        place = np.argsort(value_order(table.columns["s"].domain))
        rows = np.argsort(place[codes], kind="stable")
        for n in range(n_buckets + 1, len(rows) + 1):
            assert not all(holds(rows[b::n]) for b in range(n))


def _buckets_of(cells: list[str], l: int, own: list[str | None] | None = None) -> Any:  # noqa: E741
    frame = pl.DataFrame({"s": cells, "own": own or [None] * len(cells)})
    table = encode(frame, SCHEMA)
    model = LDiversity(l=l, personal="own" if own else None, attribute="s")
    whole = Partition(np.zeros(len(cells), dtype=np.int32), 1)
    lots = np.random.default_rng(1).random(len(cells))
    return bucketise(table, whole, {"s": Rule("s", (model,))}, lambda _: lots)["s"]


@given(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=60), st.integers(1, 5))
def test_a_bucket_has_l_different_values_or_the_largest_l_is_told(cells: list[str], l: int) -> None:  # noqa: E741
    counts = Counter(cells)
    largest = len(cells) // max(counts.values())
    if l > largest:
        # Values that are too few cannot be helped by leaving rows out, those that are too many can.
        largest = len(counts) if len(counts) < l else largest
        with pytest.raises(InfeasibleError) as refused:
            _buckets_of(cells, l)
        assert f"largest possible l is {largest}" in refused.value.problems[0].hint
        return
    of_row = _buckets_of(cells, l)
    for b in range(of_row.max() + 1):
        held = [cells[row] for row in np.flatnonzero(of_row == b)]
        assert len(held) == len(set(held)) >= l


@pytest.mark.parametrize("seed", range(80))
def test_every_person_has_the_l_they_ask_for(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randrange(12, 80)
    cells = [rng.choice("abcdefghij") for _ in range(n)]
    own = [rng.choice(["", "1", "2", "3", "4", None]) for _ in range(n)]
    of_row = _buckets_of(cells, 2, own)
    for b in range(of_row.max() + 1):
        rows = np.flatnonzero(of_row == b)
        held = [cells[row] for row in rows]
        asked = max(max(2, int(own[row] or 1)) for row in rows)
        assert len(set(held)) == len(held) >= asked


def test_those_who_ask_most_take_in_just_enough_others() -> None:
    cells = ["a", "a", "b", "b", "c", "c", "d", "d"]
    own = ["4", "4", None, None, None, None, None, None]
    of_row = _buckets_of(cells, 2, own)
    assert Counter(of_row.tolist()) == {0: 4, 1: 4}
    assert of_row[0] != of_row[1]


@pytest.mark.parametrize("own", [["3", "3", "2", "2"], ["3", None, None, "2"]])
def test_all_share_a_bucket_where_the_most_demanding_would_leave_too_few(own: list[Any]) -> None:
    """Three people are enough for l = 3, but the fourth needs another value beside them."""
    assert _buckets_of(list("acbd"), 2, own).tolist() == [0, 0, 0, 0]


def test_an_l_that_only_some_ask_for_and_nobody_can_have_is_refused() -> None:
    with pytest.raises(InfeasibleError, match="l = 5, which 1 person"):
        _buckets_of(list("aabbccdd"), 2, ["5", *[None] * 7])


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ([], "needs a requirement for its buckets"),
        ([LDiversity(l=2), TCloseness(t=0.2)], "one requirement"),
        ([LDiversity(l=2, kind="recursive", c=1.0)], "recursive"),
        ([LDiversity(l=2, missing="ignore")], "a missing value counts as a value"),
        ([LDiversity(l=2, kind="entropy", personal="own")], "entropy"),
    ],
)
def test_what_is_no_rule_for_buckets_is_refused(models: list[Any], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        rules_of(models, SCHEMA)


def test_an_own_l_that_is_none_is_told_by_the_row_of_the_table() -> None:
    with pytest.raises(DataError, match=r"1 row \(6\)"):
        _buckets_of(list("abcdefgh"), 2, [None] * 5 + ["many"] + [None] * 2)
