"""The shards of a plan: by the table alone, and each fit to be worked on by itself."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal._run.shard import shard_seed, shard_table
from shoal.model import KAnonymity
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table, encode


def _table(people: bool) -> Table:
    draw = np.random.default_rng(5)
    person = np.repeat(np.arange(100), 2)
    frame = pl.DataFrame(
        {"who": person if people else np.arange(200), "age": draw.integers(20, 90, 100)[person]}
    )
    attributes = {"who": "identifier", "age": "quasi"}
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": 3}}]}
    more = {"individual": "who"} if people else {}
    return encode(frame, Plan.of({**plan, **more}).schema)


def _shards(table: Table, rows: int | None, threads: int = 1) -> list[list[int]]:
    asked = Requirements.of([KAnonymity(k=3)], table)
    return [s.units.tolist() for s in shard_table(table, asked, rows, threads)]


def test_every_unit_is_in_one_shard_of_about_the_size() -> None:
    for people, size in ((False, 40), (True, 20)):
        table = _table(people)
        shards = _shards(table, 40)
        assert sorted(unit for shard in shards for unit in shard) == list(range(table.n_units))
        assert len(shards) > 1
        assert max(map(len, shards)) <= size
        assert min(map(len, shards)) >= 3


def test_a_small_table_and_one_without_a_size_stay_whole() -> None:
    table = _table(people=True)
    assert _shards(table, None) == _shards(table, 200) == [list(range(100))]


def test_shards_do_not_depend_on_threads() -> None:
    table = _table(people=False)
    assert _shards(table, 40) == _shards(table, 40, threads=4)


def test_the_chosen_are_found_in_their_shard() -> None:
    table = _table(people=True)
    shards = shard_table(table, Requirements.of([KAnonymity(k=3)], table), 40)
    chosen = np.array([7, 50, 3])
    found = [s.units[s.places(chosen)].tolist() for s in shards]
    assert sorted(unit for units in found for unit in units) == [3, 7, 50]
    assert all([u for u in chosen.tolist() if u in units] == units for units in found)


def test_a_seed_is_of_the_plan_and_of_the_number_alone() -> None:
    assert len({shard_seed(seed, number) for seed in range(20) for number in range(20)}) == 400
