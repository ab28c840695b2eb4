"""Certain bounds: no values behind the published cells can go beyond them."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

import pytest

from shoal._command.query import Answer, query
from tests._command.query.written import column, write_folder

SEX = column("sex", "quasi", "categorical")
AGE = column("age", "quasi", "numeric")
PAY = column("pay", "sensitive", "numeric")


def certain(answer: Answer) -> tuple[float | None, float | None]:
    return answer.certain_lower, answer.certain_upper


def test_a_count_is_between_what_surely_matches_and_what_may(tmp_path: Path) -> None:
    data = {"sex": ["F", "M", *["*"] * 8], "age": ["20", "30", *["[20, 30]"] * 8]}
    write_folder(tmp_path, [SEX, AGE], data)
    answer = query(tmp_path, "SELECT COUNT(*) WHERE age < 25 AND sex = 'F'")
    assert certain(answer) == (1, 9)
    assert (answer.lower, answer.upper) == (2, 3)
    groups = query(tmp_path, "SELECT COUNT(*) GROUP BY sex").groups
    assert [(value, *certain(one)) for value, one in groups] == [("F", 1, 9), ("M", 1, 9)]


@pytest.mark.parametrize("rule", ["", " AND pay > 0", " AND pay < 15"])
def test_sums_and_means_by_trying_every_world(tmp_path: Path, rule: str) -> None:
    sexes, pays = ["F", "{F, M}", "{F, M}", "M"], [10, -20, 30, 5]
    data = {"sex": sexes, "pay_BID": ["1", "1", "1", "2"], "GID": ["1"] * 4}
    buckets = {"pay": [("1", "10"), ("1", "-20"), ("1", "30"), ("2", "5")]}
    write_folder(tmp_path, [SEX, PAY], data, buckets)
    counts = {
        "": lambda x: True,
        " AND pay > 0": lambda x: x > 0,
        " AND pay < 15": lambda x: x < 15,
    }
    worlds = [
        [pay for pay, female in zip((*order, 5), (True, *some, False), strict=True)
         if female and counts[rule](pay)]
        for order in permutations(pays[:3])
        for some in product([False, True], repeat=2)
    ]  # fmt: skip
    total = query(tmp_path, f"SELECT SUM(pay) WHERE sex = 'F'{rule}")
    assert certain(total) == (min(map(sum, worlds)), max(map(sum, worlds)))
    mean = query(tmp_path, f"SELECT AVG(pay) WHERE sex = 'F'{rule}")
    means = [sum(world) / len(world) for world in worlds if world]
    assert mean.certain_lower is not None
    assert mean.certain_upper is not None
    assert mean.certain_lower <= min(means)
    assert mean.certain_upper >= max(means)


def test_ranges_count_with_their_ends(tmp_path: Path) -> None:
    data = {"sex": ["F", "{F, M}"], "age": ["[20, 29]", "[-5, 9]"]}
    write_folder(tmp_path, [SEX, AGE], data)
    assert certain(query(tmp_path, "SELECT SUM(age) WHERE sex = 'F'")) == (15, 38)
    assert certain(query(tmp_path, "SELECT AVG(age) WHERE sex = 'F'")) == (7.5, 29)
    assert certain(query(tmp_path, "SELECT SUM(age) WHERE sex = 'X'")) == (0, 0)
    assert certain(query(tmp_path, "SELECT AVG(age) WHERE sex = 'X'")) == (None, None)


def test_a_number_that_is_not_shown_has_no_certain_end(tmp_path: Path) -> None:
    write_folder(tmp_path, [SEX, AGE], {"sex": ["F", "M"], "age": ["20", "*"]})
    assert certain(query(tmp_path, "SELECT SUM(age)")) == (None, None)
    assert certain(query(tmp_path, "SELECT SUM(age) WHERE sex = 'F'")) == (20, 20)
