"""Bounds and estimates: buckets, negative numbers, conditions on the number, ordinary releases."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal._command.query import Answer, QueryError, open_release, query
from shoal._command.query.answer import _count
from shoal._command.query.share import Shares
from shoal.errors import DataError
from tests._command.query.written import column, write_folder


def bounds(answer: Answer) -> tuple[float | None, float | None, float | None]:
    return answer.lower, answer.estimate, answer.upper


LGB = [
    column("sex", "quasi", "categorical"),
    column("age", "semi-sensitive", "numeric"),
    column("pay", "sensitive", "numeric"),
]


def two_buckets(folder: Path, **more: Any) -> Path:
    data = {
        "record": ["1", "2", "3", "4", "5"],
        "GID": ["1", "1", "2", "2", "2"],
        "sex": ["{F, M}", "{F, M}", "F", "F", "F"],
        "age": [None, None, "[30, 39]", "[30, 39]", "[30, 39]"],
        "age_BID": ["1", "1", None, None, None],
        "pay_BID": ["1", "1", "2", "2", "2"],
    }
    pay = [("1", "10"), ("1", "20"), ("2", "1"), ("2", "2"), ("2", "3")]
    return write_folder(folder, LGB, data, {"age": [("1", "25"), ("1", "35")], "pay": pay}, **more)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT COUNT(*)", (5, 5, 5)),
        ("SELECT SUM(pay)", (36, 36, 36)),
        ("SELECT AVG(pay)", (7.2, 7.2, 7.2)),
        ("SELECT SUM(pay) WHERE sex = 'F'", (16, 21, 26)),
        ("SELECT SUM(pay) WHERE sex = 'M'", (10, 15, 20)),
        ("SELECT COUNT(*) WHERE age >= 35", (2, 2.5, 3)),
        ("SELECT SUM(pay) WHERE age >= 35", (11, 18, 25)),
        ("SELECT AVG(pay) WHERE age >= 35", (11 / 3, 18 / 2.5, 25 / 2)),
        ("SELECT SUM(age)", (150, 163.5, 177)),
        ("SELECT AVG(age) WHERE sex = 'M'", (25, 30, 35)),
        ("SELECT AVG(pay) WHERE age > 100", (None, None, None)),
    ],
)
def test_buckets(tmp_path: Path, suffix: str, text: str, expected: Any) -> None:
    assert bounds(query(two_buckets(tmp_path, suffix=suffix), text)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("pay >= 2", (35, 35, 35)),
        ("pay IN (1, 20)", (21, 21, 21)),
        ("pay > 100", (0, 0, 0)),
        # Two rows over {10, 20} of which one half counts: one of the 20s, and no 10.
        ("pay >= 15 AND sex = 'F'", (0, 10, 20)),
        # Bucket 1 has no such value; of bucket 2, 3 * 0.6 * 2/3 = 1.2 rows over {1, 2}.
        ("pay < 3 AND age < 36", (1, 1.8, 3)),
    ],
)
def test_a_condition_on_the_number_itself(tmp_path: Path, where: str, expected: Any) -> None:
    answer = query(two_buckets(tmp_path), f"SELECT SUM(pay) WHERE {where}")
    assert bounds(answer) == pytest.approx(expected)


def test_a_condition_on_a_public_number_narrows_its_range(tmp_path: Path) -> None:
    answer = query(two_buckets(tmp_path), "SELECT SUM(age) WHERE age >= 37 AND sex = 'F'")
    # Three rows with 3/10 each over 37 … 39; no value of the bucket is wanted.
    assert bounds(answer) == pytest.approx((0, 0.9 * 38, 39))


def test_what_the_bounds_are_not(tmp_path: Path) -> None:
    data = {"sex": ["{F, M}"] * 2, "pay_BID": ["1"] * 2, "GID": ["1"] * 2}
    write_folder(tmp_path, [LGB[0], LGB[2]], data, {"pay": [("1", "10"), ("1", "20")]})
    answer = query(tmp_path, "SELECT SUM(pay) WHERE sex = 'F'")
    assert bounds(answer) == (10, 15, 20)
    assert (answer.certain, answer.surely, answer.maybe) == (False, 0, 2)


def test_certain_answers_say_so(tmp_path: Path) -> None:
    folder = two_buckets(tmp_path)
    for text, certain in (
        ("SELECT COUNT(*)", True),
        ("SELECT SUM(pay)", True),
        ("SELECT SUM(pay) WHERE pay > 10", True),
        ("SELECT SUM(age)", True),
        ("SELECT COUNT(*) WHERE age < 100", True),
        ("SELECT COUNT(*) WHERE age < 39", False),
        ("SELECT SUM(pay) WHERE sex = 'F'", False),
        ("SELECT SUM(pay) WHERE sex = 'X'", True),
    ):
        assert query(folder, text).certain is certain, text


numbers = st.integers(-9, 9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(numbers, st.sampled_from(["F", "M", "{F, M}"])), min_size=1, max_size=7))
def test_negative_numbers_by_trying_every_choice(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, str]]
) -> None:
    folder = tmp_path_factory.mktemp("release")
    n = len(rows)
    data = {"sex": [sex for _, sex in rows], "pay_BID": ["1"] * n, "GID": ["1"] * n}
    buckets = {"pay": [("1", str(pay)) for pay, _ in rows]}
    write_folder(folder, [LGB[0], LGB[2]], data, buckets)
    doubled = sum({"F": 2, "M": 0}.get(sex, 1) for _, sex in rows)
    sizes = range(doubled // 2, (doubled + 1) // 2 + 1)
    sums = [sum(some) for size in sizes for some in combinations([pay for pay, _ in rows], size)]
    answer = query(folder, "SELECT SUM(pay) WHERE sex = 'F'")
    assert (answer.lower, answer.upper) == (min(sums), max(sums))
    mean = query(folder, "SELECT AVG(pay) WHERE sex = 'F'")
    ratios = [
        sum(some) / size
        for size in sizes
        if size
        for some in combinations([pay for pay, _ in rows], size)
    ]
    if min(sizes):
        assert mean.lower is not None
        assert mean.upper is not None
        assert mean.lower <= min(ratios) + 1e-9
        assert mean.upper >= max(ratios) - 1e-9


def test_missing_numbers_are_in_no_sum(tmp_path: Path) -> None:
    data = {"pay_BID": ["1", "1", None], "GID": ["1"] * 3}
    write_folder(tmp_path, LGB[2:], data, {"pay": [("1", None), ("1", "8")]})
    assert bounds(query(tmp_path, "SELECT SUM(pay)")) == (8, 8, 8)
    assert bounds(query(tmp_path, "SELECT AVG(pay)")) == (8, 8, 8)
    assert bounds(query(tmp_path, "SELECT COUNT(*) WHERE pay IS MISSING")) == (2, 2, 2)
    assert bounds(query(tmp_path, "SELECT SUM(pay) WHERE pay IS MISSING")) == (0, 0, 0)


def test_withheld_numbers_reach_over_the_domain(tmp_path: Path) -> None:
    data = {"age": [None, "[20, 30]", None], "age_BID": [None, None, "1"], "GID": ["1", "2", "3"]}
    write_folder(tmp_path, LGB[1:2], data, {"age": [("1", "50")]})
    answer = query(tmp_path, "SELECT SUM(age)")
    assert bounds(answer) == (20 + 20 + 50, 35 + 25 + 50, 50 + 30 + 50)
    assert not answer.certain
    assert any("1 row shows nothing of 'age'" in note for note in answer.notes)
    plan = {"attributes": {"age": {"role": "quasi", "kind": "numeric", "domain": [0, 99]}},
            "privacy": [{"k-anonymity": {"k": 2}}]}  # fmt: skip
    assert bounds(query(tmp_path, "SELECT SUM(age)", plan)) == (70, 124.5, 179)


def test_nothing_to_sum(tmp_path: Path) -> None:
    write_folder(tmp_path, LGB[1:2], {"age": ["*", "*"]})
    with pytest.raises(DataError, match="A sum needs at least one number"):
        query(tmp_path, "SELECT SUM(age)")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_single_table_form(tmp_path: Path, suffix: str) -> None:
    data = {
        "sex": ["{F, M}", "{F, M}", "F"],
        "age": ["35", "25", "[30, 39]"],
        "age_BID": ["1", "1", None],
        "pay": ["10", "20", "7"],
        "pay_BID": ["1", "1", "2"],
    }
    write_folder(tmp_path, LGB, data, suffix=suffix)
    # The value beside a BID is some value of the bucket, not that row's.
    assert bounds(query(tmp_path, "SELECT COUNT(*) WHERE age = 35")) == pytest.approx((1, 1.1, 2))
    answer = query(tmp_path, "SELECT SUM(pay) WHERE sex = 'M'")
    assert bounds(answer) == (10, 15, 20)


def test_a_value_beside_a_bid_is_not_read_as_a_label(tmp_path: Path) -> None:
    data = {"job": ["{a, b}", "*"], "job_BID": ["1", "1"]}
    write_folder(tmp_path, [column("job", "semi-sensitive", "categorical")], data)
    assert bounds(query(tmp_path, "SELECT COUNT(*) WHERE job = '*'")) == (1, 1, 1)
    assert bounds(query(tmp_path, "SELECT COUNT(*) WHERE job IN ('a', 'b')")) == (0, 0, 0)


def test_an_attribute_may_be_called_like_a_bid(tmp_path: Path) -> None:
    columns = [column("x", "insensitive", "numeric"), column("x_BID", "insensitive", "numeric"),
               column("GID", "insensitive", "numeric")]  # fmt: skip
    write_folder(tmp_path, columns, {"x": ["1", "2"], "x_BID": ["5", "6"], "GID": ["7", "8"]})
    assert bounds(query(tmp_path, "SELECT SUM(x) WHERE x_BID = 6 AND GID > 7")) == (2, 2, 2)


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of mondrian: ranges, sets, and sensitive values as they were."""
    people = pl.DataFrame(
        {
            "age": [20, 22, 24, 40, 41, 49, 60, 61, 69],
            "sex": ["F", "F", "M", "F", "M", "M", "F", "F", "F"],
            "pay": [10, -20, 30, 40, 50, 60, 70, 80, 90],
            "job": ["a", "b", "b", "a", "a", "b", "a", "b", "a"],
        }
    )
    plan = {
        "attributes": {
            "age": {"role": "quasi", "kind": "numeric"},
            "sex": {"role": "quasi", "kind": "categorical"},
            "pay": {"role": "sensitive", "kind": "numeric"},
            "job": "insensitive",
        },
        "privacy": [{"k-anonymity": {"k": 3}}],
        "seed": 1,
    }
    folder = tmp_path_factory.mktemp("ordinary") / "release"
    shoal.run(plan, people).save(folder)
    return folder


