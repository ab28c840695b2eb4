"""Flags in parts: every cell shows what it shows with the table held, and counts add up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import shoal
from shoal._run.part.release import WrittenRelease
from shoal._run.part.symbol import Shown, show_shard, with_highest_flags
from shoal.errors import DataError
from shoal.method import Display
from shoal.method.mhsa.leak import leaks
from shoal.plan import Plan
from shoal.recode import Concealed
from shoal.table import encode
from shoal.table.partition import Partition
from tests._run.part.table import people_plan, visits

_TREE = {"tree": {"*": {"cold": ["a", "b"], "warm": ["c", "d"], "rare": ["e", "f", "g", "h"]}}}
_RULES = {"high": ["a", "e"], "middle": ["c"], "default": "low"}
_K: Any = [{"k-anonymity": {"k": 4}}, {"l-diversity": {"l": 2, "kind": "distinct"}}]


def _frame(n: int = 500) -> pl.DataFrame:
    draw = np.random.default_rng(8)
    return pl.DataFrame(
        {
            "age": draw.integers(18, 90, n),
            "town": draw.choice(["Ulm", "Bonn", "Köln"], n),
            "ill": draw.choice(list("abcdefgh"), n),
            "care": draw.choice(["0", "1", "high"], n),
            "pay": draw.integers(20, 60, n),
        }
    )


def _plan(method: Any, **more: Any) -> dict[str, Any]:
    pay = {"role": "sensitive", "kind": "numeric", "hierarchy": {"intervals": [30, 40, 50]}}
    return {
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric"},
            "town": "quasi",
            "ill": {"role": "sensitive", "hierarchy": _TREE, "flags": _RULES},
            "care": "flag",
            "pay": {**pay, "flag": "care"},
        },
        "privacy": _K,
        "method": method,
        "seed": 4,
        "shards": {"rows": 130},
        **more,
    }


_PEOPLE = people_plan("qi-mhsa", privacy=_K)
_PEOPLE["attributes"] = {
    **_PEOPLE["attributes"], "ill": {"role": "sensitive", "hierarchy": _TREE, "flag": "care"},
    "care": "flag",
}  # fmt: skip
CASES = {
    "interval": _plan("qi-mhsa"),
    "one-sided": _plan({"qi-mhsa": {"numeric": "one-sided"}}),
    "by-flag": _plan({"qi-mhsa": {"numeric": "by-flag", "division": "k-division"}}),
    "mondrian": _plan("mondrian"),
}


def _compare(plan: dict[str, Any], frame: pl.DataFrame, folder: Path) -> shoal.Release:
    frame.write_parquet(folder / "t.parquet")
    runs = []
    for name, data in (("parts", folder / "t.parquet"), ("whole", frame)):
        output = {"folder": str(folder / name), "format": "csv"}
        runs.append(shoal.run({**plan, "output": output}, data))
    parts, whole = runs
    assert isinstance(parts, WrittenRelease)
    assert not isinstance(whole, WrittenRelease)
    files = [(folder / name / "data.csv").read_bytes() for name in ("parts", "whole")]
    assert files[0] == files[1]
    stated = [json.loads((folder / n / "manifest.json").read_text()) for n in ("parts", "whole")]
    for manifest in stated:
        del manifest["time"], manifest["plan"], manifest["files"]
    assert stated[0] == stated[1]
    assert parts.counts == whole.counts
    assert {n: parts.measures[n] for n in parts.measures} == pytest.approx(
        {n: whole.measures[n] for n in parts.measures}
    )
    codes = [[a.code for a in release.warnings] for release in runs]
    assert set(codes[0]) == set(codes[1])
    assert parts.frame.schema == whole.frame.schema
    return parts


@pytest.mark.parametrize("case", CASES)
def test_the_release_is_that_of_the_whole_table(case: str, tmp_path: Path) -> None:
    release = _compare(CASES[case], _frame(), tmp_path)
    assert "*" in set(release.frame["ill"])
    assert "flag-clue" in [a.code for a in release.warnings]


def test_flags_of_people_with_several_rows(tmp_path: Path) -> None:
    frame = visits(150)
    care = np.random.default_rng(2).choice(["0", "1", "2"], frame.height)
    release = _compare(_PEOPLE, frame.with_columns(care=pl.Series(care)), tmp_path)
    assert release.counts.repeated > 0


def test_flags_that_are_none_are_counted_but_not_shown(tmp_path: Path) -> None:
    frame = _frame(60).with_columns(care=pl.lit("perhaps"))
    frame.write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="flag 0, 1 or 2") as error:
        shoal.run(_plan("qi-mhsa"), tmp_path / "t.parquet", output=tmp_path / "r")
    assert "perhaps" not in str(error.value)
    plan = _plan("qi-mhsa")
    rules = {"high": ["a"], "middle": ["b"]}
    plan["attributes"] = {**plan["attributes"], "ill": {"role": "sensitive", "flags": rules}}
    _frame(60).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="must have one flag, but 6 values in cells of 6 different"):
        shoal.run(plan, tmp_path / "t.parquet", output=tmp_path / "r")


def test_what_symbols_give_away_adds_up_over_shards() -> None:
    frame, plan = _frame(200), Plan.of(_plan("qi-mhsa"))
    table = encode(frame, plan.schema)
    classes = np.arange(200, dtype=np.int32) // 5
    display = Display("by-flag", every=True)
    found = Shown()
    for number, rows in enumerate(np.split(np.arange(200), [55, 120])):
        part = Partition(classes[rows] - classes[rows][0], int(np.ptp(classes[rows])) + 1)
        _, shown = show_shard(table.take(rows), part, display, np.ones(len(rows), dtype=np.bool_))
        found = found.merge(shown) if number else shown
    whole = Partition(classes, 40)
    concealed = Concealed.nothing(table, whole, display)
    showing, _ = show_shard(table, whole, display, np.ones(200, dtype=np.bool_))
    held = leaks(concealed.attributes, showing.cells, classes)
    assert found.worst() == pytest.approx({name: leak.cell_worst for name, leak in held.items()})
    assert found.how == {"ill": "by-flag", "pay": "by-flag"}


def test_a_record_has_the_highest_flag_of_its_rows() -> None:
    table = encode(_frame(4), Plan.of(_plan("qi-mhsa")).schema)
    table.flags["pay"][:] = [0, 1, 2, 0]
    found = with_highest_flags(table, np.array([0, 0, 2, 2]))
    assert found.flags["pay"].tolist() == [1, 1, 2, 2]
