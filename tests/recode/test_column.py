"""Dictionary-coded columns of text."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from shoal.recode import text_column


@given(st.lists(st.sampled_from(["a", "b", None, "="]), min_size=1, max_size=4), st.data())
def test_text_columns_show_their_texts(texts: list[str | None], data: st.DataObject) -> None:
    codes = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=8))
    column = text_column("x", texts, np.array(codes, dtype=np.uint8))
    assert column.name == "x"
    assert column.cast(pl.String).to_list() == [texts[code] for code in codes]


def test_texts_that_are_all_missing_make_empty_cells() -> None:
    assert text_column("x", [None], np.zeros(2, dtype=np.int8)).to_list() == [None, None]


def test_more_texts_than_a_byte_counts() -> None:
    texts = [*map(str, range(256)), None]
    codes = np.array([0, 255, 256])
    assert text_column("x", texts, codes).cast(pl.String).to_list() == ["0", "255", None]
