"""The text of a query: what is understood, and what is said of the rest."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.query import QueryError, parse
from shoal._command.query.grammar import FUNCTIONS, LONGEST, Query, QueryCondition, Value


def test_everything_at_once() -> None:
    query = parse(
        '''select Avg ( "the ""pay""" ) where\tage<=-1.5E1 and "in" in ('a\'\'b', 2)
        AND d Between '2020-01-01' AND '2020-12-31' and größe.x IS not Null ;'''
    )
    assert (query.function, query.attribute) == ("AVG", 'the "pay"')
    assert [(c.attribute, c.operator) for c in query.conditions] == [
        ("age", "<="),
        ("in", "in"),
        ("d", "between"),
        ("größe.x", "present"),
    ]
    values = [[(v.text, v.number) for v in c.values] for c in query.conditions]
    assert values == [
        [("-1.5E1", -15.0)],
        [("a'b", None), ("2", 2.0)],
        [("2020-01-01", None), ("2020-12-31", None)],
        [],
    ]


def test_words_that_are_not_keywords_here_are_names() -> None:
    query = parse("SELECT SUM(sum) WHERE count = 1 AND missing IS MISSING")
    assert query.attribute == "sum"
    assert [c.attribute for c in query.conditions] == ["count", "missing"]


def test_tables_groups_and_people() -> None:
    query = parse('SELECT COUNT(DISTINCT Id_num) FROM "a table" WHERE a = 1 GROUP BY sex;')
    assert (query.people, query.group, query.group_position) == (True, "sex", 67)
    assert [c.attribute for c in query.conditions] == ["a"]
    assert parse("SELECT COUNT(*) FROM data") == parse("SELECT COUNT(*)")


def test_positions_count_from_one() -> None:
    assert parse("SELECT COUNT(*) WHERE a <> 'x'") == Query(
        "COUNT", None, (QueryCondition("a", "!=", (Value("x", None, 28),), 23),), 8
    )


@pytest.mark.parametrize(
    ("text", "position", "said"),
    [
        ("", 1, "Expected SELECT, but the query ends."),
        ("COUNT(*)", 1, "Expected SELECT, but there is another word."),
        ("SELECT", 7, "Expected SUM(…), COUNT(*) or AVG(…), but the query ends."),
        ("SELECT MAX(age)", 8, "Expected SUM(…), COUNT(*) or AVG(…)"),
        ("SELECT SUM age", 12, "Expected '(' after SUM"),
        ("SELECT SUM(*)", 12, "Expected the name of an attribute in SUM(…), but there is '*'."),
        ("SELECT COUNT(age)", 14, "Expected '*' in COUNT(*)"),
        ("SELECT SUM(age", 15, "Expected ')' to close SUM(…), but the query ends."),
        ("SELECT SUM(age) FROM", 21, "Expected the name of a table after FROM"),
        ("SELECT SUM(age) WHERE a = 1 FROM t", 29, "FROM comes before WHERE"),
        ("SELECT COUNT(DISTINCT name)", 23, "Expected Id_num after DISTINCT"),
        ("SELECT COUNT(*) GROUP sex", 23, "Expected BY after GROUP"),
        ("SELECT COUNT(*) GROUP BY", 25, "Expected the name of an attribute after GROUP BY"),
        ("SELECT COUNT(*) GROUP BY a WHERE b = 1", 28, "Expected the end of it"),
        ("SELECT COUNT(*) GROUP BY a, b", 27, "Expected the end of it"),
        ("SELECT COUNT(*) GROUP BY a ORDER BY a", 28, "Groups are in the order"),
        ("SELECT COUNT(*) WHERE", 22, "Expected the name of an attribute, but the query ends."),
        ("SELECT COUNT(*) WHERE ;", 23, "Expected the name of an attribute, but there is ';'."),
        ("SELECT COUNT(*) WHERE age", 26, "Expected one of = != < <= > >=, IN, BETWEEN or IS"),
        ("SELECT COUNT(*) WHERE age = ", 29, "a number or a 'text', but the query ends."),
        ("SELECT COUNT(*) WHERE age == 3", 28, "Expected a value after ="),
        ("SELECT COUNT(*) WHERE sex = F", 29, "Put a text in 'single' quotes."),
        ('SELECT COUNT(*) WHERE sex = "F"', 29, "Put a text in 'single' quotes."),
        ("SELECT COUNT(*) WHERE a=1 OR b=2", 27, "there is OR. Conditions are joined by AND"),
        ("SELECT COUNT(*) WHERE NOT a=1", 23, "there is NOT. Write != for another value"),
        ("SELECT COUNT(*) WHERE a LIKE 'x'", 25, "Values are compared whole"),
        ("SELECT COUNT(*) WHERE a NOT IN (1)", 25, "there is NOT."),
        ("SELECT COUNT(*) WHERE a IN ()", 29, "Expected a value in IN (…)"),
        ("SELECT COUNT(*) WHERE a IN (1,)", 31, "Expected a value after the comma"),
        ("SELECT COUNT(*) WHERE a IN (1 2)", 31, "Expected ')' or ',' in IN (…)"),
        ("SELECT COUNT(*) WHERE a BETWEEN 1, 2", 34, "Expected AND between the ends"),
        ("SELECT COUNT(*) WHERE a IS 3", 28, "Expected MISSING, but there is a number."),
        ("SELECT COUNT(*) WHERE a = 1 b = 2", 29, "Expected AND, GROUP BY or the end of the query"),
        ("SELECT COUNT(*); SELECT COUNT(*)", 18, "Expected WHERE, GROUP BY or the end"),
        ("SELECT COUNT(*);;", 17, "but there is ';'"),
        ("SELECT COUNT(*) WHERE a = 'x", 27, "A text begins here, but its quotation mark"),
        ('SELECT COUNT(*) WHERE "a = 1', 23, "A name begins here, but its quotation mark"),
        ('SELECT COUNT(*) WHERE "" = 1', 23, "Expected the name of an attribute"),
        ("SELECT COUNT(*) WHERE a = 1_000", 27, "This is not a number that can be read."),
        ("SELECT COUNT(*) WHERE a = 12abc", 27, "This is not a number that can be read."),
        ("SELECT COUNT(*) WHERE a = ٣", 27, "This is not a number that can be read."),
        ("SELECT COUNT(*) WHERE my-age = 1", 25, "in double quotes"),
        ("SELECT COUNT(*) WHERE a = (SELECT 1)", 27, "but there is '('."),
        ("SELECT COUNT(*) WHERE a = 1 -- x", 29, "This is not a number"),
        ("SELECT COUNT(*) WHERE a = 1 /* x */", 29, "This character has no meaning here."),
        ("SELECT COUNT(*)\x00", 16, "This character has no meaning here."),
    ],
)
def test_what_is_wrong_is_said_where(text: str, position: int, said: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    assert problem.where == f"character {position} of the query"
    assert said in f"{problem.text} {problem.hint}"


def test_no_value_is_repeated() -> None:
    for rest in ("= 1 'S3CRET'", "IS 'S3CRET'", "= S3CRET", "= 'S3CRET"):
        with pytest.raises(QueryError) as caught:
            parse(f"SELECT COUNT(*) WHERE a {rest}")
        assert "S3CRET" not in str(caught.value)


@pytest.mark.parametrize("text", [None, 3, b"SELECT COUNT(*)"])
def test_only_texts_are_read(text: Any) -> None:
    with pytest.raises(QueryError, match="must be a text"):
        parse(text)


def test_a_text_without_end_is_not_read() -> None:
    with pytest.raises(QueryError, match="at most 100,000"):
        parse("SELECT COUNT(*) WHERE a = '" + "x" * LONGEST)


@pytest.mark.parametrize("inside", ["'" * 99_001, "''" * 40_000, "(" * 99_000, "1," * 40_000])
def test_long_nonsense_is_refused_quickly(inside: str) -> None:
    with pytest.raises(QueryError):
        parse(f"SELECT COUNT(*) WHERE a IN ({inside}")


SIGNS = "SELECTsumcount avg(*)where and'\"=<>!,;.-+0123456789e\n\x00é日"


@given(st.text(SIGNS, max_size=60))
def test_whatever_is_written_is_read_or_refused(text: str) -> None:
    for whole in (text, f"SELECT COUNT(*) WHERE {text}"):
        with suppress(QueryError):
            assert parse(whole).function in FUNCTIONS


@pytest.mark.parametrize("name", ["capital-gain", "capital gain", "2nd-pay"])
def test_a_name_without_its_quotes(name: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(f"SELECT avg( {name}) WHERE age > 3")
    [problem] = caught.value.problems
    assert problem.text == f'The name {name} must be in double quotes: AVG("{name}").'
    assert problem.where == "character 13 of the query"
    for quote in '"`':
        query = parse(f"SELECT AVG({quote}{name}{quote}) WHERE {quote}{name}{quote} > 3")
        assert (query.attribute, query.conditions[0].attribute) == (name, name)
