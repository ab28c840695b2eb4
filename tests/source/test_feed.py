"""Rows that arrive as bytes, in pieces of any size."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.source.feed import Read, decode, decode_file

TABLE = pl.DataFrame(
    {
        "name": ["a", 'b "x"', "c,\nd", "é", None],
        "age": ["1", None, "007", "4.50", "5"],
        "note": ["x", "y", "", "z", "null"],
    }
)
SHOWN = TABLE.with_columns(note=pl.Series(["x", "y", None, "z", "null"]))


def in_pieces(data: bytes, size: int) -> Read:
    parts: Iterator[bytes] = iter([data[i : i + size] for i in range(0, len(data), size)])
    return lambda: next(parts, b"")


def read(data: bytes, size: int = 1 << 20) -> pl.DataFrame:
    return pl.concat(decode(in_pieces(data, size), "The stream", TABLE.columns))


def stream_of(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return sink.getvalue()


@given(size=st.integers(1, 80))
def test_every_format_in_pieces_of_any_size_gives_the_same_text(size: int) -> None:
    forms = [
        TABLE.write_csv().encode(),
        TABLE.write_csv(include_bom=True, line_terminator="\r\n").encode(),
        TABLE.write_ndjson().encode(),
        b"\xef\xbb\xbf" + TABLE.write_ndjson().encode(),
        stream_of(TABLE.to_arrow()),
    ]
    for data in forms:
        assert read(data, size).rows() == SHOWN.rows()


def test_numbers_of_json_and_arrow_are_text() -> None:
    assert read(b'{"age": 7, "name": true}\n{"age": 1.5}').rows() == [
        ("true", "7", None),
        (None, "1.5", None),
    ]
    table = pa.table({"age": [1, None], "born": pa.array([0, 1], pa.date32())})
    assert read(stream_of(table)).rows() == [("1", "1970-01-01"), (None, "1970-01-02")]


def test_keys_that_nobody_declared_are_columns() -> None:
    assert read(b'{"age": 1, "town": "x"}').columns == ["name", "age", "note", "town"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"age": 1}\n{"age": [1]}\n', "row 2 is not"),
        (b'{"age": 1}\n{"age": SECRET}\n', "row 2 is not"),
        (b'{"age": 1}\n["SECRET"]\n', "row 2 is not"),
        (b"name,age\nSECRET\n", "cells"),
        (b'name,age\n"SECRET,1\n', "quot"),
        (b"name,name\nSECRET,1\n", "same name"),
        (b"name,age\nSECRET,\xff\n", "UTF-8"),
        (stream_of(pa.table({"age": [1]}))[:-60], "breaks off"),
        (b"ARROW1\0\0SECRET", "Arrow stream"),
    ],
)
def test_what_is_wrong_is_said_without_a_cell(data: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read(data)
    assert "SECRET" not in str(caught.value)


def test_errors_count_from_the_first_row() -> None:
    lines = b'{"age": 1}\n' * 3 + b"nothing\n"
    with pytest.raises(DataError, match="row 4 is not"):
        read(lines, 11)
    with pytest.raises(DataError, match="after row 2"):
        read(b"name,age\n" + b"a,1\n" * 3 + b"b\n", 4)


def test_nothing_is_no_rows() -> None:
    assert list(decode(lambda: b"", "The stream", [])) == []
    assert list(decode(in_pieces(b"name,age\n", 3), "The stream", [])) == []


def test_a_file_may_be_of_either_arrow_form(tmp_path: Path) -> None:
    TABLE.write_ipc(tmp_path / "a.arrow")
    (tmp_path / "b.arrow").write_bytes(stream_of(TABLE.to_arrow()))
    for name in ("a.arrow", "b.arrow"):
        found = pl.concat(decode_file(tmp_path / name, f"'{name}'", TABLE.columns))
        assert found.rows() == SHOWN.rows()
    (tmp_path / "c.arrow").write_bytes(b"ARROW1 and nothing else")
    with pytest.raises(DataError, match="damaged"):
        list(decode_file(tmp_path / "c.arrow", "'c.arrow'", []))
