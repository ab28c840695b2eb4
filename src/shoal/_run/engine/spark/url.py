"""Sources that only Spark can reach: object stores and distributed file systems, by their URLs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from shoal.errors import DataError
from shoal.source.part import difference

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PARQUET = (".parquet", ".pq")
_TEXT = {".csv": ",", ".tsv": "\t"}
# How many files are asked for their columns side by side.
_AT_ONCE = 8


def has_types(source: Sequence[str]) -> bool:
    """Whether the files of a source say of what type their columns are."""
    return all(_ending(address) in _PARQUET for address in source)


def read_url(session: SparkSession, source: Sequence[str], encoding: str | None) -> DataFrame:
    """The table at some addresses, as Spark reads it; raises where its parts differ."""
    endings = {_ending(address) for address in source}
    if len(endings) != 1:
        raise DataError(
            "All parts must have one format, but the addresses end differently.",
            "Name files of one format.",
        )
    [ending] = endings
    if ending in _PARQUET:
        if encoding is not None:
            raise DataError("The 'encoding' applies to text files.", "Leave it out of the plan.")
        return _checked(session, list(source), lambda path: session.read.parquet(*path))
    if ending not in _TEXT:
        raise DataError(
            "The engine 'spark' reads addresses of parquet, csv and tsv files only.",
            "The address must end in one of these, as in 's3a://clinic/may/*.parquet'.",
        )
    options = {
        "header": True,
        "sep": _TEXT[ending],
        "quote": '"',
        "escape": '"',
        "multiLine": True,
        "mode": "FAILFAST",
        "encoding": encoding or "UTF-8",
        "inferSchema": False,
    }
    return _checked(session, list(source), lambda path: session.read.options(**options).csv(path))


def _ending(address: str) -> str:
    found = re.search(r"\.[A-Za-z]+$", address.rstrip("/"))
    return found[0].lower() if found else ""


def _checked(session: SparkSession, source: list[str], read: Any) -> DataFrame:
    """The table, if every file has the columns of the first, in the same order.

    Spark itself fills what a file lacks with nothing, or takes one column for another.
    """
    table: DataFrame = read(source)
    files = sorted(table.inputFiles())
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        found = list(pool.map(lambda file: tuple(read([file]).columns), files))
    problems = [
        difference(file.rpartition("/")[2], names, files[0].rpartition("/")[2], found[0])
        for file, names in zip(files, found, strict=True)
        if names != found[0]
    ]
    if problems:
        raise DataError(problems)
    return table
