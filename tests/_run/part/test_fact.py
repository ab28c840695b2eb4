"""What is known of the whole table codes its rows as if they were all at hand."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl

from shoal._run.code import code_table
from shoal._run.part.fact import INPUT, Facts, fold_notes
from shoal._run.part.profile import Profiler
from shoal._run.read import settle
from shoal.plan import Plan
from shoal.recode import Lots
from tests._run.part.table import climbing, people, plan_of


def _facts(plan: Plan, frame: pl.DataFrame) -> Facts:
    facts = Facts.of(plan, Profiler(plan)(frame), typed=True)
    copy: Facts = pickle.loads(pickle.dumps(facts))  # noqa: S301 (as a pool of processes does)
    return copy


def test_codes_hashes_and_cells_are_those_of_the_whole_table() -> None:
    for written in (plan_of(), climbing("ka")):
        plan, frame = Plan.of(written), people()
        facts = _facts(plan, frame)
        rows = facts.code(frame)
        source = settle(plan, frame, typed=True)
        table = code_table(plan, source.frame).table
        for name, column in facts.table(rows).columns.items():
            assert column.domain.texts == table.columns[name].domain.texts
            assert (column.codes == table.columns[name].codes).all()
            assert (facts.codings[name].counts == table.counts(name)).all()
        assert (rows[INPUT].to_numpy() == Lots.of(table, source.frame, 1).inputs).all()
        given = source.given.drop("name")
        assert facts.original(rows).select(given.columns).equals(given)
        assert facts.types == source.types


def test_forms_are_recognised_from_distinct_cells() -> None:
    frame = people().with_columns(
        pay=pl.col("pay").cast(pl.String).str.replace(".", ",", literal=True)
    )
    facts = _facts(Plan.of(plan_of(missing=["nobody"])), frame)
    assert facts.forms == {"pay": "numeric, with a decimal comma"}
    assert facts.idle == ("entry 1 of the plan",)
    assert np.nanmax(facts.codings["pay"].domain.numbers) == 19.5  # type: ignore[type-var]


def test_notes_are_folded_in_their_order() -> None:
    notes = [pickle.dumps([n]) for n in range(3)]
    assert fold_notes(notes, list.__add__) == [0, 1, 2]
