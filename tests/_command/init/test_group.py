"""Columns by what becomes of them, as plan and screen list them."""

from __future__ import annotations

import polars as pl

import shoal
from shoal._command.demo import generate
from shoal._command.init import propose
from shoal._command.init.column import profile_column
from shoal._command.init.entry import Entry
from shoal._command.init.group import ColumnGroup, open_groups, titled
from shoal._command.init.nature import Nature
from shoal._command.init.profile import profile
from shoal.schema import Role


def test_every_column_is_in_the_group_of_its_role() -> None:
    found = shoal.init(generate(500, 1).with_columns(same=pl.lit("x")))
    groups = {entry.name: ColumnGroup.of(entry) for entry in found.entries}
    assert groups["name"] is ColumnGroup.IDENTIFIER
    assert groups["sex"] is ColumnGroup.QUASI
    assert groups["diagnosis"] is ColumnGroup.SENSITIVE
    assert groups["sensitivity"] is groups["postcode_secret"] is ColumnGroup.CONTROL
    assert groups["insurance"] is ColumnGroup.OPEN
    assert groups["same"] is ColumnGroup.LEFT_OUT


def test_what_others_know_best_comes_first_and_what_is_unclear_last() -> None:
    natures = (Nature.CODE, Nature.WEIGHT, Nature.HEALTH, Nature.HOUSING, Nature.ORIGIN)
    column = profile_column(pl.Series("x", [1, 2]))
    entries = [Entry(column, nature, Role.DROP, "", instead=Role.QUASI) for nature in natures]
    assert list(open_groups(entries)) == [
        "origin",
        "housing",
        "health",
        "survey weights",
        "codes or categories",
    ]


def test_the_title_tells_whom_they_single_out_and_what_is_lost() -> None:
    found = shoal.init(pl.DataFrame({"age": range(40)}))
    title = titled(ColumnGroup.QUASI, found)
    assert "It singles out 40 of 40 rows (100%)." in title
    assert "In a rehearsal, 1" in title


def test_a_decision_is_only_mentioned_where_there_is_one() -> None:
    frame = pl.DataFrame({"age": range(40), "site": ["a"] * 40, "ward": list("abcd") * 10})
    chosen = titled(ColumnGroup.LEFT_OUT, shoal.init(frame))
    assert chosen == "Left out because they say nothing."
    decided = titled(ColumnGroup.LEFT_OUT, propose(profile(frame), decided={"ward": Role.DROP}))
    assert decided == "Left out: by your decision, or because they say nothing."
