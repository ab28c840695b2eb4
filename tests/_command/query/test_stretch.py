"""Every form of a published number or date, in a table of one or two rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from shoal._command.query import query
from tests._command.query.written import ask, column, plan_of, write_folder


@pytest.mark.parametrize(
    ("cells", "where", "share"),
    [
        (["30"], "x = 30", 1),
        (["30"], "x <> 30", 0),
        (["30"], "x = '30'", 1),
        (["[30, 39]"], "x >= 35", 0.5),
        (["[30, 39]"], "x > 35", 0.4),
        (["[30, 39]"], "x = 30", 0.1),
        (["[30, 39]"], "x = 30.5", 0),
        (["[30, 39]"], "x != 30", 0.9),
        (["[30, 39]"], "x IN (1, 30, 31, 31)", 0.2),
        (["[30, 39]"], "x BETWEEN 33 AND 34", 0.2),
        (["[30, 39]"], "x BETWEEN 33.5 AND 34.5", 0.1),
        (["[30, 39]"], "x >= 32 AND x < 37 AND x != 35", 0.4),
        (["[30, 39]"], "x > 35 AND x < 35", 0),
        (["[-2, 2]"], "x < 0", 0.4),
        (["[30, 39]", "0.5"], "x >= 32.25", 0.75),
        (["[30, 39]", "0.5"], "x = 33", 0),
        (["[30, 40[", "0.5"], "x < 35", 0.5),
        (["[30, 40["], "x >= 35", 0.5),
        (["[30, 40["], "x = 40", 0),
        (["<18", "8"], "x < 13", 0.5),
        (["<18", "8"], "x < 18", 1),
        (["<18", "20"], "x < 30", 1),
        (["<18", "20"], "x >= 18", 0),
        ([">=65", "74"], "x < 70", 0.5),
        (["*", "1", "[5, 10]"], "x <= 5", 0.5),
        (["*", "1", "[5, 10]"], "x IS NOT MISSING", 1),
        ([None, "1"], "x IS MISSING", 1),
        ([None, "1"], "x IS NOT NULL", 0),
        ([None, "1"], "x != 1", 0),
        (["[1, 2]", None], "x IS MISSING", 0),
    ],
)
def test_numbers(cells: list[str | None], where: str, share: float, tmp_path: Path) -> None:
    assert ask(tmp_path, cells, where).estimate == pytest.approx(share)


@pytest.mark.parametrize(
    ("cells", "where", "share"),
    [
        (["2020-03-09"], "x = '2020-03-09'", 1),
        (["[2020-03-01, 2020-03-10]"], "x <= '2020-03-04'", 0.4),
        (["[2020-03-01, 2020-03-10]"], "x > '2020-03-04'", 0.6),
        (["[2020-03-01, 2020-03-10]"], "x = '2020-03'", 1),
        (["[2020-02-28, 2020-03-02]"], "x < '2020-03'", 0.5),
        (["2020-02"], "x <= '2020-02-14' AND x != '2020-02-01'", 13 / 29),
        (["2020-Q1"], "x BETWEEN '2020-01-15' AND '2020-02-10'", 27 / 91),
        (["2020-2029"], "x = 2024", 366 / 3653),
        (["2020"], "x >= '2020-01-01 12:00'", 365 / 366),
        (["2020-03-09 13:00"], "x = '2020-03-09'", 1),
        (["2020-03-09 13:00"], "x < '2020-03-09 13:00'", 0),
        (["9999-12-31"], "x > '9999-12-30'", 1),
    ],
)
def test_dates(cells: list[str | None], where: str, share: float, tmp_path: Path) -> None:
    assert ask(tmp_path, cells, where, kind="date").estimate == pytest.approx(share)


def test_nodes_of_numbers(tmp_path: Path) -> None:
    tree = {"tree": {"young": ["10", "20"], "old": ["70", "80", "90"]}}
    cells: list[str | None] = ["old", "10", "90"]
    blind = ask(tmp_path, cells, "x >= 80", form="tree")
    assert (blind.lower, blind.upper) == (0, 1)
    assert any("do not explain" in note for note in blind.notes)
    told = ask(
        tmp_path, cells, "x >= 80", form="tree", plan=plan_of(kind="numeric", hierarchy=tree)
    )
    assert told.estimate == pytest.approx(2 / 3)
    assert not any("do not explain" in note for note in told.notes)


def test_a_tail_beyond_all_that_is_known_stays_open(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["<18", "20"], "x < 10")
    assert (answer.lower, answer.upper) == (0, 1)


def test_a_hidden_number_may_be_missing(tmp_path: Path) -> None:
    answer = ask(tmp_path, ["*", "1"], "x IS MISSING")
    assert (answer.lower, answer.estimate, answer.upper) == (0, 0, 1)


def test_ranges_in_two_columns(tmp_path: Path) -> None:
    data = {"x_low": ["30", "7", None], "x_high": ["39", "7", None], "id": ["0", "1", "2"]}
    columns = [column("x", "quasi", "numeric"), column("id", "insensitive", "categorical")]
    write_folder(tmp_path, columns, data)
    shares = [query(tmp_path, f"SELECT COUNT(*) WHERE id = '{i}' AND x >= 35").estimate
              for i in range(3)]  # fmt: skip
    assert shares == pytest.approx([0.5, 0, 5 / 33])


def test_ranges_in_two_columns_of_numbers(tmp_path: Path) -> None:
    data = {"x_low": [30.0, 7.0, None], "x_high": [39.0, 7.0, None]}
    write_folder(tmp_path, [column("x", "quasi", "numeric")], data, suffix="parquet")
    answer = query(tmp_path, "SELECT SUM(x)")
    assert (answer.lower, answer.estimate, answer.upper) == (44, 64.5, 85)
