"""Text files that are broken: every fault has its message, and none shows a cell."""

from __future__ import annotations

import gzip
import traceback
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.source import columns, read

SECRET = "S3CRET"


def failure(folder: Path, content: bytes | str, name: str = "t.csv") -> str:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        read(name, base=folder)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    shown = "".join(traceback.format_exception(error)) + str(error) + repr(error)
    assert SECRET not in shown
    assert f"'{name}'" in str(error)
    return str(error)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "is empty"),
        ("\ufeff", "is empty"),
        ("\n\r\n\n", "is empty"),
        ("a,b\n", "has a header but no rows"),
        ("a,b", "has a header but no rows"),
        ("a,b\n\n\n", "has a header but no rows"),
        ("a\n", "has a header but no rows"),
        ("a,b,a,c,b,a\n1,2,3,4,5,6\n", "'a' (columns 1, 3, 6), 'b' (columns 2, 5)"),
        ("a, a \n1,2\n", "'a' (columns 1, 2)"),
        ("a,,b, \n1,2,3,4\n", "has no name for columns 2, 4"),
        ("a,b,\n1,2,\n", "has no name for column 3"),
        ('"a"x,b\n1,2\n', "header of 't.csv' has text after a closing quotation mark"),
        ('a,"b\nS3CRET,2\n', "opens a cell on line 1 but is never closed"),
    ],
)
def test_nothing_to_read_or_a_bad_header(tmp_path: Path, content: str, expected: str) -> None:
    assert expected in failure(tmp_path, content)


def test_all_problems_of_a_header_are_listed(tmp_path: Path) -> None:
    message = failure(tmp_path, "a,,a\n1,2,3\n")
    assert "same name" in message
    assert "no name for column 2" in message


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_ragged_rows(tmp_path: Path, end: str) -> None:
    lines = ["a,b,c", "1,2,3", "S3CRET,2", '1,"x', 'y",', "1,2,S3CRET,4", "1", "1,2,3"]
    message = failure(tmp_path, end.join(lines) + end)
    assert "must have 3 cells in every row, as in the header, but 3 rows do not" in message
    assert "line 3 has 2, line 6 has 4, line 7 has 1." in message


def test_short_rows_alone_are_found_among_empty_cells(tmp_path: Path) -> None:
    message = failure(tmp_path, 'a,b,c\n"S3CRET,,,",2,\n1,,\n1,2\n,,\n')
    assert "must have 3 cells in every row" in message
    assert "line 4 has 2" in message


@pytest.mark.parametrize("last", ["1,2,", "1", '"1","2",', "1,2,3,"])
def test_a_ragged_last_row_without_line_end(tmp_path: Path, last: str) -> None:
    assert "line 3 has" in failure(tmp_path, f"a,b\nS3CRET,2\n{last}")


def test_only_the_first_lines_are_listed(tmp_path: Path) -> None:
    message = failure(tmp_path, "a,b\n" + "S3CRET\n" * 2000)
    assert "2000 rows do not" in message
    assert "line 6 has 1, …" in message
    assert "line 7" not in message


def test_cells_too_many_in_a_single_column(tmp_path: Path) -> None:
    assert "line 3 has 2" in failure(tmp_path, "a\n1\nS3CRET,2\n")


def test_blank_lines_between_rows(tmp_path: Path) -> None:
    message = failure(tmp_path, "a,b\n\nS3CRET,2\n\n\n3,4\n\n\n")
    assert "3 blank lines between rows: line 2, line 4, line 5." in message


@pytest.mark.parametrize(
    ("content", "offset", "line"),
    [(b"caf\xe9,b\nS3CRET,2\n", 3, 1), (b"a,b\n1,2\nS3CRET \xe9,2\n", 15, 3)],
)
def test_latin1(tmp_path: Path, content: bytes, offset: int, line: int) -> None:
    message = failure(tmp_path, content)
    assert f"is not UTF-8: the first wrong byte is at offset {offset} (line {line})" in message
    assert "iconv -f LATIN1 -t UTF-8 't.csv'" in message


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf16(tmp_path: Path, encoding: str) -> None:
    message = failure(tmp_path, "a,b\nS3CRET,2\n".encode(encoding))
    assert "UTF-16" in message


