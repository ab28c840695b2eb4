from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.report.spread import bin_edges, spread_ranges, spread_values
from shoal.schema import Attribute, Kind, Role, Schema
from shoal.table import encode

AGE = Attribute("age", Role.QUASI, Kind.NUMERIC)
DAY = Attribute("day", Role.QUASI, Kind.DATE)


def spread(labels: list[str | None], numbers: list[float]) -> tuple[list[float], float]:
    """Over bins of one number each."""
    edges = np.arange(min(numbers), max(numbers) + 2)
    after, missing = spread_ranges(pl.DataFrame({"age": labels}), AGE, np.array(numbers), edges)
    return after.tolist(), missing


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["[1, 4]"], [0.25, 0.25, 0.25, 0.25]),
        (["[1, 3["], [0.5, 0.5, 0, 0]),
        (["2", "[3, 4]"], [0, 1, 0.5, 0.5]),
        (["<3"], [0.5, 0.5, 0, 0]),
        (["<=3"], [1 / 3, 1 / 3, 1 / 3, 0]),
        ([">=3", "*"], [0.25, 0.25, 0.75, 0.75]),
        ([">2"], [0, 0, 0.5, 0.5]),
    ],
)
def test_whole_numbers_share_a_range_evenly(labels: list[str], expected: list[float]) -> None:
    after, missing = spread(labels, [1, 2, 3, 4])
    assert after == pytest.approx(expected)
    assert missing == 0


def test_missing_stays_missing() -> None:
    assert spread([None, "1"], [1, 2]) == ([1.0, 0.0], 1.0)


def test_fractions_share_by_length() -> None:
    table = pl.DataFrame({"age": ["[0.5, 2.5]", "1.25"]})
    after, _ = spread_ranges(table, AGE, np.array([0.5, 1.25, 2.5]), np.array([0.0, 1.0, 2.0, 3.0]))
    assert after == pytest.approx([0.25, 1.5, 0.25])


def test_days_are_read_as_days() -> None:
    table = pl.DataFrame({"day": ["[1970-01-02, 1970-01-03]", "1970-01-04"]})
    after, _ = spread_ranges(table, DAY, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert after == pytest.approx([0.5, 0.5, 1.0])


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30))
def test_no_row_is_lost_or_made(numbers: list[int]) -> None:
    low, high = min(numbers), max(numbers)
    labels = [str(n) for n in numbers] + [f"[{low}, {high}]" if low < high else str(low), "*"]
    values = np.array(numbers, dtype=np.float64)
    edges = bin_edges(values, Kind.NUMERIC)
    assert edges[0] <= low
    assert high < edges[-1]
    assert len(edges) <= 25
    after, missing = spread_ranges(pl.DataFrame({"age": labels}), AGE, values, edges)
    assert after.sum() + missing == pytest.approx(len(labels))


def test_a_long_tail_is_one_bin() -> None:
    numbers = np.concatenate([np.arange(0.0, 1000.0), [1e6]])
    edges = bin_edges(numbers, Kind.NUMERIC)
    assert edges[1] - edges[0] <= 100
    assert edges[-1] > 1e6
    assert np.histogram(numbers, edges)[0].sum() == len(numbers)


def test_sets_nodes_and_stars_count_for_their_values() -> None:
    job = Attribute("job", Role.QUASI, Kind.CATEGORICAL)
    frame = pl.DataFrame({"job": ["baker", "clerk", "smith, retired", None]})
    domain = encode(frame, Schema((job,))).columns["job"].domain
    labels = ["baker", "{baker, clerk}", '{"", "smith, retired"}', "*"]
    after = spread_values(pl.DataFrame({"job": labels}), domain)
    by_value = dict(zip(domain.texts, after.tolist(), strict=True))
    assert by_value == {"baker": 1.75, "clerk": 0.75, "smith, retired": 0.75, None: 0.75}


def test_a_value_that_looks_like_a_set_is_a_value() -> None:
    job = Attribute("job", Role.QUASI, Kind.CATEGORICAL)
    frame = pl.DataFrame({"job": ["a", "b", "{a, b}"]})
    domain = encode(frame, Schema((job,))).columns["job"].domain
    after = spread_values(pl.DataFrame({"job": ["{a, b}", "{a, b}", "a"]}), domain)
    assert dict(zip(domain.texts, after.tolist(), strict=True)) == {"a": 1, "b": 0, "{a, b}": 2}
