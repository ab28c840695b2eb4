"""A run that never holds its table publishes, byte for byte, what one that does publishes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal._run.part.release import WrittenRelease
from shoal.errors import DataError, InfeasibleError, PlanError
from tests._run.part.table import (
    by_sensitivity,
    climbing,
    people,
    plan_of,
    sensitive_people,
)

METHODS: list[Any] = ["mondrian", "hilbert", "k-member", "weighted-graph", "adjacency", "auto"]
CLIMBING: list[Any] = ["ka", {"ka": {"climb": "lattice"}}, "top-down", "mondrian"]


def _run(plan: dict[str, Any], data: Any, folder: Path, **more: Any) -> shoal.Release:
    output = {"folder": str(folder), "format": more.pop("format", "csv")}
    return shoal.run({**plan, "output": output}, data, **more)


def _stated(folder: Path) -> dict[str, Any]:
    """The manifest without what differs between two runs of the same plan."""
    manifest = json.loads((folder / "manifest.json").read_text())
    return {k: v for k, v in manifest.items() if k not in ("time", "plan", "files")}


LEVELLED: list[Any] = ["sd-mks3wd", "se-mks3wd", "ece-mks3wd", "ka", "mondrian", "k-member"]
PLANS = [*map(plan_of, METHODS), *map(climbing, CLIMBING), *map(by_sensitivity, LEVELLED)]
SHARED: list[Any] = [
    {"t-closeness": {"t": 0.25, "attribute": "ill"}},
    {"t-closeness": {"t": 0.25, "attribute": "visit"}},
    {"beta-likeness": {"beta": 1.5, "attribute": "ill"}},
    {"p-sensitive": {"p": 3, "attribute": "ill"}},
]
for model in SHARED:
    for plan in (plan_of("mondrian"), climbing("ka")):
        attributes = {**plan["attributes"], "visit": {"role": "sensitive", "kind": "numeric"}}
        privacy = [{"k-anonymity": {"k": 4}}, model]
        PLANS.append({**plan, "attributes": attributes, "privacy": privacy})
PLANS.append(by_sensitivity("sd-mks3wd", strict=True, privacy=[{"l-diversity": {"l": 2}}]))


@pytest.mark.parametrize(
    "plan", PLANS, ids=[f"{i} {plan['method']}" for i, plan in enumerate(PLANS)]
)
def test_the_release_is_that_of_the_whole_table(plan: dict[str, Any], tmp_path: Path) -> None:
    frame = sensitive_people() if "f" in plan["attributes"] else people()
    frame.write_parquet(tmp_path / "t.parquet")
    parts = _run(plan, tmp_path / "t.parquet", tmp_path / "parts")
    whole = _run(plan, frame, tmp_path / "whole")
    assert isinstance(parts, WrittenRelease)
    assert not isinstance(whole, WrittenRelease)
    files = [(tmp_path / name / "data.csv").read_bytes() for name in ("parts", "whole")]
    assert files[0] == files[1]
    assert _stated(tmp_path / "parts") == _stated(tmp_path / "whole")
    assert parts.counts == whole.counts
    assert {n: parts.measures[n] for n in parts.measures} == pytest.approx(
        {n: whole.measures[n] for n in parts.measures}
    )
    assert parts.measures.by_attribute == pytest.approx(whole.measures.by_attribute)
    assert parts.holds == whole.holds
    assert [(v.holds, v.reached, v.levels) for v in parts.verdicts] == [
        (v.holds, v.reached, v.levels) for v in whole.verdicts
    ]
    assert [a.code for a in parts.warnings] == [a.code for a in whole.warnings]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_loop_and_pool_write_the_same_bytes(form: str, tmp_path: Path) -> None:
    people().write_csv(tmp_path / "t.csv")
    for name, workers in (("loop", 1), ("pool", 2)):
        engine = LocalEngine(workers)
        _run(plan_of(), tmp_path / "t.csv", tmp_path / name, engine=engine, format=form)
    files = [(tmp_path / name / f"data.{form}").read_bytes() for name in ("loop", "pool")]
    assert files[0] == files[1]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_parts_and_formats_do_not_matter(suffix: str, tmp_path: Path) -> None:
    frame = people()
    for i in range(3):
        part = frame[200 * i : 200 * (i + 1)]
        part.write_csv(tmp_path / f"p{i}.csv")
        part.write_parquet(tmp_path / f"p{i}.parquet")
    parts = _run(plan_of(), str(tmp_path / f"p*.{suffix}"), tmp_path / "a", format="parquet")
    given = pl.concat([pl.read_csv(tmp_path / f"p{i}.csv", infer_schema=False) for i in range(3)])
    given.write_csv(tmp_path / "t.csv")
    whole = _run({k: v for k, v in plan_of().items() if k != "shards"},
                 tmp_path / "t.csv" if suffix == "csv" else frame, tmp_path / "b",
                 format="parquet")  # fmt: skip
    assert isinstance(parts, WrittenRelease)
    assert parts.counts.rows == 600
    assert parts.frame.schema == whole.frame.schema
    assert (tmp_path / "a" / "data.parquet").is_file()


def test_a_table_of_one_shard_is_the_table_without_shards(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    one = plan_of(shards={"rows": 1000})
    _run(one, tmp_path / "t.parquet", tmp_path / "one")
    _run({k: v for k, v in one.items() if k != "shards"}, people(), tmp_path / "none")
    files = [(tmp_path / name / "data.csv").read_bytes() for name in ("one", "none")]
    assert files[0] == files[1]


def test_an_audit_confirms_what_was_written(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    _run(climbing("ka"), tmp_path / "t.parquet", tmp_path / "r")
    found = shoal.audit(tmp_path / "r", original=people())
    assert found.holds


def test_nothing_is_left_but_the_release(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    _run(plan_of(), tmp_path / "t.parquet", tmp_path / "r")
    assert {p.name for p in tmp_path.iterdir()} == {"t.parquet", "r"}
    names = {p.name for p in (tmp_path / "r").iterdir()}
    assert names == {"data.csv", "manifest.json", "report.html"}
    with pytest.raises(PlanError):
        _run(plan_of(), tmp_path / "t.parquet", tmp_path / "r")


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    for privacy, error in (
        ([{"k-anonymity": {"k": 700}}], InfeasibleError),
        ([{"l-diversity": {"l": 7}}], InfeasibleError),
    ):
        with pytest.raises(error):
            _run(plan_of(privacy=privacy), tmp_path / "t.parquet", tmp_path / "r")
        assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("shoal._run.part.solve.generalise", interrupt)
    with pytest.raises(KeyboardInterrupt):
        _run(plan_of(), tmp_path / "t.parquet", tmp_path / "r")
    assert [p.name for p in tmp_path.iterdir()] == ["t.parquet"]


def test_cells_that_do_not_fit_are_counted_but_not_shown(tmp_path: Path) -> None:
    frame = people().with_columns(age=pl.col("age").cast(pl.String).replace("30", "thirty"))
    frame.write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError) as error:
        _run(plan_of(), tmp_path / "t.csv", tmp_path / "r")
    assert "cells of 1 different values" in str(error.value)
    assert "thirty" not in str(error.value)


def test_rows_changed_on_the_way_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    from shoal._run.part import run as module

    finished = module.finished

    def forged(names: Any, types: Any, rows: pl.DataFrame) -> pl.DataFrame:
        return finished(names, types, rows).with_columns(ill=pl.lit("a"))

    monkeypatch.setattr(module, "finished", forged)
    with pytest.raises(shoal.VerificationError, match="not those that were verified"):
        _run(plan_of(), tmp_path / "t.parquet", tmp_path / "r")
    assert not (tmp_path / "r").exists()


def test_what_cannot_be_sharded_is_held_whole_and_says_so(tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "t.parquet")
    close = plan_of(privacy=[{"delta-disclosure": {"delta": 3, "attribute": "ill"}}])
    release = _run(close, tmp_path / "t.parquet", tmp_path / "r")
    assert not isinstance(release, WrittenRelease)
    (said,) = [a.text for a in release.warnings if a.code == "held-whole"]
    assert "delta-disclosure is judged over the whole table" in said


def climbing_alone() -> dict[str, Any]:
    """A ladder that ends below a common top."""
    plan = climbing({"ka": {"climb": "together"}}, privacy=[{"k-anonymity": {"k": 4}}])
    town = {"role": "quasi", "hierarchy": {"mask": 2}}
    return {**plan, "attributes": {**plan["attributes"], "town": town}}


def unlike(frame: pl.DataFrame) -> pl.DataFrame:
    """The old have towns that no mask makes alike: none of their shards can publish anybody."""
    own = pl.int_range(pl.len()).cast(pl.String).str.zfill(4) + "-town"
    return frame.with_columns(town=pl.when(pl.col("age") > 60).then(own).otherwise(pl.lit("Ulm")))


def test_a_shard_may_leave_everybody_out(tmp_path: Path) -> None:
    plan, frame = climbing_alone(), unlike(people())
    frame.write_parquet(tmp_path / "t.parquet")
    parts = _run(plan, tmp_path / "t.parquet", tmp_path / "parts")
    whole = _run(plan, frame, tmp_path / "whole")
    assert isinstance(parts, WrittenRelease)
    files = [(tmp_path / name / "data.csv").read_bytes() for name in ("parts", "whole")]
    assert files[0] == files[1]
    assert _stated(tmp_path / "parts") == _stated(tmp_path / "whole")
    assert parts.holds
    assert parts.counts == whole.counts
    assert parts.singled_out == pytest.approx(whole.singled_out)
    assert parts.counts.suppressed >= frame.filter(pl.col("age") > 60).height


def test_shards_that_all_leave_everybody_out_publish_nothing(tmp_path: Path) -> None:
    unlike(people().filter(pl.col("age") > 60)).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InfeasibleError, match="Nothing can be published"):
        _run(climbing_alone(), tmp_path / "t.parquet", tmp_path / "r")
