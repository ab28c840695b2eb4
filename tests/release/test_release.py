"""What is published is what was verified, and what cannot be published is refused."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import DataError, PlanError, VerificationError

TABLE = pl.DataFrame({"who": list("abcdefgh"), "age": [20, 20, 30, 30] * 2})


def test_nothing_but_the_verified_tables_is_written(tmp_path: Path) -> None:
    plan = {
        "attributes": {"who": "identifier", "age": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "ranges": "columns",
    }
    release = shoal.run(plan, TABLE)
    with pytest.raises(TypeError):
        release.coded["data"] = TABLE  # type: ignore[index]
    assert release.frame is not release.coded["data"]
    release.coded["data"].insert_column(0, TABLE["who"].gather(release.origin))
    with pytest.raises(VerificationError, match="not those that were verified"):
        release.save(tmp_path / "r")
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_a_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("M,0.455,15\nF,0.53,9\nM,0.44,10\nI,0.33,15\n")
    with pytest.raises(DataError, match="must begin with a header") as caught:
        shoal.check(path, attributes={"M": "quasi"}, privacy=[{"k-anonymity": {"k": 2}}])
    assert "0.455" not in str(caught.value)


def test_years_as_names_are_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("2019,2020,2021\n1,2,3\n1,2,3\n")
    attributes = {"2019": "quasi", "2020": "quasi", "2021": "quasi"}
    assert shoal.check(path, attributes=attributes, privacy=[{"k-anonymity": {"k": 2}}]).holds


def test_a_name_kept_for_buckets_is_refused() -> None:
    plan = {
        "attributes": {"a": "quasi", "a_BID": "insensitive"},
        "privacy": [{"k-anonymity": {"k": 1}}],
    }
    with pytest.raises(PlanError, match="kept for the numbers of buckets"):
        shoal.run(plan, pl.DataFrame({"a": [1], "a_BID": [2]}))


@pytest.mark.parametrize("data", [[], [{"a": 1}], 5])
def test_what_is_no_table_is_refused(data: Any) -> None:
    plan = {"attributes": {"a": "quasi"}, "privacy": [{"k-anonymity": {"k": 1}}]}
    with pytest.raises(DataError):
        shoal.run(plan, data)


def test_check_takes_ranges_where_numbers_were() -> None:
    table = pl.DataFrame({"age": ["[20, 29]", "[20, 29]"]})
    attributes = {"age": {"role": "quasi", "kind": "numeric"}}
    assert shoal.check(table, attributes=attributes, privacy=[{"k-anonymity": {"k": 2}}]).holds


@pytest.mark.parametrize("folder", [None, 5, {}])
def test_what_is_no_folder_is_refused(folder: Any) -> None:
    with pytest.raises(DataError, match="named by a path"):
        shoal.audit(folder)


def test_zero_has_no_sign(tmp_path: Path) -> None:
    table = pl.DataFrame({"a": list("abab") * 2, "s": [-0.0, 1.0, 2.0, 3.0] * 2})
    plan = {
        "attributes": {"a": "quasi", "s": "sensitive"},
        "privacy": [{"l-diversity": {"l": 2}}],
        "seed": 1,
    }
    shoal.run(plan, table, output=tmp_path / "r")
    assert shoal.audit(tmp_path / "r", table).verdicts[0].holds


@pytest.mark.parametrize("conflict", ["first", "mode"])
def test_a_wrong_settlement_is_caught(conflict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pl.DataFrame({"who": list("aaabbb"), "age": [1, 1, 9, 2, 2, 9]})
    plan = {
        "individual": {"column": "who", "conflict": conflict},
        "attributes": {"who": "identifier", "age": "quasi"},
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    assert shoal.run(plan, table).frame["age"].to_list() == ["[1, 2]"] * 2
    spoilt = table.with_columns(pl.lit(9).alias("age"))
    reading = import_module("shoal._run.read")
    monkeypatch.setattr(reading, "settle_conflicts", lambda *_: (spoilt, {}))
    with pytest.raises(VerificationError, match="age"):
        shoal.run(plan, table)


def test_ways_to_write_one_value_are_one_value() -> None:
    table = pl.DataFrame(
        {"who": list("aaaaabbb"), "age": ["1", "1.0", "?", "", "1", "2", "2", "3"]}
    )
    plan = {
        "individual": {"column": "who", "conflict": "mode"},
        "attributes": {
            "who": "identifier",
            "age": {"role": "quasi", "kind": "numeric", "missing": "?"},
        },
        "privacy": [{"k-anonymity": {"k": 2}}],
        "seed": 1,
    }
    assert shoal.run(plan, table).frame["age"].to_list() == ["[1, 2]"] * 2
