"""Masks, dates and the flat hierarchy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.hierarchy import Hierarchy
from shoal.schema import Kind


@given(st.text(st.sampled_from("ab*é1"), max_size=5), st.integers(1, 7))
def test_a_mask_hides_one_more_character_at_each_level(text: str, n_hidden: int) -> None:
    (row,) = Hierarchy.mask(n_hidden).labels([text])
    assert len(row) == n_hidden + 1
    for level, label in enumerate(row):
        kept = max(0, len(text) - level)
        assert label == text[:kept] + "*" * (len(text) - kept)


def test_masks_of_one_length_meet_and_others_do_not() -> None:
    values = ["13053", "13068", "14850", "99"]
    tree = Hierarchy.mask(5).bind(values, Kind.CATEGORICAL)
    assert [values[place] for place in tree.order] == values
    assert tree.join.tolist() == [2, 4, 6]
    assert tree.cover([0, 0, 0], [1, 2, 3]).tolist()[2] == -1
    assert tree.labels[tree.cover(0, 2)] == "1****"


def test_dates() -> None:
    hierarchy = Hierarchy.dates(["day", "month", "quarter", "year", "decade"])
    assert hierarchy.labels(["2020-03-31", "1999-12-01"], Kind.DATE) == [
        ("2020-03-31", "2020-03", "2020-Q1", "2020", "2020-2029", "*"),
        ("1999-12-01", "1999-12", "1999-Q4", "1999", "1990-1999", "*"),
    ]
    assert hierarchy.height == 6
    assert Hierarchy.dates(["year"]).labels(["2020-03-31"]) == [("2020-03-31", "2020", "*")]


def test_dates_must_be_dates() -> None:
    bad = ["2020-02-30", "2020-2-3", "31.12.2020", "2020-01-01 10:00"]
    with pytest.raises(DataError, match="visit: 4 of 5 values are not dates"):
        Hierarchy.dates(["year"]).bind([*bad, "2020-01-01"], Kind.DATE, where="visit")


def test_flat() -> None:
    assert Hierarchy.flat().labels(["b", "a"]) == [("b", "*"), ("a", "*")]
    assert Hierarchy.flat().bind(["b", "a"], Kind.CATEGORICAL).order.tolist() == [1, 0]
    assert Hierarchy.flat().bind(["b", "a"], Kind.ORDINAL).order.tolist() == [0, 1]
