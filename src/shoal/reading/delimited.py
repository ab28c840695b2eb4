"""Reading a written CSV file back, part by part and strictly.

The written form: UTF-8, commas, `\\n`, minimal quoting, null as the empty cell. A text cell that a
spreadsheet could take for a formula (it starts with = + - @, a tab or a carriage return, after any
number of apostrophes, and is not a number) carries one more apostrophe.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import read_numbers
from shoal.reading.encoding import Flags

# What is read at a time, so that memory does not grow with the file.
_BYTES = 1 << 22
_QUOTE = ord('"')
_MARK = b"\xef\xbb\xbf"
# How many blocks are read at once: the next while one is compared.
_AHEAD = 2
_ESCAPED = r"\A'+[=+\-@\t\r]"
_FORMULA = r"\A[=+\-@\t\r]"
_RISKY, _BEFORE_CELL = np.zeros((2, 256), dtype=np.bool_)
_SIGNS = b"=+-@\t\r"
_RISKY[list(_SIGNS)] = True
_BEFORE_CELL[list(b',\n"')] = True


@dataclass(frozen=True)
class FilePart:
    """Some rows of a file, un-escaped, and how many of their cells a spreadsheet would run."""

    frame: pl.DataFrame
    n_formulas: int


@dataclass(frozen=True)
class CsvFile:
    """A written table: its header, whether that is safe, and its rows in parts."""

    header: tuple[str, ...]
    n_formulas: int
    parts: Iterator[FilePart]


def open_csv(path: Path, n_bytes: int = _BYTES) -> CsvFile:
    """Open a written CSV file; raises VerificationError where it cannot be read as a table."""
    records = _read_records(path, n_bytes)
    try:
        first = next(records, b"")
    except OSError:
        raise _unreadable(path, "it is no file that can be opened") from None
    end = _first_end(first)
    raw = pl.Series(_parse_header(first[:end], path), dtype=pl.String)
    header = tuple(_unescape(raw))
    if len(set(header)) != len(header):
        raise _unreadable(path, "two columns of its header have the same name")
    blocks = chain([first[end:]] if first[end:] else [], records)
    parts = _ahead(lambda block: _read_part(block, header, path), blocks)
    return CsvFile(header, _count_formulas(raw), parts)


def _ahead(read: Callable[[bytes], FilePart], blocks: Iterable[bytes]) -> Iterator[FilePart]:
    """The parts in their order, some of them read before they are asked for."""
    with ThreadPoolExecutor(_AHEAD) as pool:
        waiting: deque[Future[FilePart]] = deque()
        for block in blocks:
            waiting.append(pool.submit(read, block))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _unreadable(path: Path, why: str) -> VerificationError:
    return VerificationError(Problem(f"The file cannot be read as a table: {why}.", path.name))


def _parse_header(record: bytes, path: Path) -> list[str]:
    try:
        rows = list(csv.reader(io.StringIO(record.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error):
        raise _unreadable(path, "its header is malformed") from None
    # The parser ends a record at a carriage return too, and what follows would not be looked at.
    if len(rows) > 1 or record.endswith(b"\r\n"):
        raise _unreadable(path, "its header has a stray line end")
    return rows[0] if rows else []


def _read_records(path: Path, n_bytes: int) -> Iterator[bytes]:
    """Blocks of whole records."""
    # What has been read of a record that goes on: a block is looked at by itself, so that a
    # record of many blocks is not searched again with each of them.
    pieces: list[bytes] = []
    inside = False
    with path.open("rb") as stream:
        while block := stream.read(n_bytes):
            end = _last_end(block, inside)
            if end:
                yield b"".join([*pieces, block[:end]])
                pieces, inside, block = [], False, block[end:]
            pieces.append(block)
            inside ^= _count_quotes(block) % 2 == 1
    rest = b"".join(pieces)
    if rest:
        yield rest


def _last_end(block: bytes, inside: bool) -> int:
    """Where the last whole record ends: after a newline with an even number of quotes before it.

    `inside` says whether the block begins inside of a quoted cell.
    """
    n_quotes, stop = _count_quotes(block) + inside, len(block)
    while (newline := block.rfind(b"\n", 0, stop)) >= 0:
        n_quotes -= block.count(b'"', newline, stop)
        if n_quotes % 2 == 0:
            return newline + 1
        stop = newline
    return 0


def _count_quotes(block: bytes) -> int:
    return int(np.count_nonzero(_quotes(block)))


def _quotes(block: bytes) -> Flags:
    """Which bytes are quotation marks: many cells have some, and `bytes.count` stops at each."""
    found: Flags = np.frombuffer(block, dtype=np.uint8) == _QUOTE
    return found


def _first_end(block: bytes) -> int:
    """Where the first record ends."""
    n_quotes, start = 0, 0
    while (newline := block.find(b"\n", start)) >= 0:
        n_quotes += block.count(b'"', start, newline)
        start = newline + 1
        if n_quotes % 2 == 0:
            return start
    return len(block)


def _read_part(block: bytes, header: tuple[str, ...], path: Path) -> FilePart:
    if not header:
        raise _unreadable(path, "it has rows but no columns")
    try:
        # Polars drops a byte order mark at the very start: its own, not that of a first cell.
        frame = pl.read_csv(
            io.BytesIO(_MARK + block), has_header=False, schema=dict.fromkeys(header, pl.String)
        )
    except pl.exceptions.PolarsError:
        raise _unreadable(path, "a row is malformed") from None
    quotes = _quotes(block)
    doubled = bool((quotes[1:] & quotes[:-1]).any())
    _account(block, frame, path, None if doubled else int(np.count_nonzero(quotes)))
    n_formulas = sum(_count_formulas(column) for column in frame) if _may_run(block) else 0
    if b"'" in block:
        frame = frame.select(_unescape(column) for column in frame)
    # A quoted cell that is empty is missing, too; without two marks in a row there is none.
    if doubled:
        frame = frame.with_columns(pl.all().replace({"": None}))
    return FilePart(frame, n_formulas)


def _may_run(block: bytes) -> bool:
    """Whether any cell could start like a formula; most files have none."""
    if not any(bytes([sign]) in block for sign in _SIGNS):
        return False
    signs = np.frombuffer(b"\n" + block, dtype=np.uint8)
    # A sign after a comma inside a cell is found as well: the cells then decide.
    found = np.flatnonzero(_RISKY[signs])
    return bool(_BEFORE_CELL[signs[found - 1]].any())


def _account(block: bytes, frame: pl.DataFrame, path: Path, n_quotes: int | None) -> None:
    """Every separator of the block separates cells of the table, or is inside of a cell.

    The lenient reader of polars fills up short rows and swallows carriage returns, which would hide
    a malformed file. Where no cell has a quotation mark, every byte belongs to a cell, or is a
    separator, a line end or one of the `n_quotes` quotation marks around cells, so that it is
    enough to add up lengths; else (None) the signs are counted one by one.
    """
    lines = frame.height - (not block.endswith(b"\n"))
    cells = sum(frame.select(pl.all().str.len_bytes().sum()).row(0))
    rest = len(block) - cells - frame.height * (frame.width - 1) - lines
    if rest == n_quotes:
        return
    for sign, expected in ((",", frame.height * (frame.width - 1)), ("\r", 0), ("\n", lines)):
        found = block.count(sign.encode())
        # Equal numbers prove nothing: a comma in a cell may stand in for a separator that is gone.
        inside = found and sum(
            int(column.str.count_matches(sign, literal=True).sum() or 0) for column in frame
        )
        if found != expected + inside:
            raise _unreadable(path, "a row has too few cells or a stray line end")


def _unescape(column: pl.Series) -> pl.Series:
    """Take one apostrophe from every escaped cell.

    >>> _unescape(pl.Series(["'=1", "''-x", "'s", "-1"])).to_list()
    ['=1', "'-x", "'s", '-1']
    """
    escaped = column.str.contains(_ESCAPED).fill_null(False)
    if not escaped.any():
        return column
    return column.str.slice(1).zip_with(escaped, column)


def _count_formulas(column: pl.Series) -> int:
    """How many cells are neither escaped nor numbers, so that a spreadsheet would run them."""
    risky = column.filter(column.str.contains(_FORMULA).fill_null(False))
    return int(np.count_nonzero(read_numbers(risky).unreadable)) if len(risky) else 0
