from __future__ import annotations

import json

import polars as pl

from shoal._command.init import profile, propose
from shoal.studio.column import ROWS_SHOWN, describe_table, draw
from tests.studio.sample import people


def test_a_table_in_numbers() -> None:
    table = people()
    found = describe_table(propose(profile(table)), table)
    assert json.loads(json.dumps(found))["rows"] == 240
    columns = {column["column"]: column for column in found["columns"]}
    assert columns["town"]["distinct"] == 4
    assert sum(n for _, n in columns["town"]["bars"]) == 240
    assert sum(n for _, n in columns["age"]["bars"]) == 240
    assert columns["name"]["uniqueness"] == 1
    assert columns["name"]["bars"] == []
    assert len(found["sample"]["rows"]) == ROWS_SHOWN


def test_a_picture_of_each_column_that_has_one() -> None:
    table = people()
    found = describe_table(propose(profile(table)), table)
    charts = {column["column"]: draw(column, 240) for column in found["columns"]}
    assert charts["name"] is None
    town = charts["town"]
    assert town is not None
    assert len(town.bars) == 4
    assert town.histogram is None
    assert max(length for _, _, length in town.bars) == 100
    age = charts["age"]
    assert age is not None
    assert age.histogram is not None
    assert "240" in age.histogram.summary


def test_bins_lie_between_round_numbers_and_dates_are_dates() -> None:
    days = pl.date_range(pl.date(1990, 1, 1), pl.date(2009, 12, 31), eager=True)
    table = pl.DataFrame({"born": days, "size": [i / 7 for i in range(len(days))]})
    found = describe_table(propose(profile(table)), table)
    bars = {column["column"]: column["bars"] for column in found["columns"]}
    assert all(1989 <= int(label) <= 2009 for label, _ in bars["born"])
    assert sum(n for _, n in bars["born"]) == len(days)
    assert [label for label, _ in bars["size"]][:3] == ["0", "50", "100"]


def test_fractions_have_bins_of_their_own() -> None:
    table = pl.DataFrame({"care": [i / 100 for i in range(101)]})
    found = describe_table(propose(profile(table)), table)
    assert len(found["columns"][0]["bars"]) > 10


def test_every_role_has_a_reason() -> None:
    table = people()
    found = describe_table(propose(profile(table)), table)
    told = {column["column"]: column["told"] for column in found["columns"]}
    assert told["age"] == "age, which others may know"
    assert all(len(text.split()) > 2 for text in told.values())


def test_many_values_are_summed_up() -> None:
    table = pl.DataFrame({"town": [f"t{i % 30:02d}" for i in range(900)]})
    found = describe_table(propose(profile(table)), table)
    assert found["columns"][0]["bars"][-1] == ("25 others", 750)


def test_one_value_has_a_picture() -> None:
    table = pl.DataFrame({"n": [3.0] * 9 + [float("nan")]})
    found = describe_table(propose(profile(table)), table)
    assert draw(found["columns"][0], 10) is not None
