from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.reading.encoding import (
    check_pairs,
    combine_codes,
    count_runs,
    dense_codes,
    encode_rows,
    encode_text,
    find_starts,
    first_places,
    has_text_form,
    rank_numbers,
)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["b", "a", "b", None, ""]),
        pl.Series(["b", "a", "b", None], dtype=pl.Enum(["unused", "a", "b"])),
        pl.Series(["b", "a", "b"], dtype=pl.Categorical),
        pl.Series([3, -7, 3]),
        pl.Series([3, None, 3]),
        pl.Series([1.5, None]),
        pl.Series([True, False]),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([], dtype=pl.String),
    ],
)
def test_codes_read_back_as_text(column: pl.Series) -> None:
    coded = encode_text(column)
    texts = [*coded.texts, None]
    assert [texts[code] for code in coded.codes] == column.cast(pl.String).to_list()
    assert len(set(coded.texts)) == len(coded.texts)
    assert coded.n_codes == coded.null + 1 == len(texts)


@given(st.lists(st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62))))
def test_dense_codes_keep_the_order(keys: list[int]) -> None:
    codes, distinct = dense_codes(np.array(keys, dtype=np.int64))
    assert distinct.tolist() == sorted(set(keys))
    assert distinct[codes].tolist() == keys


@given(st.lists(st.one_of(st.integers(-9, 9).map(float), st.floats(allow_nan=False)), min_size=1))
def test_numbers_are_ranked(numbers: list[float]) -> None:
    codes, distinct = rank_numbers(np.array(numbers))
    assert distinct.tolist() == sorted({x + 0.0 for x in numbers})
    assert distinct[codes].tolist() == numbers


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1)), min_size=1))
def test_equal_rows_have_equal_codes(rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(part) for part in zip(*rows, strict=True)]
    for sizes in ((3, 4, 2), (2**31, 2**31, 2**31)):
        codes, n = combine_codes(list(zip(columns, sizes, strict=True)), len(rows))
        assert n == len(set(rows)) == len(set(codes.tolist()))
        assert len(set(zip(codes.tolist(), rows, strict=True))) == n


def test_no_columns_are_one_row() -> None:
    assert combine_codes([], 3)[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("far", [0, 1 << 25])
def test_every_distinct_pair_is_decided_once(far: int) -> None:
    seen: list[tuple[int, int]] = []

    def decide(left: Any, right: Any) -> Any:
        seen.extend(zip(left.tolist(), right.tolist(), strict=True))
        return left + far == right

    left, right = np.array([1, 0, 1, 2]), np.array([1, 0, 1, 1]) + far
    good = check_pairs(left, right, int(right.max()) + 1, decide)
    assert good.tolist() == [True, True, True, False]
    assert sorted(seen) == sorted(set(zip(left.tolist(), right.tolist(), strict=True)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1))
def test_runs_count_the_values_of_classes(rows: list[tuple[int, int]]) -> None:
    classes, _ = dense_codes(np.array([c for c, _ in rows]))
    values = np.array([v for _, v in rows], dtype=np.int32)
    runs = count_runs(classes, values, 5)
    found = zip(runs.classes.tolist(), runs.values.tolist(), runs.counts.tolist(), strict=True)
    pairs = list(zip(classes.tolist(), values.tolist(), strict=True))
    assert list(found) == [(*pair, pairs.count(pair)) for pair in sorted(set(pairs))]
    assert runs.lengths.sum() == len(runs.values)


def test_starts_of_nothing() -> None:
    assert find_starts(np.empty(0)).tolist() == []


@pytest.mark.parametrize(
    ("column", "can"),
    [
        (pl.Series([1]), True),
        (pl.Series([[1]]), False),
        (pl.Series([b"x"]), False),
        (pl.Series([timedelta(1)]), False),
        (pl.Series([time(1)]), True),
    ],
)
def test_lists_bytes_and_lengths_of_time_have_no_text_form(column: pl.Series, can: bool) -> None:
    assert has_text_form(column) is can


@pytest.mark.parametrize("n", [1, 300])
def test_the_first_row_of_every_code(n: int) -> None:
    codes = dense_codes(np.random.default_rng(n).integers(0, 40, n))[0]
    first = [codes.tolist().index(code) for code in range(int(codes.max()) + 1)]
    assert first_places(codes, len(first)).tolist() == first


def test_rows_are_coded_by_the_columns_that_are_named() -> None:
    frame = pl.DataFrame({"a": [1, 1, 2, 1], "b": ["x", None, "x", "x"], "c": [1, 2, 3, 4]})
    codes, n_codes = encode_rows(frame, ["a", "b"])
    assert n_codes == 3
    assert codes[0] == codes[3]
    assert len(set(codes.tolist())) == 3
    assert encode_rows(frame, [])[0].tolist() == [0] * 4
