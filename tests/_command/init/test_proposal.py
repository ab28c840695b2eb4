"""What a first plan says of itself, in words and as data."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from shoal._command.init.entry import Entry
from shoal._command.init.person import Person
from shoal._command.init.proposal import Proposal
from shoal._command.rehearsal import Rehearsed
from shoal.schema import Role


def entry(name: str, role: Role) -> Entry:
    column: Any = SimpleNamespace(name=name)
    return Entry(column, cast("Any", None), role, "")


FOUND = Proposal(
    entries=(entry("ill", Role.SENSITIVE), entry("sex", Role.QUASI), entry("age", Role.QUASI)),
    person=None,
    k=5,
    diversity={},
    n_rows=2000,
    together={"age": 90, "sex": 1500},
    rehearsed=Rehearsed({"age": 0.5, "sex": 0.1}, 0.04),
    n_rehearsed=2000,
    notes=(),
    source="people.csv",
    output="release/",
)


def test_the_most_telling_quasi_identifier_comes_first() -> None:
    assert [one.name for one in FOUND.quasi] == ["age", "sex"]
    # Those that were not counted come last.
    assert [one.name for one in replace(FOUND, together={"sex": 1}).quasi] == ["sex", "age"]


def test_people_are_counted_where_they_have_several_rows() -> None:
    assert FOUND.n_units == 2000
    assert replace(FOUND, person=Person("name", 800)).n_units == 800


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "Together they single out 1,500 of 2,000 rows (75%)"),
        ({"person": Person("name", 1600)},
         "Together they single out 1,500 of 1,600 people (93.8%)"),
        ({"together": {"age": 3}}, "It singles out 3 of 2,000 rows (0.1%)"),
        ({"n_rows": 1}, "The only row is singled out by any column"),
        ({"person": Person("name", 1)}, "The only person is singled out by any column"),
    ],
)  # fmt: skip
def test_whom_the_quasi_identifiers_single_out(changes: dict[str, Any], text: str) -> None:
    assert replace(FOUND, **changes).stand_out == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "In a rehearsal, 30% of their detail was lost and 4% of their cells became *."),
        ({"n_rehearsed": 1500},
         "In a rehearsal on 1,500 of the rows, 30% of their detail was lost and 4% of their cells "
         "became *. All rows together would lose less."),
        ({"rehearsed": None}, "A rehearsal found no release that meets the requirements."),
    ],
)  # fmt: skip
def test_what_the_release_is_expected_to_lose(changes: dict[str, Any], text: str) -> None:
    assert replace(FOUND, **changes).expected == text


def test_as_data_it_has_counts_and_no_text_of_the_plan() -> None:
    found = replace(FOUND, entries=()).as_data()
    assert (found["rows"], found["unique_rows_by_quasi"], found["individual"]) == (2000, 1500, None)
    assert (found["expected_loss"], found["expected_stars"]) == (0.3, 0.04)
    failed = replace(FOUND, entries=(), rehearsed=None, person=Person("name", 800)).as_data()
    assert (failed["unique_people_by_quasi"], failed["individual"]) == (1500, "name")
    assert failed["expected_loss"] is None
    assert "text" not in failed
