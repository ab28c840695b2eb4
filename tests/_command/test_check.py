"""Verdicts on a table as it is, and the classes that fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from shoal._command.check import check
from shoal.errors import DataError, PlanError

TABLE = pl.DataFrame(
    {
        "age": ["30-39", "30-39", "40-49", "40-49", "50-59"],
        "f": [0.9, 0.1, 0.1, 0.1, 0.1],
        "who": ["a", "b", "c", "c", "d"],
    }
)
TWO = [{"k-anonymity": {"k": 2}}]
LEVELS = {"multi-level-k": {"thresholds": [[0.5, 0.5]], "levels": [[3, 1]]}}


def test_classes_are_numbered_in_the_order_of_the_rows() -> None:
    found = check(
        TABLE.select("age"), attributes={"age": "quasi"}, privacy=[{"k-anonymity": {"k": 2}}]
    )
    assert found.row_class.tolist() == [1, 1, 2, 2, 3]
    assert found.classes.rows() == [(1, 2, 0, "30-39"), (2, 2, 2, "40-49"), (3, 1, 4, "50-59")]
    assert not found.holds
    assert [v.holds for v in found] == [False]
    assert found.offending()["class"].to_list() == [3]


def test_people_are_counted_where_rows_are_theirs() -> None:
    attributes = {"age": "quasi", "who": "identifier"}
    rows = TABLE.select("age", "who")
    found = check(rows, attributes=attributes, privacy=TWO, individual="who")
    assert found.failing(found[0]) == [2, 3]
    alone = check(rows, attributes=attributes, privacy=TWO)
    assert alone.failing(alone[0]) == [3]


def test_a_model_of_rows_fails_in_the_classes_of_its_rows() -> None:
    attributes = {"age": "quasi", "f": "sensitivity"}
    found = check(TABLE.select("age", "f"), attributes=attributes, privacy=[LEVELS])
    assert found[0].offending == (0,)
    assert found.failing(found[0]) == [1]


@pytest.mark.parametrize("given", ["semi-sensitive", {"role": "semi-sensitive", "flag": "f"}])
def test_secret_cells_need_buckets(given: Any) -> None:
    with pytest.raises(PlanError, match="'age' is semi-sensitive, but a table as it is has no"):
        check(TABLE.select("age"), attributes={"age": given}, privacy=TWO)


def test_the_plan_must_fit_the_table() -> None:
    with pytest.raises(PlanError, match="sex"):
        check(TABLE.select("age"), attributes={"age": "quasi", "sex": "quasi"}, privacy=TWO)


def test_a_table_without_a_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("M,0.455,15\nF,0.53,9\nM,0.44,10\nI,0.33,15\n")
    with pytest.raises(DataError, match="must begin with a header") as caught:
        check(path, attributes={"M": "quasi"}, privacy=[{"k-anonymity": {"k": 2}}])
    assert "0.455" not in str(caught.value)


def test_years_as_names_are_a_header(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("2019,2020,2021\n1,2,3\n1,2,3\n")
    attributes = {"2019": "quasi", "2020": "quasi", "2021": "quasi"}
    assert check(path, attributes=attributes, privacy=[{"k-anonymity": {"k": 2}}]).holds


def test_check_takes_ranges_where_numbers_were() -> None:
    table = pl.DataFrame({"age": ["[20, 29]", "[20, 29]"]})
    attributes = {"age": {"role": "quasi", "kind": "numeric"}}
    assert check(table, attributes=attributes, privacy=[{"k-anonymity": {"k": 2}}]).holds


def test_a_table_that_is_not_what_the_plan_says_is_wrong_input() -> None:
    table = pl.DataFrame({"q": ["a", "a", "b", "b"], "pay": ["1", "x", "3", "4"]})
    pay = {"role": "sensitive", "kind": "numeric"}
    with pytest.raises(DataError, match="'pay' must be numeric, but 1 cell is not"):
        check(table, attributes={"q": "quasi", "pay": pay}, privacy=[{"l-diversity": {"l": 2}}])


@pytest.mark.parametrize("privacy", [{"k-anonymity": {"k": 5}}, "k-anonymity", 5])
def test_requirements_must_be_a_list(privacy: Any) -> None:
    table = pl.DataFrame({"age": [1, 2]})
    with pytest.raises(PlanError, match="The 'privacy' parameter of the plan must be a list"):
        check(table, attributes={"age": "quasi"}, privacy=privacy)
