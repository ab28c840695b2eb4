from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.group import GroupSizes
from tests.report.sample import by_hand

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 4)))


def sizes_of(table: pl.DataFrame, **roles: str) -> GroupSizes:
    return GroupSizes.of_table(table, by_hand(roles))


@given(ROWS)
def test_sizes_are_those_of_equal_descriptions(rows: list[tuple[str, str, int]]) -> None:
    schema = {"a": pl.String, "b": pl.String, "size": pl.Int64}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    found = sizes_of(table, a="quasi", b="quasi", size="insensitive")
    expected = Counter(Counter((a, b) for a, b, _ in rows).values())
    assert dict(zip(found.size.tolist(), found.n_groups.tolist(), strict=True)) == expected


@given(ROWS.filter(bool))
def test_people_are_counted_where_they_are_told_apart(rows: list[tuple[str, str, int]]) -> None:
    table = pl.DataFrame(rows, schema=["a", "b", "Id_num"], orient="row")
    found = sizes_of(table, Id_num="person", a="quasi", b="insensitive")
    people = {(a, person) for a, _, person in rows}
    expected = Counter(Counter(a for a, _ in people).values())
    assert dict(zip(found.size.tolist(), found.n_groups.tolist(), strict=True)) == expected


@given(st.dictionaries(st.integers(1, 100_000), st.integers(1, 50), min_size=1, max_size=60))
def test_bins_hold_every_group_once_and_are_few(sizes: dict[int, int]) -> None:
    size = np.array(sorted(sizes))
    groups = GroupSizes(size, np.array([sizes[s] for s in size.tolist()]))
    bins = groups.bins()
    assert sum(b.n_groups for b in bins) == groups.n_classes
    assert sum(b.n_people for b in bins) == groups.total
    assert len(bins) <= 24
    for low, high in pairwise(bins):
        assert low.high == high.low - 1


def test_published_range_columns_describe_too() -> None:
    table = pl.DataFrame({"age_low": [1, 1, 1], "age_high": [2, 2, 3]})
    assert sizes_of(table, age="quasi").size.tolist() == [1, 2]


def test_a_secret_cell_describes_by_being_secret() -> None:
    table = pl.DataFrame({"zip": [None, None, "1", "1"], "zip_BID": ["7", "8", None, None]})
    found = sizes_of(table, zip="semi-sensitive")
    assert (found.size.tolist(), found.n_groups.tolist()) == ([2], [2])