def test_a_shown_value_is_exact(ordinary: Path) -> None:
    for text, expected in (
        ("SELECT SUM(pay)", 410),
        ("SELECT SUM(pay) WHERE pay < 0 AND job = 'b'", -20),
        ("SELECT COUNT(*) WHERE job = 'a' AND pay >= 40", 4),
        ("SELECT AVG(pay) WHERE job = 'a'", 260 / 5),
    ):
        answer = query(ordinary, text)
        assert bounds(answer) == pytest.approx((expected,) * 3)
        assert answer.certain


def test_a_class_is_a_crowd_where_there_are_no_buckets(tmp_path: Path) -> None:
    data = {
        "sex": ["{F, M}", "{F, M}", "{F, M}", "F"],
        "job": ["a", "b", "b", "b"],
        "pay": ["10", "-20", "30", "5"],
    }
    columns = [LGB[0], column("job", "insensitive", "categorical"), LGB[2]]
    write_folder(tmp_path, columns, data)
    # 3 * 1/2 rows of 10, -20 and 30; the row of 5 surely counts.
    answer = query(tmp_path, "SELECT SUM(pay) WHERE sex = 'F'")
    assert bounds(answer) == pytest.approx((5 - 20, 5 + 1.5 * 20 / 3, 5 + 40))
    assert not answer.certain
    narrow = query(tmp_path, "SELECT SUM(pay) WHERE sex = 'F' AND job = 'b'")
    assert bounds(narrow) == pytest.approx((5 - 20, 5 + 10 / 2, 5 + 30))
    assert bounds(query(tmp_path, "SELECT SUM(pay) WHERE job = 'b'")) == (15, 15, 15)


