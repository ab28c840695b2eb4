"""One column of a first plan: the kind that the plan declares, and what may be shown."""

from __future__ import annotations

import polars as pl

from shoal._command.init.column import profile_column
from shoal._command.init.entry import Entry
from shoal._command.init.hierarchy import HierarchyChoice
from shoal._command.init.nature import Nature
from shoal.schema import Kind, Role


def test_the_hierarchy_decides_the_kind() -> None:
    column = profile_column(pl.Series("sex", [1, 2, 1]))
    assert Entry(column, Nature.SEX, Role.SENSITIVE, "why").kind is Kind.NUMERIC
    choice = HierarchyChoice("", Kind.CATEGORICAL, "a note")
    coded = Entry(column, Nature.SEX, Role.QUASI, "why", choice)
    assert coded.kind is Kind.CATEGORICAL
    assert coded.told == "sex; why; a note"
    assert coded.as_data() == {
        "column": "sex",
        "is": "sex",
        "role": "quasi",
        "reason": "why",
        "or": None,
        "hierarchy": None,
        "kind": "categorical",
        "distinct": 2,
        "missing": 0,
        "unique_rows": 1,
        "unique_share": 0.333333,
    }


def test_what_is_left_open_keeps_the_role_that_it_may_have() -> None:
    column = profile_column(pl.Series("x", ["a", "b"]))
    secret = Entry(column, Nature.HEALTH, Role.SENSITIVE, "").left_open("too rare")
    assert (secret.role, secret.instead, secret.reason) == (Role.DROP, Role.SENSITIVE, "too rare")
    assert secret.is_open
    unclear = Entry(column, Nature.CODE, Role.DROP, "").left_open("")
    assert unclear.instead is Role.QUASI
