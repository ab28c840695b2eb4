"""Releases with buckets that are never held: byte for byte those that are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal._run.part import bucket as module
from shoal._run.part.release import WrittenRelease
from shoal.errors import DataError, InfeasibleError
from tests._run.part.table import keeping_secrets, secretive

JOINED: dict[str, Any] = {"lgb-mdp": {"tables": "joined"}}


def run(plan: dict[str, Any], data: Any, folder: Path, **more: Any) -> shoal.Release:
    output = {"folder": str(folder), "format": more.pop("format", "csv")}
    return shoal.run({**plan, "output": output}, data, **more)


def stated(folder: Path) -> dict[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text())
    return {k: v for k, v in manifest.items() if k not in ("time", "plan", "files")}


def tables_in(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix == ".csv"}


def nobody_hides(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(hide=pl.lit("no"))


def few_hide(frame: pl.DataFrame) -> pl.DataFrame:
    """Too few for classes of their own: cells are withheld, and shards have no bucket of towns."""
    old = pl.col("age") > 85
    return frame.with_columns(hide=pl.when(old).then(pl.lit("yes")).otherwise(pl.lit("no")))


def twins(frame: pl.DataFrame) -> pl.DataFrame:
    """Rows that are equal in everything, in classes and buckets of their own."""
    return pl.concat([frame[:60]] * 10)


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("lgb-mdp", None),
        ("lgb-ncp", None),
        (JOINED, None),
        ("lgb-mdp", nobody_hides),
        ("lgb-mdp", few_hide),
        ("lgb-ncp", twins),
        (JOINED, twins),
    ],
)
def test_the_release_is_that_of_the_whole_table(method: Any, change: Any, tmp_path: Path) -> None:
    frame = secretive() if change is None else change(secretive())
    frame.write_parquet(tmp_path / "t.parquet")
    plan = keeping_secrets(method)
    parts = run(plan, tmp_path / "t.parquet", tmp_path / "parts")
    whole = run(plan, frame.sample(fraction=1, shuffle=True, seed=1), tmp_path / "whole")
    assert isinstance(parts, WrittenRelease)
    assert tables_in(tmp_path / "parts") == tables_in(tmp_path / "whole")
    assert stated(tmp_path / "parts") == stated(tmp_path / "whole")
    assert parts.counts == whole.counts
    for name, table in whole.tables.items():
        assert parts.tables[name].equals(table)
        assert parts.tables[name].schema == table.schema
    assert dict(parts.measures) == pytest.approx({n: whole.measures[n] for n in parts.measures})
    assert parts.measures.by_attribute == pytest.approx(whole.measures.by_attribute)
    assert parts.holds
    found = shoal.audit(tmp_path / "parts", original=frame)
    assert found.holds


@pytest.mark.slow
def test_loop_and_pool_write_the_same_bytes(tmp_path: Path) -> None:
    secretive().write_csv(tmp_path / "t.csv")
    for name, workers in (("loop", 1), ("pool", 2)):
        engine = LocalEngine(workers)
        run(keeping_secrets(), tmp_path / "t.csv", tmp_path / name, engine=engine, format="parquet")
    files = [
        {p.name: p.read_bytes() for p in (tmp_path / n).glob("*.parquet")} for n in ("loop", "pool")
    ]
    assert len(files[0]) == 5
    assert files[0] == files[1]


def test_types_are_those_of_the_whole_table(tmp_path: Path) -> None:
    secretive().write_parquet(tmp_path / "t.parquet")
    parts = run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "parts", format="parquet")
    whole = run(keeping_secrets(), secretive(), tmp_path / "whole", format="parquet")
    for name, table in whole.tables.items():
        assert parts.tables[name].equals(table)
        assert parts.tables[name].schema == table.schema


def test_one_shard_is_the_table_without_shards(tmp_path: Path) -> None:
    secretive().write_parquet(tmp_path / "t.parquet")
    one = keeping_secrets(shards={"rows": 1000})
    run(one, tmp_path / "t.parquet", tmp_path / "one")
    run({k: v for k, v in one.items() if k != "shards"}, secretive(), tmp_path / "none")
    assert tables_in(tmp_path / "one") == tables_in(tmp_path / "none")


def test_secrets_that_fit_nowhere_are_held_whole(tmp_path: Path) -> None:
    frame = secretive().with_columns(ill=pl.Series(["a"] * 400 + list("bcdef") * 40))
    frame.write_parquet(tmp_path / "t.parquet")
    release = run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "r")
    assert not isinstance(release, WrittenRelease)
    assert "held-whole" in [a.code for a in release.warnings]
    assert release.counts.singly > 0


def test_too_few_values_are_refused(tmp_path: Path) -> None:
    secretive().with_columns(ill=pl.lit("a")).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InfeasibleError, match="cannot have l = 3"):
        run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "r")
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_flags_that_say_neither_are_counted_but_not_shown(tmp_path: Path) -> None:
    frame = secretive().with_columns(hide=pl.col("hide").replace("No", "perhaps"))
    frame.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="'hide' must say which cells of 'town' are secret") as said:
        run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "r")
    assert "cells of 1 different values" in str(said.value)
    assert "perhaps" not in str(said.value)


@pytest.mark.parametrize(
    "forge",
    [
        lambda data: data.with_columns(record=data["record"].reverse()),
        lambda data: data.with_columns(GID=pl.lit("1")),
        lambda data: data.with_columns(ill_BID=data["code_BID"]),
        lambda data: data.with_columns(age=pl.lit("*")),
    ],
)
def test_rows_changed_on_the_way_are_noticed(
    forge: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secretive().write_parquet(tmp_path / "t.parquet")
    finish = module.DataFinish.__call__
    monkeypatch.setattr(module.DataFinish, "__call__", lambda self, rows: forge(finish(self, rows)))
    with pytest.raises(shoal.VerificationError, match=r"not (those|numbered)"):
        run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_buckets_changed_on_the_way_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secretive().write_parquet(tmp_path / "t.parquet")
    finish = module.BucketFinish.__call__

    def forged(self: Any, rows: pl.DataFrame) -> pl.DataFrame:
        found = finish(self, rows)
        return found.with_columns(value=found["value"].reverse())

    monkeypatch.setattr(module.BucketFinish, "__call__", forged)
    with pytest.raises(shoal.VerificationError, match="not those that were verified"):
        run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_a_shard_may_leave_everybody_out(tmp_path: Path) -> None:
    """The old keep secrets of four kinds: in a shard of theirs, no kind has k people."""
    old, i = pl.col("age") > 70, pl.int_range(pl.len())
    frame = secretive().with_columns(
        hide=pl.when(old & (i % 2 == 0)).then(pl.lit("yes")).otherwise(pl.lit("no")),
        quiet=old & (i % 4 < 2),
    )
    frame.write_parquet(tmp_path / "t.parquet")
    plan = keeping_secrets(shards={"rows": 60})
    plan["privacy"][0] = {"k-anonymity": {"k": 30}}
    parts = run(plan, tmp_path / "t.parquet", tmp_path / "parts")
    whole = run(plan, frame, tmp_path / "whole")
    assert isinstance(parts, WrittenRelease)
    assert parts.counts.suppressed > 200
    assert parts.counts == whole.counts
    assert tables_in(tmp_path / "parts") == tables_in(tmp_path / "whole")
    assert stated(tmp_path / "parts") == stated(tmp_path / "whole")


def test_there_may_be_one_bucket(tmp_path: Path) -> None:
    frame = secretive(4).with_columns(ill=pl.Series(list("abcd")), hide=pl.lit("no"), quiet=False)
    frame.write_parquet(tmp_path / "t.parquet")
    parts = run(keeping_secrets(), tmp_path / "t.parquet", tmp_path / "parts")
    run(keeping_secrets(), frame, tmp_path / "whole")
    assert isinstance(parts, WrittenRelease)
    assert parts.tables["buckets-ill"]["BID"].n_unique() == 1
    assert tables_in(tmp_path / "parts") == tables_in(tmp_path / "whole")