@pytest.mark.parametrize("content", [b"a,b\nS3CRET\0,2\n", b"a,b\nx,S3CRET\n\0\n"])
def test_nul_bytes(tmp_path: Path, content: bytes) -> None:
    message = failure(tmp_path, content)
    assert "contains NUL bytes" in message
    assert f"offset {content.index(0)}" in message


def test_nul_bytes_and_bad_bytes_are_both_reported(tmp_path: Path) -> None:
    message = failure(tmp_path, b"a,b\nS3CRET\0,\xff\n")
    assert "NUL" in message
    assert "not UTF-8" in message


def test_lines_that_end_in_cr_alone(tmp_path: Path) -> None:
    assert "end in CR alone" in failure(tmp_path, "a,b\rS3CRET,2\r")


def test_unclosed_quote(tmp_path: Path) -> None:
    message = failure(tmp_path, 'a,b\n1,2\n3,"S3CRET\n5,6\n')
    assert "opens a cell on line 3 but is never closed" in message


def test_text_after_a_closing_quote(tmp_path: Path) -> None:
    message = failure(tmp_path, 'a,b\n1,2\n"S3CRET"x,6\n""y"",7\n')
    assert "2 cells with text after the closing quotation mark: line 3, line 4." in message


@pytest.mark.parametrize("cell", ['5" pipe', 'S3CRET "x" y', ' "S3CRET"'])
def test_a_quote_inside_an_unquoted_cell(tmp_path: Path, cell: str) -> None:
    message = failure(tmp_path, f"a,b\n1,2\n{cell},6\n")
    assert "1 row with a quotation mark inside an unquoted cell: line 3." in message


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.txt"])
@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"PAR1", "a Parquet file"),
        (b"PK\x03\x04", "a zip archive or an xlsx file"),
        (b"\x1f\x8b", "a gzip file"),
        (b"%PDF-1.7", "a PDF file"),
    ],
)
def test_a_file_that_is_no_text(tmp_path: Path, name: str, start: bytes, kind: str) -> None:
    message = failure(tmp_path, start + b"S3CRET" + bytes(range(256)), name)
    assert f"is not what its suffix {Path(name).suffix} says; it looks like {kind}" in message


def test_damaged_gzip(tmp_path: Path) -> None:
    packed = gzip.compress(b"a,b\n" + b"S3CRET,2\n" * 1000)
    assert "damaged" in failure(tmp_path, packed[:-20], "t.csv.gz")
    assert "damaged" in failure(tmp_path, b"a,b\nS3CRET,2\n", "t.csv.gz")
    with pytest.raises(DataError, match="damaged"):
        columns("t.csv.gz", tmp_path)


def test_faults_of_gzipped_files(tmp_path: Path) -> None:
    message = failure(tmp_path, gzip.compress(b"a,b\n1,2\nS3CRET\n"), "t.csv.gz")
    assert "line 3 has 1" in message


@given(
    pieces=st.lists(
        st.sampled_from([b"S3CRET", b",", b'"', b"\n", b"\r\n", b"\0", b"\xe9", b"\t", b";"]),
        max_size=20,
    )
)
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_message_shows_a_cell(pieces: list[bytes], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"".join(pieces))
    try:
        read(path)
    except DataError as error:
        shown = "".join(traceback.format_exception(error))
        caught = error
    else:
        return
    assert SECRET not in shown
    assert caught.__cause__ is None
    assert caught.__suppress_context__ or caught.__context__ is None


def test_one_ragged_row(tmp_path: Path) -> None:
    message = failure(tmp_path, "a,b,c\n1,2,3\n1,2\n")
    assert "but 1 row does not: line 3 has 2." in message
