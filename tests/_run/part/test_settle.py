"""Conflicts within people are settled as they are with the whole table at hand."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal._run.part.fact import SHARD, Facts, column_of, fold_notes
from shoal._run.part.person import PERSON, PersonKey
from shoal._run.part.profile import Profiler
from shoal._run.part.settle import (
    GIVEN,
    Gatherer,
    Settled,
    Settler,
    original_of,
    sights_of,
)
from shoal._run.read import settle
from shoal.errors import DataError
from shoal.plan import Plan
from shoal.recode import digest_text, sum_digest
from tests._run.part.table import people_plan


def _frame(seed: int, n: int = 90) -> pl.DataFrame:
    draw = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "name": draw.integers(0, 25, n).astype(str),
            "age": draw.choice(["30", "30.0", "31", "45", ""], n),
            "town": draw.choice(["Ulm", "Bonn", "Köln", None], n).tolist(),
            "ill": draw.choice(list("abc"), n),
            "visit": draw.choice(["1", "?"], n),
        }
    )


def _settled(plan: Plan, frame: pl.DataFrame, n_batches: int) -> tuple[pl.DataFrame, Settled, Any]:
    """The settled rows in batches that divide nobody, and what was noted of them."""
    profile = Profiler(plan)(frame).in_order()
    sights = sights_of(plan, profile)
    key = PersonKey.fresh()
    gather = Gatherer(plan, sights, key, n_batches)
    rows = pl.concat([gather(frame[:40]), gather(frame[40:])])
    digest = digest_text(*sum_digest(rows[GIVEN].to_numpy()))
    solve = pickle.loads(pickle.dumps(Settler(plan, sights, digest, 5)))  # noqa: S301 (as a pool does)
    found = [solve(batch) for batch in rows.partition_by(SHARD)]
    note = fold_notes([note for _, note in found], Settled.merge)
    return pl.concat([batch for batch, _ in found]), note, (profile, key)


def _described(names: list[Any], cells: list[Any]) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for name, cell in zip(names, cells, strict=True):
        found.setdefault(name, set()).add(cell)
    return found


@pytest.mark.parametrize("how", ["first", "mode"])
@pytest.mark.parametrize("n_batches", [1, 4])
def test_everybody_is_described_as_in_memory(how: str, n_batches: int) -> None:
    plan = Plan.of(people_plan("mondrian", individual={"column": "name", "conflict": how}))
    for seed in range(6):
        frame = _frame(seed)
        rows, note, (profile, key) = _settled(plan, frame, n_batches)
        held = settle(plan, frame, 5, typed=False)
        assert note.in_words == held.replaced
        facts = Facts.of(plan, note.profile(profile), typed=False)
        digests = [*zip(*(half.to_list() for half in key.digests(held.frame["name"])), strict=True)]
        own = [*rows.select(PERSON).iter_rows()]
        for name in ("age", "town"):
            domain = facts.codings[name].domain
            shown = [domain.texts[code] for code in facts.codes(rows, name)]
            cells = held.frame[name].cast(pl.String).to_list()
            cells = [None if c in (None, "") else c.removesuffix(".0") for c in cells]
            assert _described(own, shown) == _described(digests, cells)
            counts = np.bincount(facts.codes(rows, name), minlength=len(domain))
            assert facts.codings[name].counts.tolist() == counts.tolist()
            given = rows[original_of(plan, name)]
            texts = facts.codings[name].read.gather(given).to_list()
            assert sorted(map(str, texts)) == sorted(map(str, frame[name].to_list()))


def test_a_cell_that_nobody_keeps_is_in_no_domain() -> None:
    plan = Plan.of(people_plan("mondrian", individual={"column": "name", "conflict": "mode"}))
    frame = pl.DataFrame({"name": ["a", "a", "a", "b"], "age": ["30", "30", "99", "31"]})
    frame = frame.with_columns(town=pl.lit("Ulm"), ill=pl.lit("a"), visit=pl.lit("1"))
    rows, note, (profile, _) = _settled(plan, frame, 1)
    facts = Facts.of(plan, note.profile(profile), typed=False)
    assert facts.codings["age"].domain.texts == ("30", "31")
    assert sorted(rows[column_of(plan.schema, "age")].to_list()) == [0, 0, 0, 1]
    assert note.replaced == {"age": 1, "town": 0}


def test_what_cannot_be_settled_is_counted() -> None:
    plan = Plan.of(people_plan())
    frame = pl.DataFrame({"name": ["a", "a", "b", "", None], "age": ["30", "31", "30", "1", "1"]})
    frame = frame.with_columns(town=pl.lit("Ulm"), ill=pl.lit("a"), visit=pl.lit("1"))
    _, note, _ = _settled(plan, frame, 2)
    with pytest.raises(DataError) as error:
        note.refuse(plan)
    assert "'age' must have one value per person, but 1 person has several" in str(error.value)
    assert "'name' must name a person in every row, but does not in 2 rows" in str(error.value)
