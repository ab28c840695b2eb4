"""Rows that belong to one person."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from shoal.errors import DataError, PlanError
from shoal.schema import Attribute, Individual, Kind, Role, Schema
from shoal.table import find_people, people_named, repeated_rows, settle_conflicts
from shoal.table.people import People


def _schema(conflict: str = "error") -> Schema:
    attributes = (Attribute("who", Role.IDENTIFIER), Attribute("age", Role.QUASI, Kind.NUMERIC))
    return Schema(attributes, Individual("who", conflict))  # type: ignore[arg-type]


def test_people_are_numbered_as_they_appear() -> None:
    people = find_people(pl.Series("who", ["b", "a", "b", "c"]))
    assert people.person.tolist() == [0, 1, 0, 2]
    assert people.first_row.tolist() == [0, 1, 3]
    with pytest.raises(DataError, match=r"does not in 2 rows \(2, 3\)"):
        find_people(pl.Series("who", ["b", None, "?"]), ("?",))


@pytest.mark.parametrize(("conflict", "ages"), [("first", [1, 1, 1, 5]), ("mode", [2, 2, 2, 5])])
def test_conflicts_are_settled(conflict: str, ages: list[int]) -> None:
    frame = pl.DataFrame({"who": ["a", "a", "a", "b"], "age": [1, 2, 2, 5]})
    settled, notes = settle_conflicts(frame, _schema(conflict))
    assert settled["age"].to_list() == ages
    assert len(notes) == 1
    assert frame["age"].to_list() == [1, 2, 2, 5]


def test_a_tie_goes_to_the_lesser_value_and_missing_is_a_value() -> None:
    frame = pl.DataFrame({"who": ["a", "a", "b", "b", "b"], "age": [7, 3, None, None, 1]})
    settled, _ = settle_conflicts(frame, _schema("mode"))
    assert settled["age"].to_list() == [3, 3, None, None, None]


def test_a_conflict_is_an_error_by_default() -> None:
    frame = pl.DataFrame({"who": ["a", "a"], "age": [31, 47]})
    with pytest.raises(DataError, match=r"but differs in 1 row \(2\)") as caught:
        settle_conflicts(frame, _schema())
    assert "47" not in str(caught.value)


def test_numbers_that_are_written_differently_do_not_conflict() -> None:
    frame = pl.DataFrame({"who": ["a", "a"], "age": ["31", " 31.0"]})
    assert settle_conflicts(frame, _schema()) == (frame, {})


def test_without_an_individual_nothing_is_compared() -> None:
    frame = pl.DataFrame({"age": [1, 2]})
    assert settle_conflicts(frame, Schema((Attribute("age", Role.QUASI),))) == (frame, {})


def test_rows_that_repeat_one_of_the_same_person() -> None:
    people = People(np.array([0, 0, 1], dtype=np.int32), np.array([0, 2]))
    same, other = np.array([4, 4, 4]), np.array([1, 2, 1])
    repeats = repeated_rows(people, [same])
    assert repeats is not None
    assert repeats.tolist() == [0, 0, 2]
    assert repeated_rows(people, [same, other]) is None
    single = People(np.array([0, 1], dtype=np.int32), np.array([0, 1]))
    assert repeated_rows(single, [np.array([4, 4])]) is None


def test_people_are_found_by_name_and_unknown_ones_are_counted_not_named() -> None:
    frame = pl.DataFrame({"who": ["b", "a", "b"]})
    people = find_people(frame["who"])
    assert people_named(["a", "b"], frame, "who", people).tolist() == [1, 0]
    assert people_named([], frame, "who", people).tolist() == []
    with pytest.raises(PlanError, match=r"6 of the 7 people .* \(entries 2, 3, 4, 5, 6, …\)") as e:
        people_named(["a", *["zebra"] * 6], frame, "who", people)
    assert "zebra" not in str(e.value)
