"""The numbers that stand for people: one each, fresh, and in the order of their appearance."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from shoal.schema import Attribute, Individual, Role, Schema
from shoal.verify.text.people import check_people
from tests.verify.small import release_of, said

SCHEMA = Schema(
    (Attribute("who", Role.IDENTIFIER), Attribute("s", Role.SENSITIVE)), Individual("who")
)


def found(who: str, ids: Any, classes: list[int] | None = None) -> str:
    data = {"Id_num": ids, "s": ["a"] * len(who)}
    original = {"who": list(who), "s": ["a"] * len(who)}
    return said(check_people(release_of(data, original, SCHEMA, classes=classes)))


@pytest.mark.parametrize(
    ("who", "ids", "finding"),
    [
        ("pqp", ["1", "2", "1"], ""),
        ("pqr", ["1", "2", "3"], ""),
        ("pqr", pl.Series([1, 2, 3]), ""),
        ("pq", ["2", "1"], "does not number people as they appear in 1 rows (published row 1)"),
        ("pq", ["1", "3"], "does not number people as they appear in 1 rows (published row 2)"),
        ("pq", ["0", "1"], "does not number people as they appear in 1 rows (published row 1)"),
        ("pq", ["1", "1.5"], "does not number people as they appear in 1 rows (published row 2)"),
        ("pq", ["1", "x"], "does not number people as they appear in 1 rows (published row 2)"),
        ("pq", ["1", None], "does not number people as they appear in 1 rows (published row 2)"),
        ("pp", ["1", "2"], "1 rows do not have the Id_num of their person (published row 2)"),
        ("pq", ["1", "1"], "1 rows share their Id_num with another person (published row 2)"),
        ("pq", pl.Series([1.0, 2.0]), "neither text nor whole numbers"),
    ],
)
def test_numbers_of_people(who: str, ids: Any, finding: str) -> None:
    problems = found(who, ids)
    assert (problems == "") == (finding == "")
    assert finding in problems


def test_a_person_is_in_one_class_with_all_rows() -> None:
    assert found("pqp", ["1", "2", "1"], [4, 5, 4]) == ""
    text = "1 rows are in a different class from their person's other rows (original row 3)"
    assert text in found("pqp", ["1", "2", "1"], [4, 5, 5])
    assert text in found("pqp", ["1", "2", "1"], [4, 5, -1])


def test_without_people_or_numbers_nothing_is_said() -> None:
    two = {"who": "pq", "s": "ab"}
    nobody = Schema(SCHEMA.attributes)
    assert said(check_people(release_of({"s": "ab"}, two, nobody))) == ""
    assert said(check_people(release_of({"s": "ab"}, two, SCHEMA))) == ""
