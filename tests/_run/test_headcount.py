"""Counts of people: as a slow look at everybody finds them, however people are batched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal._run.cut import CutTree, Question
from shoal._run.headcount import (
    Heads,
    PeopleQuestion,
    Sizes,
    people_can_be_counted,
    plan_people,
    tally_all,
)
from shoal.model.base import Bound, Reach
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import encode

_BOUNDS: list[Any] = [
    {"ir-k": {"k": 4}},
    {"ir-kl": {"k": 3, "l": 3}},
    {"ir-alpha-beta": {"alpha": 0.2, "beta": 0.4}},
    {"eir-l": {"l": 2}},
    {"eir-l": {"l": 3}},
    {"eir-alpha-beta": {"alpha": 0.2, "beta": 0.7}},
    {"k-anonymity": {"k": 5}},
    {"l-diversity": {"l": 3, "kind": "entropy"}},
]


def _required(privacy: list[Any], n: int = 150, seed: int = 1, n_ills: int = 5) -> Requirements:
    draw = np.random.default_rng(seed)
    n_rows = draw.integers(1, 5, n)
    who = np.repeat(np.arange(n), n_rows)
    # Equal rows of a person are merged before anybody is counted.
    frame = pl.DataFrame(
        {
            "who": who,
            "age": draw.integers(18, 60, n)[who],
            "town": draw.integers(0, 6, n)[who].astype(str),
            "ill": draw.integers(0, n_ills, len(who)).astype(str),
        }
    ).unique(maintain_order=True)
    attributes = {
        "who": "identifier",
        "age": {"role": "quasi", "kind": "numeric"},
        "town": {"role": "quasi", "kind": "categorical"},
        "ill": {"role": "sensitive", "kind": "categorical"},
    }
    plan = Plan.of({"individual": "who", "attributes": attributes, "privacy": privacy})
    table = encode(frame, plan.schema)
    return Requirements.of(plan.models, table, plan.models)


def _batches(heads: Heads, n: int) -> list[Heads]:
    """The same people in batches, nobody's rows divided."""
    found = []
    for part in np.array_split(np.random.default_rng(3).permutation(len(heads)), n):
        place = np.full(len(heads), -1)
        place[part] = np.arange(len(part))
        rows = np.flatnonzero(place[heads.person] >= 0)
        own = tuple(v[rows] for v in heads.values)
        found.append(Heads(heads.descriptions[part], place[heads.person[rows]], own))
    return found


def test_counts_are_those_of_a_slow_look() -> None:
    required = _required(_BOUNDS[:1])
    table, heads = required.table, Heads.of(required.table)
    cuts = CutTree(*(np.array(x) for x in ([0, -1, -1], [9, -1, -1], [1, -1, -1], [2, -1, -1])))
    sizes = Sizes.of(heads.n_rows())
    n_age, n_town = (len(d) for d in table.quasi)
    bins = np.arange(n_age + n_town)
    question = Question(cuts, np.array([-1, 0, 1]), np.array([0, n_age, n_age + n_town]), bins)
    found = PeopleQuestion(question, (5,), sizes.rows).count(heads)
    for leaf in (0, 1):
        slow: list[int] = []
        people = [p for p in range(len(heads)) if (heads.descriptions[p, 0] > 9) == bool(leaf)]
        sets = [set(heads.values[0][heads.person == p].tolist()) for p in people]
        for j, n in enumerate((n_age, n_town)):
            slow += [sum(int(heads.descriptions[p, j]) == c for p in people) for c in range(n)]
        in_leaf = [i for i, p in enumerate(heads.person) if p in people]
        slow += [sum(int(heads.values[0][i]) == c for i in in_leaf) for c in range(5)]
        slow += [sum(c in own for own in sets) for c in range(5)]
        slow += [sum(own == {c} for own in sets) for c in range(5)]
        rows = [int((heads.person == p).sum()) for p in people]
        slow += [sum(n == size for n in rows) for size in sizes.rows.tolist()]
        assert found[leaf].tolist() == slow


@pytest.mark.parametrize("privacy", _BOUNDS, ids=str)
def test_the_batches_do_not_matter_and_every_shard_holds(privacy: Any) -> None:
    required = _required([privacy], n=400)
    heads = Heads.of(required.table)
    sizes = Sizes.of(heads.n_rows())
    whole = plan_people(required, sizes, 250, lambda q: q.count(heads))
    parts = _batches(heads, 4)
    again = sum((Sizes.of(part.n_rows()) for part in parts[1:]), Sizes.of(parts[0].n_rows()))
    assert again.rows.tolist() == sizes.rows.tolist()
    assert again.people.tolist() == sizes.people.tolist()
    cuts = plan_people(required, again, 250, lambda q: sum(q.count(part) for part in parts))  # type: ignore[return-value,misc]
    assert all((getattr(whole, n) == getattr(cuts, n)).all() for n in ("column", "code", "left"))
    shards = whole.find(heads.descriptions)
    assert whole.n_shards > 2
    for number in range(whole.n_shards):
        assert required.holds(np.flatnonzero(shards == number).astype(np.int32))


@pytest.mark.parametrize("privacy", _BOUNDS, ids=str)
def test_what_counts_show_is_true_of_the_people(privacy: Any) -> None:
    shown = []
    for seed in range(30):
        required = _required([privacy], n=2 + seed % 9, seed=seed, n_ills=3 + seed % 3)
        heads = Heads.of(required.table)
        tally = tally_all(required, Sizes.of(heads.n_rows()), lambda q, h=heads: q.count(h))  # type: ignore[misc]
        holds = required.holds(np.arange(len(heads), dtype=np.int32))
        found = tally.holds(required)
        shown.append(found)
        # Only a hitting set may be there although counts do not show it.
        assert found == holds or (holds and "eir-l" in privacy)
    assert len(set(shown)) == 2


@pytest.mark.parametrize("reach", [Reach.VALUE_ROWS, Reach.VALUE_PEOPLE])
def test_shares_of_people_are_judged_as_the_kernel_judges_them_at_the_edge(reach: Reach) -> None:
    for seed in range(20):
        required = _required([{"eir-l": {"l": 2}}], n=2 + seed, seed=seed)
        heads = Heads.of(required.table)
        tally = tally_all(required, Sizes.of(heads.n_rows()), lambda q, h=heads: q.count(h))  # type: ignore[misc]
        of = tally.n_rows if reach is Reach.VALUE_ROWS else tally.n_people
        edge = float(tally.people.max() / of)
        for limit, fine in ((np.nextafter(edge, 0), False), (edge, True)):
            bounded = replace(required, all_bounds=(Bound(reach, float(limit), "ill"),))
            assert tally.holds(bounded) is fine
            assert bounded.holds(np.arange(len(heads), dtype=np.int32)) is fine


def test_personal_sizes_and_rows_without_people_are_not_counted_here() -> None:
    assert people_can_be_counted(_required(_BOUNDS[:1]))
    frame = pl.DataFrame({"age": [1, 2], "ill": ["a", "b"]})
    plan = Plan.of({"attributes": {"age": "quasi", "ill": "sensitive"},
                    "privacy": [{"k-anonymity": {"k": 2}}]})  # fmt: skip
    assert not people_can_be_counted(Requirements.of(plan.models, encode(frame, plan.schema)))
