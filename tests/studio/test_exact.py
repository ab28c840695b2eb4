from __future__ import annotations

import polars as pl
import pytest

from shoal._command.query.grammar import QueryError, parse
from shoal.plan import parse_schema
from shoal.studio.exact import answer_exactly

TABLE = pl.DataFrame(
    {
        "who": ["a", "a", "b", "c"],
        "age": [30, 30, 41, None],
        "job": ["nurse", "cook", "cook", None],
        "day": ["2020-01-02", "2020-02-03", "2021-01-01", "2022-05-06"],
    }
)
SCHEMA = parse_schema({"age": "quasi", "job": "quasi", "day": "quasi"}, "who")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("SELECT COUNT(*)", 4),
        ("SELECT COUNT(*) WHERE age = 30", 2),
        ("SELECT COUNT(*) WHERE age != 30", 1),
        ("SELECT COUNT(*) WHERE age < 41", 2),
        ("SELECT COUNT(*) WHERE age >= 30 AND job = 'cook'", 2),
        ("SELECT COUNT(*) WHERE age BETWEEN 30 AND 41", 3),
        ("SELECT COUNT(*) WHERE job IN ('nurse', 'cook')", 3),
        ("SELECT COUNT(*) WHERE job IS MISSING", 1),
        ("SELECT COUNT(*) WHERE age IS NOT MISSING", 3),
        ("SELECT COUNT(*) WHERE day >= '2021-01-01'", 2),
        ("SELECT COUNT(DISTINCT Id_num) WHERE age = 30", 1),
        ("SELECT SUM(age)", 101),
        ("SELECT AVG(age) WHERE job = 'cook'", 35.5),
        ("SELECT AVG(age) WHERE age > 99", None),
    ],
)
def test_answers(text: str, number: float | None) -> None:
    assert answer_exactly(parse(text), TABLE, SCHEMA) == [(None, number)]


def test_groups() -> None:
    found = dict(answer_exactly(parse("SELECT COUNT(*) GROUP BY job"), TABLE, SCHEMA))
    assert found == {"nurse": 1, "cook": 2, None: 1}


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(QueryError, match="no column"):
        answer_exactly(parse("SELECT COUNT(*) WHERE height > 2"), TABLE, SCHEMA)
