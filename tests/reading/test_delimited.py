"""A written CSV file is read strictly, in parts of any size."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from shoal.errors import VerificationError
from shoal.reading import delimited
from shoal.reading.delimited import open_csv


def read(path: Path, content: bytes, n_bytes: int = 1 << 22) -> pl.DataFrame:
    path.write_bytes(content)
    return pl.concat([part.frame for part in open_csv(path, n_bytes).parts])


@pytest.mark.parametrize(
    "rows",
    [b'"a\nb",1\n', b'"a""\n""b",1\n', b'",\n",""\n', b'"\n\n",1\nx,2\n', b"x,1"],
)
@pytest.mark.parametrize("n_bytes", [1, 2, 3, 7, 100])
def test_records_are_not_cut_inside_of_cells(tmp_path: Path, rows: bytes, n_bytes: int) -> None:
    whole = read(tmp_path / "a.csv", b"x,y\n" + rows)
    assert read(tmp_path / "a.csv", b"x,y\n" + rows, n_bytes).equals(whole)


def test_a_cell_that_never_ends_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One quotation mark makes a single record of all lines."""
    searched: list[int] = []
    quotes = delimited._quotes

    def count(block: bytes) -> object:
        searched.append(len(block))
        return quotes(block)

    monkeypatch.setattr(delimited, "_quotes", count)
    content = b'x\n"' + b"a\n" * 5000
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(VerificationError):
        list(open_csv(tmp_path / "a.csv", 10).parts)
    assert sum(searched) <= 4 * len(content)


@pytest.mark.parametrize("n_bytes", [1, 100])
@pytest.mark.parametrize("cell", ["\ufeffAnn", "\ufeff", "\ufeff\ufeff", '"\ufeff,"'])
def test_a_byte_order_mark_in_a_cell_is_a_part_of_it(
    tmp_path: Path, cell: str, n_bytes: int
) -> None:
    """Each block begins with such a cell, and so does each row."""
    for other in ("", ",1"):
        rows = f"x{other}\n" + f"{cell}{other}\n" * 3
        found = read(tmp_path / "a.csv", rows.encode(), n_bytes)
        assert found["x"].to_list() == [cell.strip('"')] * 3


@pytest.mark.parametrize(
    ("cell", "value", "n_formulas"),
    [
        ("'=1", "=1", 0),
        ("''=1", "'=1", 0),
        ("'s", "'s", 0),
        ("=1", "=1", 1),
        ("-1", "-1", 0),
        ("-x", "-x", 1),
        ("a=1", "a=1", 0),
        ('"@x"', "@x", 1),
        ('""', None, 0),
    ],
)
def test_formulas_are_unescaped_and_counted(
    tmp_path: Path, cell: str, value: str | None, n_formulas: int
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"x,y\n{cell},1\n")
    file = open_csv(path)
    (part,) = file.parts
    assert part.frame.row(0) == (value, "1")
    assert (part.n_formulas, file.n_formulas) == (n_formulas, 0)


def test_a_header_is_unescaped_and_judged_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("'=x,+y\n1,2\n")
    file = open_csv(tmp_path / "a.csv")
    assert (file.header, file.n_formulas) == (("=x", "+y"), 1)


def test_a_line_end_in_a_name_of_the_header_is_a_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b'"x\r","y\r\nz"\n1,2\n')
    assert open_csv(tmp_path / "a.csv").header == ("x\r", "y\r\nz")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"x,x\n1,2\n", "have the same name"),
        (b"'=x,=x\n1,2\n", "have the same name"),
        (b"\n1\n", "it has rows but no columns"),
        (b"x\rAnn has flu\n1\n", "its header has a stray line end"),
        (b"x,y\r\n1,2\n", "its header has a stray line end"),
        (b"x,y\n1,2\n1\n", "too few cells"),
        (b'x,y\n1,2\n"a,b"\n', "too few cells"),
        (b"x,y\n1,2\r\n", "a stray line end"),
        (b'x,y\n"1\n', "."),
        (b"x,y\n1,2,3\n", "a row is malformed"),
    ],
)
def test_what_is_no_table(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(VerificationError, match=f"cannot be read as a table: .*{why}"):
        read(tmp_path / "a.csv", content)
