"""Which classes can be somebody with a value: the bits are what covering says."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from shoal.schema import HierarchySpec, Kind
from shoal.verify.text import accept
from shoal.verify.text.accept import WORD, bits_of_bounds, bits_of_labels
from tests.verify.small import labels, quasi, text


def accepted(bits: Any, n_people: int, n_places: int) -> list[list[bool]]:
    """Per input row the places that accept it; places that only fill up accept nobody."""
    words = bits.words_of(np.arange(n_people), slice(0, 1))
    found = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
    assert not found[:, n_places:].any()
    return found[:, :n_places].tolist()


def by_labels(shown: list[Any], cells: list[Any], attribute: Any) -> list[list[bool]]:
    places = np.resize(np.arange(len(shown)), WORD)
    valid = np.arange(WORD) < len(shown)
    bits = bits_of_labels(labels(shown), places, valid, text(cells), attribute)
    return accepted(bits, len(cells), len(shown))


def test_spans_at_their_ends() -> None:
    shown, cells = ["[1, 3]", "*", None, "4"], ["1", "3", "3.0000001", "0.9999999", "?", None, "x"]
    found = by_labels(shown, cells, quasi(Kind.NUMERIC, missing=("?",)))
    yes, no = [True, True, False, False], [False, True, False, False]
    absent = [False, True, True, False]
    assert found == [yes, yes, no, no, absent, absent, no]


@pytest.mark.parametrize("pairs", [1, 64, 1 << 21])
def test_names(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accept, "_PAIRS", pairs)
    cells = ["a", "b", "c", "?", "a", None]
    found = by_labels(["{a, b}", "*", None, "a"], cells, quasi(missing=("?",)))
    first, absent = [True, True, False, True], [False, True, True, False]
    assert found == [
        first, [True, True, False, False], [False, True, False, False], absent, first, absent,
    ]  # fmt: skip


def test_rows_of_a_hierarchy() -> None:
    tree = HierarchySpec("tree", rows=(("a", "low", "*"), ("b", "low", "*"), ("c", "high", "*")))
    found = by_labels(["low", "c"], ["a", "c"], quasi(Kind.CATEGORICAL, tree))
    assert found == [[True, False], [False, True]]


def test_bounds() -> None:
    low, high = (pl.Series([*ends, *[None] * (WORD - 3)]) for ends in ([1, None, 4], [3, None, 4]))
    valid = np.arange(WORD) < 3
    bits = bits_of_bounds(low, high, valid, text(["1", "3", "3.5", "4", None]), quasi(Kind.NUMERIC))
    assert accepted(bits, 5, 3) == [
        [True, True, False], [True, True, False], [False, True, False], [False, True, True],
        [False, True, False],
    ]  # fmt: skip


def test_what_has_no_number_is_in_no_span_around_zero() -> None:
    found = by_labels(["[-1, 1]"], ["0", "?", None, "x"], quasi(Kind.NUMERIC, missing=("?",)))
    assert found == [[True], [False], [False], [False]]


def test_bounds_are_as_precise_as_the_original() -> None:
    """As a double, the single float 0.1 is larger than 0.1."""
    ends, valid = pl.Series([0.1] * WORD), np.arange(WORD) < 1
    for dtype, fits in ((pl.Float32, True), (pl.Float64, False)):
        original = pl.Series([0.1, 0.2], dtype=pl.Float32).cast(dtype)
        bits = bits_of_bounds(ends, ends, valid, original, quasi(Kind.NUMERIC))
        assert accepted(bits, 2, 1) == [[fits], [False]]


def test_places_in_several_words() -> None:
    n = 2 * WORD
    shown = [*["a"] * WORD, "b", *["a"] * (WORD - 1)]
    bits = bits_of_labels(
        labels(shown), np.arange(n), np.ones(n, dtype=np.bool_), text("abc"), quasi()
    )
    full = 2**64 - 1
    assert bits.words_of(np.arange(3), slice(0, 2)).tolist() == [[full, full - 1], [0, 1], [0, 0]]
    assert bits.words_of(np.array([1]), slice(1, 2)).tolist() == [[1]]


def test_without_places_nobody_is_accepted() -> None:
    none = np.zeros(0, dtype=np.int64)
    bits = bits_of_labels(labels([]), none, none.astype(np.bool_), text("ab"), quasi())
    assert bits.words_of(np.array([0, 1]), slice(0, 0)).shape == (2, 0)


def test_values_are_looked_at_once() -> None:
    bits = bits_of_labels(
        labels(["a"]), np.zeros(WORD, dtype=np.int64), np.ones(WORD, dtype=np.bool_),
        text("aabc"), quasi(),
    )  # fmt: skip
    assert bits.rows_of(np.array([0, 1])).tolist() == [0, 0]
    assert (bits.n_known, bits.work) == (1, WORD)
    slots = bits.rows_of(np.array([1, 2, 3]))
    assert (slots[0], bits.n_known, bits.work) == (0, 3, 3 * WORD)
    assert bits.words_of(np.array([0, 3]), slice(0, 1)).tolist() == [[2**64 - 1], [0]]