def test_every_problem_at_once(tmp_path: Path) -> None:
    folder = two_buckets(tmp_path)
    with pytest.raises(QueryError) as caught:
        query(folder, "SELECT SUM(Pay) WHERE agee > 3 AND sex = 'F' AND xyz = 1 AND agee < 9")
    assert [(p.text, p.hint) for p in caught.value.problems] == [
        ("The release has no attribute 'Pay'.", "Did you mean 'pay'?"),
        ("The release has no attribute 'agee'.", "Did you mean 'age'?"),
        ("The release has no attribute 'xyz'.", "It has 'sex', 'age', 'pay'."),
    ]
    with pytest.raises(QueryError) as caught:
        query(folder, "SELECT SUM(sex) WHERE sex > 'F' AND age = 'S3CRET' AND age BETWEEN 3 AND 2 "
                      "AND pay IN (1e400, 'x', 2)")  # fmt: skip
    texts = [problem.text for problem in caught.value.problems]
    assert texts == [
        "SUM needs numbers, but 'sex' is categorical.",
        "'sex' is categorical, so its values have no order.",
        "'age' holds numbers and cannot be compared with anything else.",
        "The ends of BETWEEN for 'age' are in the wrong order.",
        "'pay' holds numbers and cannot be compared with anything else.",
        "'pay' holds numbers and cannot be compared with anything else.",
    ]
    assert "S3CRET" not in str(caught.value)


