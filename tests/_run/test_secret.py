"""The secrets of shards: they do not decide where a row is, and they fit into buckets there."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.secret import Secrets, table_columns, without_excess
from shoal._run.shard import shard_table
from shoal.method import Task
from shoal.method.lgb.bucket import fits, rules_of
from shoal.method.lgb.excess import rows_in_excess
from shoal.method.repair import Repair
from shoal.model.requirement import Requirements
from shoal.plan import Plan
from shoal.table import Table, encode
from shoal.table.partition import Partition
from tests._run.part.table import keeping_secrets, secretive


def _coded(frame: pl.DataFrame) -> tuple[Plan, Table]:
    plan = Plan.of(keeping_secrets())
    return plan, encode(frame.select(a.name for a in plan.schema.attributes), plan.schema)


def _skewed(n: int = 600) -> pl.DataFrame:
    """Nearly all who keep their town secret live in one, if they are young."""
    draw = np.random.default_rng(2)
    there = pl.when((pl.col("age") < 50) & pl.Series(draw.random(n) < 0.9)).then(pl.lit("Ulm"))
    return secretive(n).with_columns(town=there.otherwise(pl.col("town")))


def test_a_secret_cell_does_not_decide_on_its_shard() -> None:
    """Whoever changes a secret stays where they are."""
    frame = secretive()
    hidden = pl.col("hide") == "yes"
    other = frame.with_columns(town=pl.when(hidden).then(pl.lit("Bonn")).otherwise("town"))
    both = [_coded(f)[1] for f in (frame, other)]
    secrets = Secrets.of(both[0], rules_of(Plan.of(keeping_secrets()).models, both[0].schema))
    cuts = [np.array(table_columns(t, secrets)[:3]) for t in both]
    assert (cuts[0] == cuts[1]).all()
    n = len(both[0].columns["town"].domain)
    assert (cuts[0][1] == n).tolist() == (frame["hide"] == "yes").to_list()


@pytest.mark.parametrize("frame", [secretive(), _skewed()], ids=["even", "skewed"])
def test_every_shard_can_make_its_buckets(frame: pl.DataFrame) -> None:
    plan, table = _coded(frame)
    rules = rules_of(plan.models, table.schema)
    asked = Requirements.of([m for m in plan.models if m.name == "k-anonymity"], table)
    shards = shard_table(table, asked, 100, 1, rules)
    assert len(shards) > 1
    for shard in shards:
        for rule in rules.values():
            codes = shard.table.columns[rule.attribute].codes
            flags = shard.table.flags.get(rule.attribute)
            own = codes if flags is None else codes[flags == 1]
            assert fits(rule, np.bincount(own, minlength=1))


def test_rows_are_left_out_until_secrets_fit() -> None:
    plan, table = _coded(secretive(60).with_columns(ill=pl.Series(["a"] * 40 + ["b", "c"] * 10)))
    rules = {n: r for n, r in rules_of(plan.models, table.schema).items() if n == "ill"}
    sizes = []

    def one_class(task: Task, _: float) -> Repair:
        sizes.append(task.table.n_rows)
        return Repair(Partition(np.zeros(task.table.n_rows, dtype=np.int32), 1))

    task = Task(table, Requirements.of([], table), 1)
    found = without_excess(task, rules, 1.0, one_class)
    assert sizes == [60, 30]
    assert (found.n_suppressed, found.n_single, found.partition.n_suppressed) == (30, 30, 30)
    assert not len(rows_in_excess(table, found.partition, rules))


@pytest.mark.parametrize("method", ["lgb-mdp", "lgb-ncp"])
def test_no_bucket_spans_two_shards(method: Any) -> None:
    plan = keeping_secrets(method)
    release = shoal.run(plan, secretive())
    alone = shoal.run({k: v for k, v in plan.items() if k != "shards"}, secretive())
    for found, most in ((release, 250), (alone, 600)):
        data = found.frame
        # Rows that share a class or a bucket are in one shard.
        link = {int(r): int(r) for r in data["record"]}

        def find(x: int, link: dict[int, int] = link) -> int:
            while link[x] != x:
                x = link[x]
            return x

        for name in ("GID", "ill_BID", "code_BID", "town_BID", "pay_BID"):
            first: dict[str, int] = {}
            for record, number in data.select("record", name).drop_nulls().rows():
                link[find(int(record))] = find(first.setdefault(number, int(record)))
        groups = pl.Series([find(r) for r in link]).value_counts()["count"]
        assert groups.max() <= most
        assert (len(groups) > 1) == (most < 600)


def test_distances_are_to_the_secrets_of_the_whole_table() -> None:
    """Buckets of t-closeness span shards: every one must be like all."""
    plan = keeping_secrets()
    plan["privacy"] = [*plan["privacy"][:4], {"t-closeness": {"t": 0.3, "attribute": "code"}}]
    release = shoal.run(plan, secretive())
    assert release.holds
