"""Rows go to the shard of their codes, and keep their order there."""

from __future__ import annotations

import numpy as np
import polars as pl

from shoal._run.cut import CutTree, plan_cuts
from shoal._run.part.fact import SHARD, Facts
from shoal._run.part.place import codes_of, count_codes, place_rows
from shoal._run.part.profile import Profiler
from shoal.plan import Plan
from tests._run.part.table import keeping_secrets, people, plan_of, secretive


def _facts(plan: Plan, frame: pl.DataFrame) -> Facts:
    return Facts.of(plan, Profiler(plan)(frame), typed=True)


def test_rows_are_cut_by_quasi_identifiers_and_counted_by_what_is_required() -> None:
    facts = _facts(Plan.of(plan_of()), people())
    rows = facts.code(people())
    codes = codes_of(facts, facts.requirements(), {})(rows)
    names = ("age", "town", "pay", "ill")
    expected = np.column_stack([facts.codes(rows, name) for name in names])
    assert codes.tolist() == expected.tolist()


def test_rows_with_secrets_have_codes_of_their_own() -> None:
    facts = _facts(Plan.of(keeping_secrets()), secretive())
    rows, rules = facts.code(secretive()), facts.bucket_rules()
    codes = codes_of(facts, facts.requirements(), rules)(rows)
    town = [a.name for a in facts.schema.quasi].index("town")
    secret = secretive()["hide"].to_numpy() == "yes"
    hidden = set(codes[secret, town].tolist())
    assert len(hidden) == 1
    assert hidden.isdisjoint(codes[~secret, town].tolist())


def test_every_row_has_the_number_of_its_shard() -> None:
    facts = _facts(Plan.of(plan_of()), people())
    requirements, rows = facts.requirements(), facts.code(people())
    codes = codes_of(facts, requirements, {})
    cuts = plan_cuts(requirements, 150, lambda question: count_codes(codes, question, rows), None)
    placed = place_rows(cuts, codes, rows.with_row_index("place"))
    numbers = cuts.find(codes(rows))
    assert cuts.n_shards > 2
    assert placed[SHARD].to_list() == sorted(numbers.tolist())
    for shard in range(cuts.n_shards):
        own = placed.filter(pl.col(SHARD) == shard)["place"].to_list()
        assert own == np.flatnonzero(numbers == shard).tolist()


def test_without_cuts_there_is_one_shard() -> None:
    facts = _facts(Plan.of(plan_of()), people())
    codes = codes_of(facts, facts.requirements(), {})
    rows = facts.code(people())
    placed = place_rows(CutTree.none(), codes, rows)
    assert set(placed[SHARD].to_list()) == {0}
    assert placed.drop(SHARD).equals(rows)
