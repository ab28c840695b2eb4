"""Who fits which published row, and people who are not in the data."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from shoal.attack.target import MADE_UP, NOT_THERE, Target, deal_anew, find_crowd, strangers
from shoal.schema import Attribute, Individual, Kind, Requirement, Role, Schema

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
TOWN = Attribute("town", Role.QUASI, Kind.CATEGORICAL)


def target(labels: list[tuple[str, str]], people: list[tuple[int, str]]) -> Target:
    data = pl.DataFrame(labels, schema=["age", "town"], orient="row")
    known = pl.DataFrame(people, schema=["age", "town"], orient="row")
    return Target(data, Schema((AGE, TOWN)), (Requirement("k-anonymity", {"k": 2}),), known)


def test_everybody_finds_the_rows_that_can_be_theirs() -> None:
    one = target(
        [("[1, 5]", "a"), ("[1, 5]", "a"), ("[4, 9]", "{a, b}"), ("*", "*")],
        [(3, "a"), (5, "a"), (9, "b"), (99, "c")],
    )
    assert one.crowd.matches.tolist() == [3, 4, 2, 1]
    assert one.crowd.sizes.sum() == 4


def test_people_with_several_records_are_found_by_how_many_they_have() -> None:
    data = pl.DataFrame({"Id_num": ["1", "1", "2", "3"], "age": ["*"] * 4, "ill": list("abac")})
    schema = Schema((Attribute("Id_num", Role.IDENTIFIER), AGE, Attribute("ill", Role.SENSITIVE)),
                    Individual("Id_num"))  # fmt: skip
    known = pl.DataFrame({"who": ["x", "x", "y", "z"], "age": [1, 1, 2, 3], "ill": list("abac")})
    found = Target(data, schema, (), known, person="who")
    assert found.crowd.matches.tolist() == [3, 3, 3]
    assert find_crowd(found).matches.tolist() == [1, 2, 2]
    assert Target(data, schema, (), known).crowd.matches.tolist() == [3, 3, 3, 3]


def test_strangers_are_nobody_in_the_data() -> None:
    one = target([("*", "*")], [(i, "ab"[i % 2]) for i in range(40)])
    found, rows = deal_anew(one)
    assert 0 < found.height == len(rows) < 40
    assert found.join(one.known, on=["age", "town"], how="inner").height == 0
    assert find_crowd(one, found).matches.tolist() == [1] * found.height
    assert strangers(one)[1] == MADE_UP


def test_people_of_a_register_are_better_strangers() -> None:
    one = target([("*", "*")], [(1, "a"), (2, "b")])
    real = pl.DataFrame({"age": [9], "town": ["z"]})
    assert strangers(replace(one, outsiders=real))[1] == NOT_THERE
    assert strangers(replace(one, outsiders=real.clear()))[1] == MADE_UP
