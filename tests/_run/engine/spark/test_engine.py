"""The same contract as on one machine, and the same release, whatever the source is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.engine.spark.engine import SparkEngine, is_spark_frame
from shoal.errors import DataError, PlanError
from shoal.reading.table import read_table

pytestmark = pytest.mark.system("java")

N = 3000
PLAN = {
    "attributes": {
        "age": "quasi",
        "town": {"role": "quasi", "kind": "categorical"},
        "ill": "sensitive",
        "visit": "insensitive",
    },
    "privacy": [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2}}],
    "method": "mondrian",
    "seed": 3,
    "shards": {"rows": 600},
}


def people() -> pl.DataFrame:
    draw = np.random.default_rng(9)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, N),
            "town": draw.integers(0, 20, N).astype(str),
            "ill": draw.choice(["flu", "cold", "gout"], N),
            "visit": draw.integers(0, 50, N),
        }
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("engine")
    for number, part in enumerate(people().iter_slices(N // 3)):
        part.write_parquet(folder / f"{number}.parquet")
    people().write_csv(folder / "people.csv")
    output = {"folder": str(folder / "local"), "format": "parquet"}
    shoal.run({**PLAN, "source": str(folder / "*.parquet"), "output": output})
    return folder


@pytest.mark.parametrize("source", ["*.parquet", "people.csv", "url", "frame", "memory"])
def test_every_source_gives_the_release_of_one_machine(
    spark: Any, place: Path, tmp_path: Path, source: str
) -> None:
    data: Any = {
        "url": (f"file://{place}/*.parquet",),
        "memory": people(),
    }.get(source, str(place / source))
    if source == "frame":
        data = spark.read.parquet(f"file://{place}/*.parquet")
    release = shoal.run(PLAN, data, "spark", output=tmp_path / "out")
    local, found = (read_table(f / "data.parquet") for f in (place / "local", tmp_path / "out"))
    if source == "people.csv":
        local, found = (t.with_columns(pl.all().cast(pl.String)) for t in (local, found))
    assert found.equals(local)
    assert release.frame.height == N
    assert shoal.audit(tmp_path / "out").holds


def test_a_frame_of_spark_is_recognised(spark: Any) -> None:
    assert is_spark_frame(spark.range(1))
    assert not is_spark_frame(people())


def test_columns_that_the_plan_does_not_declare_are_refused(
    spark: Any, place: Path, tmp_path: Path
) -> None:
    with pytest.raises(PlanError, match="the column 'pay'"):
        shoal.run(PLAN, people().with_columns(pay=1), "spark", output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_parts_of_other_columns_are_refused(spark: Any, tmp_path: Path) -> None:
    people().write_parquet(tmp_path / "a.parquet")
    people().drop("ill").write_parquet(tmp_path / "b.parquet")
    with pytest.raises(DataError, match="lacks 'ill'"):
        shoal.run(PLAN, str(tmp_path / "*.parquet"), "spark", output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_workbook_is_not_read(spark: Any, tmp_path: Path) -> None:
    people().head(5).write_excel(tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="reads parquet files of one type, and text files"):
        SparkEngine(spark).open(str(tmp_path / "a.xlsx"), tmp_path, None, tmp_path, 100)
