"""What is counted of a table, and which kind and shape its columns have."""

from __future__ import annotations

import math
from datetime import date, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal._command.init import profile
from shoal._command.init.column import profile_column
from shoal.schema import Attribute, Kind, Role
from shoal.table import encode_column


def test_counts() -> None:
    column = profile_column(pl.Series("x", ["a", "b", "b", None, "c", "?"]))
    assert (column.n_rows, column.n_distinct, column.n_missing, column.n_unique) == (6, 4, 1, 3)
    assert column.n_markers == 1
    assert column.uniqueness == 0.5
    assert column.variety == 0.8


def test_numbers_are_seen_behind_markers() -> None:
    assert profile_column(pl.Series("x", ["1", "2", "?"])).numbers_but_markers
    assert not profile_column(pl.Series("x", ["1", "b", "?"])).numbers_but_markers
    assert not profile_column(pl.Series("x", ["1", "2"])).numbers_but_markers


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", None], Kind.NUMERIC),
        (["007", "1"], Kind.CATEGORICAL),
        (["1", "x"], Kind.CATEGORICAL),
        (["2020-01-31"], Kind.DATE),
        (["2020-02-30"], Kind.CATEGORICAL),
        ([date(2020, 1, 31)], Kind.DATE),
        ([datetime(2020, 1, 31, 12)], Kind.CATEGORICAL),
        ([True, False], Kind.CATEGORICAL),
        ([1, 2], Kind.NUMERIC),
        ([2**60, 1], Kind.CATEGORICAL),
        ([1.5, math.inf], Kind.CATEGORICAL),
        ([None, None], Kind.CATEGORICAL),
    ],
)
def test_kinds(cells: list[object], kind: Kind) -> None:
    found = profile(pl.DataFrame({"x": cells})).columns[0].kind
    assert found is kind


_CELLS = st.one_of(
    st.lists(st.one_of(st.none(), st.text(max_size=5)), min_size=1),
    st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=1),
    st.lists(st.one_of(st.none(), st.floats()), min_size=1),
    st.lists(st.one_of(st.none(), st.dates()), min_size=1),
    st.lists(st.from_regex(r"\A[-+]?\d{1,18}(\.\d{0,3})?(e\d{1,3})?\Z"), min_size=1),
    st.lists(st.from_regex(r"\A\d{4}-[01]\d-[0-3]\d\Z"), min_size=1),
)


@given(_CELLS)
def test_a_column_can_be_coded_under_the_kind_that_is_found(cells: list[object]) -> None:
    """And the run would guess the same kind, unless it would then refuse the column."""
    found = profile(pl.DataFrame({"x": pl.Series(cells, strict=False)}))
    kind = found.columns[0].kind
    column = encode_column(found.frame["x"], Attribute("x", Role.QUASI, kind))
    assert len(column.codes) == len(cells)
    if kind is not Kind.CATEGORICAL:
        assert encode_column(found.frame["x"], Attribute("x", Role.QUASI)).attribute.kind is kind


@given(st.lists(st.sampled_from([None, "a", "b", "c", "d"]), min_size=1))
def test_counts_are_those_of_a_slow_twin(cells: list[str | None]) -> None:
    column = profile_column(pl.Series("x", cells, dtype=pl.String))
    present = [cell for cell in cells if cell is not None]
    assert column.n_distinct == len(set(present))
    assert column.n_unique == sum(present.count(cell) == 1 for cell in set(present))
    assert column.n_missing == cells.count(None)
