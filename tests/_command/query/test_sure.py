"""Certain bounds: no values behind the published cells can go beyond them."""

from __future__ import annotations

from itertools import permutations, product
from operator import eq, ge, gt, le, lt, ne
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


CONDITIONS = (
    "", "age > 29", "age <= 29", "age = 29.5", "age != 29.5", "age BETWEEN 29.25 AND 29.75",
    "age > 17", "age <= 17", "age < 20", "age >= 40", "age > 20 AND age < 21",
)  # fmt: skip


@pytest.mark.parametrize("where", CONDITIONS)
def test_fractions_may_be_behind_integers(where: str, tmp_path: Path) -> None:
    """A release of intervals shows nothing but integers, whatever numbers it is of."""
    behind = {
        "<18": [-3.0, 17.0, 17.5],
        "[20, 30[": [20.0, 20.5, 29.0, 29.5, 29.99],
        "[20, 29]": [20.0, 28.5, 29.0],
        ">=40": [40.0, 40.5],
        "25": [25.0],
    }
    write_folder(tmp_path, [AGE], {"age": list(behind)})
    rule = where.replace("BETWEEN 29.25 AND 29.75", ">= 29.25 AND age <= 29.75")
    parts = [part.split() for part in rule.split(" AND ")] if rule else []
    compare = {">": gt, "<": lt, ">=": ge, "<=": le, "=": eq, "!=": ne}
    worlds = [
        [age for age in world if all(compare[sign](age, float(v)) for _, sign, v in parts)]
        for world in product(*behind.values())
    ]
    suffix = f" WHERE {where}" if where else ""
    count = query(tmp_path, f"SELECT COUNT(*){suffix}")
    low, high = certain(count)
    assert low is not None
    assert high is not None
    assert low <= min(map(len, worlds))
    assert max(map(len, worlds)) <= high
    assert not count.certain or low == high == len(worlds[0])
    total = query(tmp_path, f"SELECT SUM(age){suffix}")
    if total.certain_lower is not None and total.certain_upper is not None:
        assert total.certain_lower <= min(map(sum, worlds))
        assert max(map(sum, worlds)) <= total.certain_upper
        assert not total.certain or total.lower == total.certain_lower


def test_a_sum_over_intervals_of_integers_is_no_certain_one(tmp_path: Path) -> None:
    write_folder(tmp_path, [AGE], {"age": ["[20, 30[", "[20, 30["]})
    answer = query(tmp_path, "SELECT SUM(age)")
    assert (answer.lower, answer.estimate, answer.upper) == (40, 49, 58)
    assert certain(answer) == (40, pytest.approx(60))
    assert not answer.certain


def test_dates_have_no_fractions(tmp_path: Path) -> None:
    write_folder(tmp_path, [column("day", "quasi", "date")], {"day": ["2020-03", "2020-03-31"]})
    answer = query(tmp_path, "SELECT COUNT(*) WHERE day <= '2020-03-31'")
    assert certain(answer) == (2, 2)
