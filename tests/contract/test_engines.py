"""Every method runs shard by shard, and publishes the same bytes on every engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import shoal
from shoal._run.engine import LocalEngine
from shoal._run.part.release import WrittenRelease
from shoal.method import METHODS
from shoal.reading.table import read_table
from tests.contract.standard import plan_for, standard_case

every_method = pytest.mark.parametrize("method", METHODS)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from shoal._run.engine.spark.session import spark_session
    from tests._run.engine.spark.conftest import SMALL, need_pyspark

    need_pyspark()
    with spark_session("local[2]", SMALL) as session:
        yield session


def plan_of(method: str) -> dict[str, Any]:
    case = standard_case(n=160)
    case.privacy = [{"k-anonymity": {"k": 3}}, {"l-diversity": {"l": 2, "attribute": "ill"}}]
    plan = plan_for(case, method, shards={"rows": 40})
    if method.startswith("lgb"):
        # Somebody keeps their sex secret: whoever has a note.
        flagged = {**plan["attributes"], "sex": {"role": "semi-sensitive", "flag": "hide"}}
        plan["attributes"] = {**flagged, "hide": "flag"}
        plan["privacy"] = [*plan["privacy"], {"l-diversity": {"l": 1, "attribute": "sex"}}]
    return plan


def run(method: str, folder: Path, **more: Any) -> shoal.Release:
    frame = standard_case(n=160).frame
    if method.startswith("lgb"):
        frame = frame.with_columns(hide=frame["note"].is_not_null())
    source = folder.parent / "people.parquet"
    frame.write_parquet(source)
    output = {"folder": str(folder), "format": "parquet"}
    data = frame if more.pop("held", False) else source
    return shoal.run({**plan_of(method), "output": output}, data, **more)


def contents(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables, and the manifest without what differs from run to run."""
    manifest = json.loads((folder / "manifest.json").read_text())
    stated = {k: v for k, v in manifest.items() if k not in ("time", "plan", "files")}
    tables = {p.name: read_table(p).to_dict(as_series=False) for p in folder.glob("*.parquet")}
    return tables, stated


def same_as_held(method: str, folder: Path, **more: Any) -> None:
    assert isinstance(run(method, folder / "parts", **more), WrittenRelease)
    assert not isinstance(run(method, folder / "held", held=True), WrittenRelease)
    assert contents(folder / "parts") == contents(folder / "held")
    if method.startswith("lgb"):
        assert (folder / "parts" / "buckets-sex.parquet").exists()


@every_method
def test_a_loop_over_parts_gives_what_a_table_in_memory_gives(method: str, tmp_path: Path) -> None:
    same_as_held(method, tmp_path)


@pytest.mark.slow
@every_method
def test_so_does_a_pool(method: str, tmp_path: Path) -> None:
    same_as_held(method, tmp_path, engine=LocalEngine(2))


@pytest.mark.system("java")
@every_method
def test_so_does_spark(method: str, tmp_path: Path, spark: Any) -> None:
    same_as_held(method, tmp_path, engine="spark")
