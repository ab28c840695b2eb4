"""Text files that are healthy are read as they are."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shoal.errors import DataError
from shoal.source import columns, read

ONE_FOLDER = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def table(folder: Path, content: bytes | str, name: str = "t.csv") -> pl.DataFrame:
    data = content.encode() if isinstance(content, str) else content
    (folder / name).write_bytes(data)
    return read(name, base=folder)


def test_nothing_is_inferred(tmp_path: Path) -> None:
    frame = table(tmp_path, "a,b,c,d\nNO,null,007,NA\ntrue,1e5,2020-01-01, x \n")
    assert set(frame.dtypes) == {pl.String}
    assert frame.rows() == [("NO", "null", "007", "NA"), ("true", "1e5", "2020-01-01", " x ")]


def test_empty_cells_are_null_quoted_or_not(tmp_path: Path) -> None:
    frame = table(tmp_path, 'a,b\n,""\n"",\n"x",y\n')
    assert frame.rows() == [(None, None), (None, None), ("x", "y")]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_bom_and_line_ends(tmp_path: Path, bom: bytes, end: bytes, final: bool) -> None:
    lines = [b'"a",b', '1,"ä'.encode() + end + b'y"', b"3,4"]
    frame = table(tmp_path, bom + end.join(lines) + (end if final else b""))
    assert frame.columns == ["a", "b"]
    assert frame.rows() == [("1", "ä" + end.decode() + "y"), ("3", "4")]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", ["t.csv", "t.txt", "T.CSV"])
def test_the_separator_is_seen_in_the_header(tmp_path: Path, separator: str, name: str) -> None:
    content = f'"a,;\t,;\tx"{separator}b{separator}c\n1{separator}2,5{separator}"3;4\t5"\n'
    if separator == ",":
        content = content.replace("2,5", "25")
    frame = table(tmp_path, content, name)
    assert frame.columns == ["a,;\t,;\tx", "b", "c"]
    assert frame.row(0)[2] == "3;4\t5"


def test_a_tsv_prefers_tabs(tmp_path: Path) -> None:
    assert table(tmp_path, "a,1,2\tb\nx\ty\n", "t.tsv").columns == ["a,1,2", "b"]


def test_blanks_around_names_go_and_values_stay(tmp_path: Path) -> None:
    frame = table(tmp_path, "age, work class ,pay\n39, State-gov, <=50K\n")
    assert frame.columns == ["age", "work class", "pay"]
    assert frame.rows() == [("39", " State-gov", " <=50K")]


def test_names_may_hold_anything(tmp_path: Path) -> None:
    frame = table(tmp_path, '"a ""q""","b\nc",ü,"x,y"\n1,2,3,4\n')
    assert frame.columns == ['a "q"', "b\nc", "ü", "x,y"]
    assert frame.rows() == [("1", "2", "3", "4")]


def test_very_long_cells(tmp_path: Path) -> None:
    long, quoted = "x" * 300_000, 'y,"\n' * 100_000
    escaped = quoted.replace('"', '""')
    frame = table(tmp_path, f'a,b\n{long},"{escaped}"\n1,2\n')
    assert frame.rows() == [(long, quoted), ("1", "2")]


def test_a_very_long_header(tmp_path: Path) -> None:
    names = [f"column {number} {'x' * 150}" for number in range(1000)]
    content = ",".join(names) + "\n" + ",".join("1" * 1000) + "\n"
    assert table(tmp_path, content).columns == names


def test_blank_lines_before_the_header_and_at_the_end_are_no_rows(tmp_path: Path) -> None:
    assert table(tmp_path, "\n\r\na,b\n1,2\n\n\r\n\n").rows() == [("1", "2")]


def test_in_a_single_column_a_blank_line_is_a_missing_value(tmp_path: Path) -> None:
    assert table(tmp_path, 'a\n1\n\n""\n2\n\n').to_series().to_list() == [
        "1",
        None,
        None,
        "2",
        None,
    ]


def test_rows_that_end_in_empty_cells_are_not_short(tmp_path: Path) -> None:
    assert table(tmp_path, 'a,b,c\n,,\n"x,y",,\n1,2,\n').rows() == [
        (None, None, None),
        ("x,y", None, None),
        ("1", "2", None),
    ]


@pytest.mark.parametrize("name", ["t.csv.gz", "t.gz", "t.tsv.gz"])
def test_gzip(tmp_path: Path, name: str) -> None:
    content = gzip.compress(b'a\tb\n1,5\t2\n3\t""\n')
    assert table(tmp_path, content, name).rows() == [("1,5", "2"), ("3", None)]
    assert columns(name, tmp_path) == ("a", "b")


def test_many_rows_with_line_ends_in_cells(tmp_path: Path) -> None:
    rows = [(f"{number}", f'"\n,{number}\r\n' if number % 3 else "") for number in range(60_000)]
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b"), *rows])
    frame = read(tmp_path / "t.csv")
    assert frame.rows() == [(a, b or None) for a, b in rows]


