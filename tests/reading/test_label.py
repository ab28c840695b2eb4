"""The grammar of labels, form by form."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.reading.cell import parse_time
from shoal.reading.encoding import encode_text
from shoal.reading.label import Sets, covers_masked, is_sorted, parse_set
from shoal.schema import Attribute, HierarchySpec, Kind, Role
from shoal.verify.text.cover import check_cover


def judge(
    label: str | None, value: object, kind: Kind, spec: HierarchySpec | None = None, **more: object
) -> str:
    """Whether a label covers, misses or is malformed."""
    attribute = Attribute("a", Role.QUASI, kind, hierarchy=spec, **more)  # type: ignore[arg-type]
    found = check_cover(
        encode_text(pl.Series([label], dtype=pl.String)),
        pl.Series([value]) if value is not None else pl.Series([None], dtype=pl.String),
        np.array([0]),
        attribute,
    )
    assert not (found.covered[0] and found.malformed[0])
    return "covers" if found.covered[0] else "malformed" if found.malformed[0] else "misses"


ROWS = (("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"))
FILE = HierarchySpec("file", rows=ROWS)
WITH_EMPTY = HierarchySpec("file", rows=(*ROWS, ("", "low", "*")))
CUTS = HierarchySpec("intervals", cuts=(10, 20, 40))
WIDTH = HierarchySpec("width", width=5, levels=3, origin=1)
TENTH = HierarchySpec("width", width=0.1, levels=3)
MASK = HierarchySpec("mask", mask=3)
DATES = HierarchySpec("dates", units=("day", "month", "year"))
FLAT = HierarchySpec("flat")
N, C, D = Kind.NUMERIC, Kind.CATEGORICAL, Kind.DATE


@pytest.mark.parametrize(
    ("label", "value", "kind", "spec", "answer"),
    [
        ("*", "3", N, None, "covers"),
        ("*", None, N, None, "covers"),
        (None, None, N, None, "covers"),
        (None, "3", N, None, "misses"),
        ("3", None, N, None, "misses"),
        ("3.0", "3", N, None, "covers"),
        ("1e1", "10", N, None, "covers"),
        ("3", " 3", N, None, "covers"),
        ("4", "3", N, None, "misses"),
        ("[3, 3]", "3", N, None, "covers"),
        ("[-3, -1]", "-3", N, None, "covers"),
        ("[3, 5[", "5", N, None, "misses"),
        ("[3, 5[", "4.999999999999999", N, None, "covers"),
        ("[3, 3[", "3", N, None, "malformed"),
        ("<5", "5", N, None, "misses"),
        ("<5", "-1e300", N, None, "covers"),
        ("<=5", "5", N, None, "covers"),
        (">5", "5", N, None, "misses"),
        (">=5", "5", N, None, "covers"),
        ("]3, 5]", "4", N, None, "malformed"),
        ("[3, 5)", "4", N, None, "malformed"),
        ("[3; 5]", "4", N, None, "malformed"),
        ("[3,  5]", "4", N, None, "malformed"),
        ("[3, 5] ", "4", N, None, "malformed"),
        ("[3, 5]\n", "4", N, None, "malformed"),
        ("[3, nan]", "4", N, None, "malformed"),
        ("nan", "4", N, None, "malformed"),
        ("1_0", "10", N, None, "malformed"),
        ("{3, 4}", "3", N, None, "malformed"),
        ("**", "3", N, None, "malformed"),
        ("<*", "3", N, None, "malformed"),
        ("", None, N, None, "malformed"),
        ("9007199254740993", 9007199254740993, N, None, "covers"),
        ("3", "x", N, None, "misses"),
        ("3", float("nan"), N, None, "misses"),
        ("[2020-01-01, 2020-01-31]", "2020-01-31", D, None, "covers"),
        ("[2020-01-01, 2020-01-31]", "2020-02-01", D, None, "misses"),
        ("[2020-01-01, 2020-01-31[", "2020-01-31", D, None, "misses"),
        ("[2020-01-01, 2020-01-31]", "2020-01-31 23:59:59.5", D, None, "covers"),
        ("[2020-01-31, 2020-01-01]", "2020-01-31", D, None, "malformed"),
        ("[2020-01-01, 2020-02-30]", "2020-01-31", D, None, "malformed"),
        ("2020-01-01", "2020-01-01", D, None, "covers"),
        ("2020-Q1", "2020-01-01", D, None, "malformed"),
        ("2020-01-01", None, D, None, "misses"),
        ("2020-03-05", "2020-03-05", D, DATES, "covers"),
        ("2020-03", "2020-03-31", D, DATES, "covers"),
        ("2020-03", "2020-04-01", D, DATES, "misses"),
        ("2020-Q1", "2020-03-31", D, DATES, "covers"),
        ("2020-Q1", "2020-04-01", D, DATES, "misses"),
        ("2020-Q4", "2020-12-31", D, DATES, "covers"),
        ("2020", "2020-12-31", D, DATES, "covers"),
        ("2020-2029", "2029-12-31", D, DATES, "covers"),
        ("2020-2029", "2030-01-01", D, DATES, "misses"),
        ("2021-2030", "2025-01-01", D, DATES, "malformed"),
        ("2020-Q5", "2020-12-31", D, DATES, "malformed"),
        ("2020-13", "2020-12-31", D, DATES, "malformed"),
        ("[2020-01-01, 2020-12-31]", "2020-03-05", D, DATES, "malformed"),
        ("a", "a", C, None, "covers"),
        ("b", "a", C, None, "misses"),
        ("[1, 2]", "[1, 2]", C, None, "covers"),
        ("[1, 2]", "1", C, None, "misses"),
        ("{a, b}", "a", C, None, "covers"),
        ("{a, b}", "{a, b}", C, None, "covers"),
        ("{b, a}", "{b, a}", C, None, "covers"),
        ("{b, a}", "a", C, None, "malformed"),
        ("{", "{", C, None, "covers"),
        ('{"*", a}', "*", C, None, "covers"),
        ("{*, a}", "*", C, None, "malformed"),
        ('{"a,b", c}', "a,b", C, None, "covers"),
        ('{"a", c}', "a", C, None, "malformed"),
        ('{"", a}', None, C, None, "covers"),
        ('{a, ""}', None, C, None, "covers"),
        ('{a, "", b}', None, C, None, "malformed"),
        ('{"a,b", }', "a,b", C, None, "malformed"),
        ('{"a,b"c, d}', "d", C, None, "malformed"),
        ("{}", "a", C, None, "malformed"),
        ("", "", C, None, "malformed"),
        (None, "", C, None, "covers"),
        ("10", 10, C, None, "covers"),
        ("10.0", 10, C, None, "misses"),
        ("low", "1", C, FILE, "covers"),
        ("low", "3", C, FILE, "misses"),
        ("1", "1", C, FILE, "covers"),
        ("2", "1", C, FILE, "misses"),
        ("*", "9", C, FILE, "covers"),
        ("9", "9", C, FILE, "malformed"),
        ("{1, 2}", "1", C, FILE, "malformed"),
        ("low", None, C, FILE, "misses"),
        (None, None, C, FILE, "covers"),
        ("low", None, C, WITH_EMPTY, "covers"),
        ("high", None, C, WITH_EMPTY, "misses"),
        ("low", "1.0", C, FILE, "misses"),
        ("low", "1.0", N, FILE, "covers"),
        ("1.00", "1.0", N, FILE, "covers"),
        ("high", 3, N, FILE, "covers"),
        ("2", "1.0", N, FILE, "misses"),
        ("[10, 20[", "10", N, CUTS, "covers"),
        ("[10, 20[", "20", N, CUTS, "misses"),
        ("[10, 40[", "20", N, CUTS, "malformed"),
        ("[10, 19[", "12", N, CUTS, "malformed"),
        ("[40, 50[", "41", N, CUTS, "malformed"),
        ("[10, 20]", "12", N, CUTS, "malformed"),
        ("<10", "9", N, CUTS, "covers"),
        ("<20", "9", N, CUTS, "malformed"),
        (">=40", "40", N, CUTS, "covers"),
        (">=20", "41", N, CUTS, "malformed"),
        ("<=10", "9", N, CUTS, "malformed"),
        ("12", "12", N, CUTS, "covers"),
        ("[6, 11[", "6", N, WIDTH, "covers"),
        ("[5, 10[", "6", N, WIDTH, "malformed"),
        ("[1, 21[", "6", N, WIDTH, "covers"),
        ("[6, 16[", "6", N, WIDTH, "malformed"),
        ("[1, 16[", "6", N, WIDTH, "malformed"),
        ("[-4, 1[", "-4", N, WIDTH, "covers"),
        ("[1, 3.5[", "2", N, WIDTH, "malformed"),
        ("[0.3, 0.4[", "0.35", N, TENTH, "covers"),
        ("[0.30000000000000004, 0.4[", "0.35", N, TENTH, "covers"),
        ("[0.35, 0.45[", "0.4", N, TENTH, "malformed"),
        ("12*", "123", C, MASK, "covers"),
        ("***", "123", C, MASK, "covers"),
        ("*", "123", C, MASK, "covers"),
        ("**", "123", C, MASK, "misses"),
        ("1*3", "123", C, MASK, "misses"),
        ("13*", "123", C, MASK, "misses"),
        ("123", "123", C, MASK, "covers"),
        ("12**", "123", C, MASK, "misses"),
        ("é*", "éa", C, MASK, "covers"),
        ("12*", None, C, MASK, "misses"),
        ("a", "a", C, FLAT, "covers"),
        ("{a, b}", "a", C, FLAT, "misses"),
        ("3.0", "3", N, FLAT, "covers"),
        ("[3, 4]", "3", N, FLAT, "malformed"),
    ],
)
def test_labels(
    label: str | None, value: object, kind: Kind, spec: HierarchySpec | None, answer: str
) -> None:
    assert judge(label, value, kind, spec) == answer


def test_ordinal_sets_follow_the_declared_order() -> None:
    values = ("low", "mid", "high")
    assert judge("{low, high}", "high", Kind.ORDINAL, values=values) == "covers"
    assert judge("{high, low}", "high", Kind.ORDINAL, values=values) == "malformed"
    assert judge("{low, other}", "low", Kind.ORDINAL, values=values) == "malformed"


def test_declared_missing_texts() -> None:
    assert judge(None, "?", C, missing=("?",)) == "covers"
    assert judge("?", "?", C, missing=("?",)) == "misses"
    assert judge('{"", a}', "?", C, missing=("?",)) == "covers"
    assert judge("{?, a}", "?", C, missing=("?",)) == "misses"
    assert judge("999", 999, N, missing=("999",)) == "misses"
    assert judge(None, 999, N, missing=("999",)) == "covers"


@given(st.lists(st.text(max_size=4), min_size=2, unique=True))
def test_every_set_reads_back(members: list[str]) -> None:
    members = sorted(members)
    quoted = [
        json.dumps(m, ensure_ascii=False)
        if m in ("", "*") or any(sign in m for sign in ',{}[]"')
        else m
        for m in members
    ]
    assert parse_set("{" + ", ".join(quoted) + "}") == tuple(members)
    assert is_sorted(tuple(members), None)


@given(st.lists(st.one_of(st.none(), st.text(alphabet='ab{}[]",* \\', max_size=9)), max_size=6))
def test_sets_are_those_that_the_parser_finds(labels: list[str | None]) -> None:
    labels = [*labels, "{a, b}", "{*, a}", '{"*", a}', "{a, a b}"]
    sets = Sets.read(pl.Series(labels, dtype=pl.String))
    parsed = [None if label is None else parse_set(label) for label in labels]
    assert sets.is_set.tolist() == [members is not None for members in parsed]
    found: list[list[str]] = [[] for _ in labels]
    for owner, code in zip(sets.owners, sets.codes, strict=True):
        found[owner].append(sets.members[code])
    assert [sorted(members) for members in found] == [sorted(m or ()) for m in parsed]
    assert sets.sizes.tolist() == [len(m or ()) for m in parsed]


def test_half_a_surrogate_pair_is_no_member() -> None:
    labels = ['{"x,\\ud800", y}', '{"x,\\ud83d\\ude00", y}']
    assert [parse_set(label) is None for label in labels] == [True, False]
    assert Sets.read(pl.Series(labels)).is_set.tolist() == [False, True]


def test_no_sets() -> None:
    for labels in ([], ["a", None, "{a}"]):
        sets = Sets.read(pl.Series(labels, dtype=pl.String))
        assert (len(sets.is_set), sets.members, sets.sizes.sum()) == (len(labels), (), 0)


@pytest.mark.parametrize(
    ("mask", "value", "covers"),
    [
        ("12*", "123", True),
        ("12*", "12*", True),
        ("12*", "12", False),
        ("12*", "1234", False),
        ("***", "123", True),
        ("1**", "213", False),
        ("123", "123", True),
        ("é*", "éa", True),
        ("*", "", False),
    ],
)
def test_masks(mask: str, value: str, covers: bool) -> None:
    assert covers_masked(mask, value) is covers


@given(st.text(alphabet='ab{}[]",* \\', max_size=12))
def test_no_text_breaks_the_set_parser(text: str) -> None:
    members = parse_set(text)
    assert members is None or len(members) > 1


@given(st.dates())
def test_a_day_is_within_its_month_quarter_year_and_decade(day) -> None:  # type: ignore[no-untyped-def]
    year = f"{day.year:04}"
    decade = day.year - day.year % 10
    low, high = parse_time(day.isoformat()) or (0, 0)
    coarser = [day.isoformat()[:7], f"{year}-Q{(day.month + 2) // 3}", year]
    if decade >= 10 and decade < 9990:
        coarser.append(f"{decade:04}-{decade + 9:04}")
    for text in coarser:
        span = parse_time(text, coarse=True)
        assert span is not None
        assert span[0] <= low <= high <= span[1]
