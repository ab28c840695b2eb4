"""Releases of the same people are noticed through the private folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import shoal
from shoal.errors import PlanError

PEOPLE = pl.DataFrame(
    {"name": [f"p{i}" for i in range(40)], "age": [20 + i % 4 for i in range(40)]}
)
PLAN: dict[str, Any] = {
    "attributes": {"name": "identifier", "age": "quasi"},
    "privacy": [{"k-anonymity": {"k": 2}}],
    "seed": 1,
}


def _run(folder: Path, name: str, people: pl.DataFrame, plan: dict[str, Any] = PLAN) -> list[str]:
    """Release these people; what is said of earlier releases."""
    made = shoal.run(plan, people, output=folder / name, private=folder / "own", force=True)
    return [advice.text for advice in made.warnings if advice.code == "composition"]


def test_the_first_release_warns_of_nothing(tmp_path: Path) -> None:
    assert _run(tmp_path, "first", PEOPLE) == []


def test_a_second_release_of_the_same_people_is_noticed(tmp_path: Path) -> None:
    _run(tmp_path, "first", PEOPLE[:30])
    (warning,) = _run(tmp_path, "second", PEOPLE[20:])
    assert warning.startswith("10 of 20 people were also in the release of ")
    assert "composition" in warning


def test_earlier_releases_are_not_forgotten(tmp_path: Path) -> None:
    _run(tmp_path, "first", PEOPLE[:20])
    _run(tmp_path, "second", PEOPLE[20:])
    assert _run(tmp_path, "third", PEOPLE[:10])


def test_other_people_raise_no_alarm(tmp_path: Path) -> None:
    _run(tmp_path, "first", PEOPLE[:20])
    assert _run(tmp_path, "second", PEOPLE[20:]) == []


def test_a_person_with_several_rows_is_one_person(tmp_path: Path) -> None:
    plan = {**PLAN, "individual": "name"}
    twice = pl.concat([PEOPLE[:20], PEOPLE[:20]])
    _run(tmp_path, "first", twice, plan)
    (warning,) = _run(tmp_path, "second", twice, plan)
    assert warning.startswith("20 of 20 people")


def test_without_identifiers_whole_rows_are_compared(tmp_path: Path) -> None:
    plan = {**PLAN, "attributes": {"age": "quasi"}}
    _run(tmp_path, "first", PEOPLE.select("age"), plan)
    assert _run(tmp_path, "second", PEOPLE.select("age"), plan)


def test_a_private_folder_needs_a_release(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="names an output"):
        shoal.run(PLAN, PEOPLE, private=tmp_path / "own")


def test_the_history_holds_no_names(tmp_path: Path) -> None:
    _run(tmp_path, "first", PEOPLE)
    history = pl.read_parquet(tmp_path / "own" / "history.parquet")
    assert history.columns == ["release", "column", "person"]
    assert history.schema["person"] == pl.UInt64


def test_another_view_of_the_same_people_is_noticed(tmp_path: Path) -> None:
    wide = PEOPLE.with_columns(pl.Series("mail", [f"m{i}" for i in range(40)]))
    plan = {**PLAN, "attributes": {**PLAN["attributes"], "mail": "identifier"}}
    _run(tmp_path, "first", wide, plan)
    (warning,) = _run(tmp_path, "second", PEOPLE)
    assert warning.startswith("40 of 40 people")


def test_the_row_map_of_an_earlier_release_is_kept(tmp_path: Path) -> None:
    for name, people in (("first", PEOPLE[:10]), ("second", PEOPLE[10:30]), ("third", PEOPLE)):
        _run(tmp_path, name, people)
    kept = sorted((tmp_path / "own" / "earlier").iterdir())
    assert [pl.read_parquet(folder / "rows.parquet").height for folder in kept] == [10, 20]
    assert pl.read_parquet(tmp_path / "own" / "rows.parquet").height == 40


def test_a_release_that_is_replaced_raises_no_alarm(tmp_path: Path) -> None:
    _run(tmp_path, "first", PEOPLE)
    _run(tmp_path, "second", PEOPLE)
    (warning,) = _run(tmp_path, "second", PEOPLE)
    (again,) = _run(tmp_path, "second", PEOPLE)
    assert warning == again
    history = pl.read_parquet(tmp_path / "own" / "history.parquet")
    assert history["release"].n_unique() == 2


def test_a_replaced_release_of_other_data_is_remembered(tmp_path: Path) -> None:
    _run(tmp_path, "monthly", PEOPLE[:30])
    assert _run(tmp_path, "monthly", PEOPLE[20:]) == []
    (warning,) = _run(tmp_path, "monthly", PEOPLE[:25])
    assert warning.startswith("25 of 25 people")