CELLS = st.text(st.sampled_from('a"é😀 ,;\t\n\r\\#\'\u2028\ufeff') | st.characters(
    exclude_categories=["Cs"], exclude_characters="\0"
), max_size=12)  # fmt: skip


@given(data=st.data(), width=st.integers(1, 4), end=st.sampled_from(["\n", "\r\n"]))
@ONE_FOLDER
def test_round_trip(data: st.DataObject, width: int, end: str, tmp_path: Path) -> None:
    separator = data.draw(st.sampled_from(",;\t" if width > 1 else ","))
    rows = data.draw(st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=8))
    quoting = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    if any("\r" in cell for row in rows for cell in row):
        quoting = csv.QUOTE_ALL  # else the csv module leaves a CR bare where lines end in LF
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, lineterminator=end, quoting=quoting)
    writer.writerows([[f"n{number}" for number in range(width)], *rows])
    assert table(tmp_path, text.getvalue()).rows() == [
        tuple(cell or None for cell in row) for row in rows
    ]


def naive(text: str) -> list[list[str]] | None:
    """Records of a csv text by the letter of RFC 4180, or None where it breaks the rules."""
    records: list[list[str]] = []
    record: list[str] = []
    cell, state = "", "start"
    for sign in text + ("" if text.endswith("\n") else "\n"):
        if state == "quoted":
            state, cell = ("closed", cell) if sign == '"' else ("quoted", cell + sign)
        elif sign == '"' and state in ("start", "closed"):
            state, cell = "quoted", cell + ('"' if state == "closed" else "")
        elif sign == "\n" and not record and state == "start":
            records.append([])
        elif sign in ",\n":
            record.append(cell)
            cell, state = "", "start"
            if sign == "\n":
                records.append(record)
                record = []
        elif state == "closed" or sign == '"':
            return None
        else:
            state, cell = "bare", cell + sign
    return None if state == "quoted" else records


def attempt(folder: Path, content: str) -> list[tuple[str | None, ...]] | None:
    try:
        return table(folder, content).rows()
    except DataError:
        return None


@given(
    body=st.text(st.sampled_from('ab,,"""\n\n'), max_size=24), end=st.sampled_from(["\n", "\r\n"])
)
@settings(ONE_FOLDER, max_examples=400)
def test_rows_are_those_of_an_obvious_parser_or_an_error(
    body: str, end: str, tmp_path: Path
) -> None:
    rows = attempt(tmp_path, f"x,y\n{body}".replace("\n", end))
    records = naive(body)
    while records and not records[-1]:
        records.pop()
    if records and all(len(record) == 2 for record in records):
        assert rows == [
            tuple(cell.replace("\n", end) or None for cell in record) for record in records
        ]
    else:
        assert rows is None


@pytest.mark.parametrize("content", ["0.5,1.5,a\n2,3,4\n", "x,y\nx,1\n2,y\n"])
def test_a_row_in_place_of_the_header_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match="must begin with a header, but 2 of"):
        table(tmp_path, content)


@pytest.mark.parametrize("content", ["0.5,a,b\n1,2,3\n", "x,y,z\nx,1,2\n", "x\nx\n"])
def test_a_name_that_looks_like_a_value_by_chance_is_a_name(tmp_path: Path, content: str) -> None:
    assert table(tmp_path, content).columns == content.split("\n", 1)[0].split(",")


def test_a_header_has_a_longest_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shoal.source.text._LONGEST_HEADER", 1 << 17)
    path = tmp_path / "a.csv"
    path.write_text("a" * 100_000 + "\n1\n")
    assert read(path).height == 1
    path.write_text("a" * 140_000 + "\n1\n")
    with pytest.raises(DataError, match="must have at most 131,072 bytes"):
        read(path)


@pytest.mark.parametrize("encoding", ["latin-1", "windows-1252", "utf-16", "utf-16-le", "cp437"])
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_a_declared_encoding_is_read(encoding: str, name: str, tmp_path: Path) -> None:
    data = "Größe;Stadt\n1,70;Köln\n".encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = read(tmp_path / name, encoding=encoding)
    assert found.rows(named=True) == [{"Größe": "1,70", "Stadt": "Köln"}]


def test_a_wrong_encoding_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes("a\nx\nKöln\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"must be ascii, as the plan says, .* offset 5 \(line 3\)"):
        read(tmp_path / "t.csv", encoding="ascii")


def test_files_with_an_encoding_of_their_own_take_no_other(tmp_path: Path) -> None:
    pl.DataFrame({"a": ["x"]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(DataError, match="'encoding' applies to text files"):
        read(tmp_path / "t.parquet", encoding="latin-1")
    assert read(pl.DataFrame({"a": ["x"]}), encoding="latin-1").height == 1