def test_ordinals_without_a_plan(tmp_path: Path) -> None:
    write_folder(tmp_path, [column("x", "quasi", "ordinal")], {"x": ["low"]})
    with pytest.raises(QueryError, match="--plan PLAN"):
        query(tmp_path, "SELECT COUNT(*) WHERE x < 'high'")


@pytest.mark.parametrize("text", ["SELECT COUNT(*) WHERE d < 'yesterday'",
                                  "SELECT COUNT(*) WHERE d = '2020-02-30'",
                                  "SELECT COUNT(*) WHERE d > 5"])  # fmt: skip
def test_what_is_no_date(tmp_path: Path, text: str) -> None:
    write_folder(tmp_path, [column("d", "quasi", "date")], {"d": ["2020-01-01"]})
    with pytest.raises(QueryError, match="'d' holds dates"):
        query(tmp_path, text)


def test_a_very_long_name_is_cut(tmp_path: Path) -> None:
    with pytest.raises(QueryError) as caught:
        query(two_buckets(tmp_path), f"SELECT SUM({'a' * 50_000})")
    assert len(str(caught.value)) < 300


def test_huge_numbers(tmp_path: Path) -> None:
    write_folder(tmp_path, [column("x", "quasi", "numeric")], {"x": ["[-1e308, 1e308]", "1e300"]})
    answer = query(tmp_path, "SELECT COUNT(*) WHERE x < 5e307")
    assert bounds(answer) == pytest.approx((1, 1.75, 2))
    answer = query(tmp_path, "SELECT SUM(x)")
    assert answer.lower is not None
    assert answer.lower < 0


def test_sums_beyond_all_floats(tmp_path: Path) -> None:
    write_folder(tmp_path, [column("x", "insensitive", "numeric")], {"x": ["1.7e308"] * 3})
    assert query(tmp_path, "SELECT SUM(x)").upper == float("inf")


def test_no_rows(tmp_path: Path) -> None:
    write_folder(tmp_path, [*LGB[:1], column("x", "insensitive", "numeric")], {"sex": [], "x": []})
    assert bounds(query(tmp_path, "SELECT COUNT(*) WHERE sex = 'F'")) == (0, 0, 0)
    assert bounds(query(tmp_path, "SELECT SUM(x)")) == (0, 0, 0)
    assert bounds(query(tmp_path, "SELECT AVG(x)")) == (None, None, None)


def test_a_plan_of_another_release_is_told(tmp_path: Path) -> None:
    folder = two_buckets(tmp_path, plan="0" * 64, counts={"suppressed": 1200})
    plan = {"attributes": {"age": "quasi"}, "privacy": [{"k-anonymity": {"k": 2}}]}
    notes = query(folder, "SELECT COUNT(*)", plan).notes
    assert any("another plan" in note for note in notes)
    assert any(note.startswith("1,200 rows of the original were suppressed") for note in notes)
    assert not any("another plan" in note for note in query(folder, "SELECT COUNT(*)").notes)


