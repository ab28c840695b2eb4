"""The numbers that stand for people: one each, fresh, and in the order of their appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import Attribute, Individual, Role, Schema
from shoal.verify.text.people import Numbering, check_numbers, check_people
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
        ("pq", ["2", "1"], "does not number people as they appear in 1 row (published row 1)"),
        ("pq", ["1", "3"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["0", "1"], "does not number people as they appear in 1 row (published row 1)"),
        ("pq", ["1", "1.5"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["1", "x"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["1", "01"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["1", "2.0"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["1", "+2"], "does not number people as they appear in 1 row (published row 2)"),
        ("pq", ["1", None], "does not number people as they appear in 1 row (published row 2)"),
        ("pp", ["1", "2"], "1 row does not have the Id_num of its person (published row 2)"),
        ("pq", ["1", "1"], "1 row shares its Id_num with another person (published row 2)"),
        ("pq", pl.Series([1.0, 2.0]), "neither text nor whole numbers"),
    ],
)
def test_numbers_of_people(who: str, ids: Any, finding: str) -> None:
    problems = found(who, ids)
    assert (problems == "") == (finding == "")
    assert finding in problems


def test_numbers_that_are_not_whole_by_their_type_are_told_once() -> None:
    text = "Column 'Id_num' is published as neither text nor whole numbers."
    assert found("pq", pl.Series([2.0, 2.0])) == text


def test_a_person_is_in_one_class_with_all_rows() -> None:
    assert found("pqp", ["1", "2", "1"], [4, 5, 4]) == ""
    text = "1 row is in a different class from its person's other rows (original row 3)"
    assert text in found("pqp", ["1", "2", "1"], [4, 5, 5])
    assert text in found("pqp", ["1", "2", "1"], [4, 5, -1])


def test_without_people_or_numbers_nothing_is_said() -> None:
    two = {"who": "pq", "s": "ab"}
    nobody = Schema(SCHEMA.attributes)
    assert said(check_people(release_of({"s": "ab"}, two, nobody))) == ""
    assert said(check_people(release_of({"s": "ab"}, two, SCHEMA))) == ""


def _fresh(numbers: list[float]) -> bool:
    """Whether every number is one that was there, or the next."""
    most = 0.0
    for number in numbers:
        if number not in range(1, int(most) + 2):
            return False
        most = max(most, number)
    return True


def test_runs_of_rows_add_up_to_the_numbering_of_all() -> None:
    draw = np.random.default_rng(4)
    fresh = []
    for _ in range(300):
        n = int(draw.integers(1, 9))
        steps = np.maximum.accumulate(draw.integers(1, 4, n).cumsum() // 2 + 1)
        numbers = np.where(draw.random(n) < 0.3, draw.integers(0, 5, n), steps).astype(float)
        numbers = numbers + (draw.random(n) < 0.02) * 0.5
        cuts = np.sort(draw.integers(0, n + 1, 2))
        texts = ([f"{number:g}" for number in part] for part in np.split(numbers, cuts))
        ids = [pl.Series(part, dtype=pl.String) for part in texts]
        found = sum((Numbering.of(part) for part in ids), Numbering())
        assert (said(found.problems()) == "") == _fresh(numbers.tolist())
        fresh.append(_fresh(numbers.tolist()))
    assert len(set(fresh)) == 2
    assert Numbering.of(pl.Series(["1", None])).n_wrong == 1
    assert said(Numbering.of(pl.Series(["2", "1"])).problems())
    assert Numbering.of(pl.Series(["1", "01", "2.0", "2"])) == Numbering(highest=2, n_wrong=2)
    assert Numbering.of(pl.Series([1, 2])) == Numbering(highest=2)
    assert not said((Numbering.of(pl.Series(["1"])) + Numbering.of(pl.Series(["2"]))).problems())


@pytest.mark.parametrize("number", ["1e18", "9223372036854775808", "1e300"])
def test_no_number_is_too_large_to_be_noticed(number: str) -> None:
    assert "people as they appear" in said(Numbering.of(pl.Series(["1", number])).problems())
    assert "people as they appear in 1 row (published row 2)" in found("pq", ["1", number])


def test_a_run_needs_the_numbers_that_it_skips() -> None:
    assert Numbering.of(pl.Series(["1", "2", "1"])) == Numbering(needs=0, highest=2)
    assert Numbering.of(pl.Series(["3", "4", "1"])) == Numbering(needs=2, highest=4)
    assert Numbering.of(pl.Series([], dtype=pl.String)) == Numbering()


def test_cells_without_a_number_in_several_runs_add_up() -> None:
    both = Numbering.of(pl.Series(["1", "x"])) + Numbering.of(pl.Series(["1", "y"]))
    assert both == Numbering(needs=0, highest=1, n_wrong=2)
    assert said(both.problems()) == "Column 'Id_num' does not number people as they appear."


def test_numbers_are_one_to_one() -> None:
    who = pl.Series([5, 6, 5], dtype=pl.UInt64)
    assert said(check_numbers(who, pl.Series(["1", "2", "1"]))) == ""
    assert "does not have the Id_num of its person" in said(
        check_numbers(who, pl.Series(["1", "2", "3"]))
    )
    assert "shares its Id_num" in said(check_numbers(who, pl.Series(["1", "1", "1"])))
