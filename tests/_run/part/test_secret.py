"""What is told of shards with secrets, and how notes merge."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from shoal._run.part.fact import SHARD, Facts
from shoal._run.part.profile import Profiler
from shoal._run.part.secret import (
    SecretNote,
    SecretSolver,
    _both_risks,
    _worse,
    count_secrets,
    shard_codes,
    shown_names,
)
from shoal._run.part.solve import merge_notes
from shoal._run.secret import Secrets, table_columns
from shoal.plan import Plan
from shoal.schema import Layout, Verdict
from shoal.table import encode
from shoal.verify import Risks
from tests._run.part.table import keeping_secrets, secretive


def _facts() -> tuple[Facts, pl.DataFrame]:
    plan = Plan.of(keeping_secrets())
    frame = secretive().select(a.name for a in plan.schema.attributes)
    facts = Facts.of(plan, Profiler(plan)(frame), typed=True)
    return facts, frame


def test_coded_rows_have_the_codes_of_the_table() -> None:
    facts, frame = _facts()
    rows, table = facts.code(frame), encode(frame, facts.plan.schema)
    secrets = Secrets.of(table, facts.bucket_rules())
    assert secrets == Secrets.of(facts.sketch, facts.bucket_rules())
    expected = np.column_stack(table_columns(table, secrets))
    assert (shard_codes(facts, secrets, rows) == expected).all()
    counts = count_secrets(facts, secrets, rows)
    assert secrets.fit(counts)
    assert [int(c[:n].sum()) for c, n in zip(counts, secrets.n_codes, strict=True)] == [
        int(table.flags["town"].sum()), int(table.flags["pay"].sum()), 600, 600,
    ]  # fmt: skip
    for name in ("town", "pay"):
        assert (facts.table(rows).flags[name] == table.flags[name]).all()
    assert facts.original(rows)["hide"].equals(frame["hide"])


def test_notes_of_shards_merge_whatever_their_order() -> None:
    facts, frame = _facts()
    rows = facts.code(frame)
    solver = SecretSolver(facts, facts.requirements(), 1, "d", 2, 1, False, facts.bucket_rules())
    halves = [
        rows[:300].with_columns(pl.lit(0, pl.UInt32).alias(SHARD)),
        rows[300:].with_columns(pl.lit(1, pl.UInt32).alias(SHARD)),
    ]
    notes = [solver(half)[1] for half in halves]
    one, other = merge_notes(notes), merge_notes(notes[::-1])
    assert isinstance(one, SecretNote)
    assert isinstance(other, SecretNote)
    assert one.n_rows == 600
    assert one.n_buckets == other.n_buckets
    alone = [merge_notes([n]) for n in notes]
    assert all(isinstance(n, SecretNote) for n in alone)
    assert one.n_classes == sum(n.n_classes for n in alone)
    for v, w in zip(one.stated(), other.stated(), strict=True):
        assert v == replace(w, worst_class=v.worst_class)
        assert v.holds


def test_the_worse_of_two_verdicts_is_stated() -> None:
    two = Verdict("l-diversity", True, 2, 2, attribute="a", posterior=0.5)
    three = replace(two, reached=3, posterior=0.4)
    nothing = replace(two, reached=None, posterior=None)
    assert _worse(two, three).reached == _worse(three, two).reached == 2
    assert _worse(three, two).posterior == 0.5
    assert _worse(nothing, three) == _worse(three, nothing) == three


def test_the_higher_of_two_risks_is_kept() -> None:
    one = Risks(0.1, True, {"a": 0.2}, {"a": True}, 3)
    other = Risks(0.2, False, {"a": 0.1, "b": 0.4}, {"a": False, "b": True}, 4)
    both = _both_risks(one, other)
    assert both == Risks(0.2, False, {"a": 0.2, "b": 0.4}, {"a": False, "b": True}, 7)
    assert _both_risks(None, one) is _both_risks(one, None) is one


def test_wholly_sensitive_cells_are_in_no_split_table() -> None:
    facts, _ = _facts()
    assert shown_names(facts.schema, Layout.SPLIT) == ["age", "town", "pay", "visit"]
    assert set(shown_names(facts.schema, Layout.JOINED)) >= {"ill", "code"}
