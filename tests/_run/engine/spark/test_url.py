"""Addresses that only Spark reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal._run.engine.spark.url import has_types, read_url
from shoal.errors import DataError


def test_parquet_has_types() -> None:
    assert has_types(["s3a://a/b.parquet", "s3a://a/parts.pq/"])
    assert not has_types(["s3a://a/b.csv"])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (["s3a://a/b.csv", "s3a://a/b.parquet"], "All parts must have one format"),
        (["s3a://a/b.xlsx"], "reads addresses of parquet, csv and tsv files only"),
    ],
)
def test_what_cannot_be_read_is_said(source: list[str], words: str) -> None:
    with pytest.raises(DataError, match=words):
        read_url(None, source, None)  # type: ignore[arg-type]


@pytest.mark.system("java")
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_parts_of_other_columns_are_refused(spark: Any, tmp_path: Path, form: str) -> None:
    parts = [pl.DataFrame({"a": ["1"], "b": ['x "y"']}), pl.DataFrame({"b": ["z"], "a": ["2"]})]
    for number, part in enumerate(parts):
        path = tmp_path / f"{number}.{form}"
        part.write_parquet(path) if form == "parquet" else part.write_csv(path)
    one = read_url(spark, [f"file://{tmp_path}/0.{form}"], None)
    assert [tuple(row) for row in one.collect()] == [("1", 'x "y"')]
    with pytest.raises(DataError, match=r"1\.\w+' differ from .*another order"):
        read_url(spark, [f"file://{tmp_path}/*.{form}"], None)
