from __future__ import annotations

import json

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
    assert "60" in town.summary or "240" in town.summary
