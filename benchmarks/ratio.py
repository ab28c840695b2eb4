"""Polished releases beside the certified bound, for every public table with hierarchies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from benchmarks import data
from shoal._run import run

Row = dict[str, Any]
K, SECONDS = 5, 10


def _adult() -> tuple[pl.DataFrame, dict[str, Any]]:
    return data.adult(), data.adult_attributes()


def _adult_full() -> tuple[pl.DataFrame, dict[str, Any]]:
    return data.complete_adult("adult.data", "adult.test").select(
        data.QUASI
    ), data.adult_attributes()


def _numbers(frame: pl.DataFrame, names: list[str]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Ladders of widths for numbers, in eighths of their range."""
    attributes: dict[str, Any] = {}
    for name in names:
        column = frame[name].cast(pl.Float64)
        width = max(float(column.max() - column.min()) / 32, 1e-6)  # type: ignore[operator]
        ladder = {"width": float(f"{width:.2g}"), "levels": 4}
        attributes[name] = {"role": "quasi", "kind": "numeric", "hierarchy": ladder}
    return frame.select(names), attributes


def _first(folder: str, pattern: str) -> Path:
    return sorted((data.data_folder() / folder).rglob(pattern))[0]


def _abalone() -> tuple[pl.DataFrame, dict[str, Any]]:
    frame = pl.read_csv(_first("uci-abalone", "*.data"), has_header=False)
    return _numbers(frame, [f"column_{i}" for i in (2, 3, 4, 9)])


def _magic() -> tuple[pl.DataFrame, dict[str, Any]]:
    frame = pl.read_csv(_first("uci-magic", "*.data"), has_header=False)
    return _numbers(frame, [f"column_{i}" for i in (1, 2, 3, 9, 10)])


def _census() -> tuple[pl.DataFrame, dict[str, Any]]:
    frame = pl.read_csv(_first("census-acs2018-gov", "*.csv"), infer_schema_length=None)
    names = [n for n, kind in frame.schema.items() if kind.is_numeric()][:6]
    frame = frame.drop_nulls(names).sample(30_000, seed=1)
    return _numbers(frame, names)


TABLES = {
    "adult": _adult, "adult, both parts": _adult_full, "abalone": _abalone, "magic": _magic,
    "census": _census,
}  # fmt: skip


def polished(which: str, seconds: float = SECONDS) -> Row:
    """What `auto` and polish lose, and what no release can lose less than."""
    frame, attributes = TABLES[which]()
    plan = {"attributes": attributes, "privacy": [{"k-anonymity": {"k": K}}], "seed": 1}
    release = run({**plan, "polish": {"seconds": seconds}}, frame)
    lost, bound = release.measures["glm"], release.measures["bound"]
    return {
        "table": which, "rows": frame.height, "quasi-identifiers": len(attributes), "k": K,
        "polish s": seconds, "glm": lost, "bound": bound, "glm / bound": lost / bound,
    }  # fmt: skip
