"""One column of a first plan: the kind that the plan declares, and what may be shown."""

from __future__ import annotations

import polars as pl

from shoal._command.init.column import profile_column
from shoal._command.init.entry import Entry
from shoal._command.init.hierarchy import HierarchyChoice
from shoal.schema import Kind, Role


def test_the_hierarchy_decides_the_kind() -> None:
    column = profile_column(pl.Series("sex", [1, 2, 1]))
    assert Entry(column, Role.SENSITIVE, "why").kind is Kind.NUMERIC
    coded = Entry(column, Role.QUASI, "why", HierarchyChoice("flat", Kind.CATEGORICAL))
    assert coded.kind is Kind.CATEGORICAL
    assert coded.as_data() == {
        "column": "sex",
        "role": "quasi",
        "reason": "why",
        "hierarchy": "flat",
        "kind": "categorical",
        "distinct": 2,
        "missing": 0,
        "unique_rows": 1,
        "unique_share": 0.333333,
    }
