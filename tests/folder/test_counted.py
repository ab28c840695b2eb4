"""Counts of parts add up to those of the table, if classes are whole."""

from __future__ import annotations

import polars as pl

from shoal.folder.counted import Counted
from shoal.schema import Attribute, Individual, Role, Schema

SCHEMA = Schema(
    (
        Attribute("age", Role.QUASI),
        Attribute("ill", Role.SENSITIVE),
        Attribute("x", Role.INSENSITIVE),
    )
)


def _table() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "age": ["[1, 2]"] * 3 + ["3"] * 2 + [None] * 2,
            "ill": list("aab") + list("cd") + [None, "a"],
            "x": list("uuvwwzz"),
        }
    )


def _facts(counted: Counted) -> tuple[object, ...]:
    labels = {n: sorted(own.rows(), key=str) for n, own in counted.labels.items()}
    sizes = [found.tolist() for found in counted.crowds]
    return counted.n_rows, labels, sizes, counted.commonest, counted.n_classes, counted.alone


def test_a_table_is_counted() -> None:
    counted = Counted.of(_table(), SCHEMA)
    assert [found.tolist() for found in counted.crowds] == [[2, 3], [2, 1]]
    assert counted.commonest == 2 + 1 + 1
    assert counted.alone == 5
    assert sorted(counted.labels["age"].rows(), key=str) == [("3", 2), ("[1, 2]", 3), (None, 2)]


def test_whole_classes_add_up_in_any_order() -> None:
    table = _table()
    parts = [Counted.of(part, SCHEMA) for part in (table[:3], table[3:5], table[5:])]
    whole = _facts(Counted.of(table, SCHEMA))
    assert _facts(parts[0].merge(parts[1]).merge(parts[2])) == whole
    both = parts[2].merge(parts[1].merge(parts[0]))
    assert _facts(both) == whole
    assert both.are_whole


def test_a_class_in_two_parts_is_noticed() -> None:
    table = _table()
    assert not Counted.of(table[:2], SCHEMA).merge(Counted.of(table[2:], SCHEMA)).are_whole


def test_dictionaries_count_like_text() -> None:
    coded = _table().with_columns(pl.all().cast(pl.Categorical))
    assert _facts(Counted.of(coded, SCHEMA)) == _facts(Counted.of(_table(), SCHEMA))
    assert (Counted.of(coded, SCHEMA).vectors == Counted.of(_table(), SCHEMA).vectors).all()


def test_people_are_counted_by_class() -> None:
    schema = Schema((Attribute("who", Role.IDENTIFIER), *SCHEMA.attributes), Individual("who"))
    table = _table().with_columns(Id_num=pl.Series(list("1123344")))
    counted = Counted.of(table, schema)
    assert counted.crowds_of_people is not None
    assert sorted(counted.crowds_of_people.rows()) == [(2, 1, 1, 2), (3, 2, 2, 1)]
    assert counted.n_people == 4
    assert [found.tolist() for found in counted.group_sizes] == [[1, 2], [2, 1]]
    both = Counted.of(table[:3], schema).merge(Counted.of(table[3:], schema))
    assert both.crowds_of_people is not None
    assert sorted(both.crowds_of_people.rows()) == sorted(counted.crowds_of_people.rows())
