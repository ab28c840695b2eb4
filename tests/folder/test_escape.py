"""CSV cells that no spreadsheet runs, and that read back."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.folder.escape import escape, escape_column, escape_table

texts = st.one_of(
    st.text(max_size=6),
    st.text("'=+-@\t\r1.e", max_size=5),
)


@pytest.mark.parametrize("text", ["-5", "+1.5", "-.5e3", "5", "a=b", "", "'", "''x", "[-5, 3]"])
def test_what_is_harmless_stays(text: str) -> None:
    assert escape(text) == text


@pytest.mark.parametrize("text", ["=1", "+a", "-a", "@a", "\ta", "\ra", "'=1", "--5", "-5-3", "-"])
def test_what_could_run_is_quoted(text: str) -> None:
    assert escape(text) == "'" + text


@given(st.lists(texts, max_size=8))
def test_escaping_is_reversible_and_the_same_for_every_type(cells: list[str]) -> None:
    escaped = [escape(cell) for cell in cells]
    assert len(set(escaped)) == len(set(cells))
    plain = pl.Series("x", cells, dtype=pl.String)
    assert escape_column(plain).to_list() == escaped
    coded = plain.cast(pl.Enum(list(dict.fromkeys(cells))))
    assert escape_column(coded).cast(pl.String).to_list() == escaped


def test_missing_and_numbers_stay_and_headers_are_escaped() -> None:
    table = pl.DataFrame({"=a": ["=1", None], "b": [-1, 2]})
    escaped = escape_table(table)
    assert escaped.columns == ["'=a", "b"]
    assert escaped.rows() == [("'=1", -1), (None, 2)]