def test_the_plan_of_a_release_is_recognised(tmp_path: Path) -> None:
    """Its digest is salted, so the method, the requirements and the roles are compared."""
    frame = pl.DataFrame({"age": [1, 2, 3, 4], "ill": list("abab")})
    plan = {"attributes": {"age": "quasi", "ill": "sensitive"}, "seed": 1,
            "privacy": [{"k-anonymity": {"k": 2}}]}  # fmt: skip
    shoal.run(plan, frame, output=tmp_path / "release")

    def notes(**more: Any) -> str:
        return " ".join(query(tmp_path / "release", "SELECT COUNT(*)", {**plan, **more}).notes)

    assert "another plan" not in notes()
    assert "another plan" in notes(privacy=[{"k-anonymity": {"k": 3}}])
    assert "another plan" in notes(method="k-member")
    assert "another plan" in notes(attributes={"age": "quasi", "ill": "insensitive"})


def test_opened_once_and_asked_often(tmp_path: Path) -> None:
    folder = two_buckets(tmp_path)
    release = open_release(folder)
    for text in ("SELECT SUM(pay) WHERE sex = 'F'", "SELECT SUM(pay) WHERE sex = 'M'") * 2:
        assert release.query(text) == query(folder, text)


def grouped(answer: Answer) -> dict[str | None, float | None]:
    return {value: one.estimate for value, one in answer.groups}


def test_groups_are_the_answers_to_one_query_each(tmp_path: Path) -> None:
    release = open_release(two_buckets(tmp_path / "r"))
    answer = release.query("SELECT SUM(pay) WHERE age >= 30 GROUP BY sex")
    for value in ("F", "M"):
        alone = release.query(f"SELECT SUM(pay) WHERE age >= 30 AND sex = '{value}'")
        assert dict(answer.groups)[value] == alone
    assert bounds(answer) == bounds(release.query("SELECT SUM(pay) WHERE age >= 30"))
    assert [value for value, _ in answer.groups] == ["F", "M"]


def test_a_missing_value_is_a_group(tmp_path: Path) -> None:
    columns = [column("sex", "insensitive", "categorical")]
    folder = write_folder(tmp_path / "r", columns, {"sex": ["F", None, "F"], "x": ["1"] * 3})
    assert grouped(query(folder, "SELECT COUNT(*) GROUP BY sex")) == {"F": 2, None: 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("SELECT COUNT(*) GROUP BY age", "needs categories, but 'age' is numeric"),
        ("SELECT COUNT(*) GROUP BY job", "has no attribute 'job'"),
        ("SELECT COUNT(DISTINCT Id_num)", "each row is a person here"),
    ],
)
def test_what_cannot_be_grouped_or_counted(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match=said):
        query(two_buckets(tmp_path / "r"), text)


def test_a_person_counts_once_by_eq_19(tmp_path: Path) -> None:
    """p of the quasi-identifiers, for those who have a row that satisfies the rest."""
    columns = [
        {"name": "Id_num", "role": "person"},
        column("town", "quasi", "categorical"),
        column("ill", "sensitive", "categorical"),
    ]
    data = {
        "Id_num": ["1", "1", "2", "3", "3", "4"],
        "town": ["{a, b}"] * 3 + ["a"] * 3,
        "ill": ["flu", "flu", "pox", "flu", "pox", "flu"],
    }
    folder = write_folder(tmp_path / "r", columns, data)
    people = open_release(folder)
    assert people.query("SELECT COUNT(DISTINCT Id_num)").estimate == 4
    found = people.query("SELECT COUNT(DISTINCT Id_num) WHERE town = 'a' AND ill = 'flu'")
    assert bounds(found) == (2, 2.5, 3)
    assert (found.rows, found.surely, found.maybe, found.people) == (4, 2, 3, True)
    assert people.query("SELECT COUNT(*) WHERE town = 'a' AND ill = 'flu'").estimate == 3
    groups = people.query("SELECT COUNT(DISTINCT Id_num) GROUP BY ill")
    assert grouped(groups) == {"flu": 3, "pox": 2}


def test_an_estimate_lies_between_its_bounds_to_the_last_digit() -> None:
    beyond = 0
    for n in range(1, 12):
        shares = Shares.exact(np.full(10 * n, 1 / n))
        found = _count(shares)
        assert found.lower <= found.estimate <= found.upper
        beyond += shares.estimate.sum() != 10
        assert (found.lower, found.estimate, found.upper) == (10, pytest.approx(10), 10)
    # Some of these sums are not whole, though they are on paper.
    assert beyond
