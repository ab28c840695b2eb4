"""Text files: csv, tsv and txt, also gzipped; every column is text.

polars reads the rows. What it would silently accept is checked here: it renames doubled names,
fills short rows, keeps NUL bytes, replaces bad bytes in the header, and can lose cells where a
quotation mark is inside an unquoted cell. The header is therefore read by hand, and the
separators and quotation marks in the file are counted and compared with the frame. Only when
something is wrong is the file read again, slowly, to report what and where.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.errors import DataError, Problem
from shoal.source import fault
from shoal.source.frame import refuse_long, refuse_rowless
from shoal.source.location import Location, beginning
from shoal.source.name import check_names

_LOOK = 100_000  # rows to look at for a missing header
_FRACTION = re.compile(r"[+-]?\d*\.\d+")
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 20
_TAIL = 1 << 20
_LONGEST_HEADER = 1 << 24
_SEPARATORS = ",;\t"


@dataclass(frozen=True, slots=True)
class Header:
    """The first record of a file: its names, and where it is."""

    names: tuple[str, ...]
    separator: str
    blank_lines: int
    end: int


@dataclass(frozen=True, slots=True)
class ByteCounts:
    """Counts over the bytes of the rows, misplaced quotation marks included, and the last bytes."""

    separators: int
    quotes: int
    nuls: int
    misplaced: int
    tail: bytes

    @property
    def is_sound(self) -> bool:
        return not self.nuls and not self.misplaced and self.quotes % 2 == 0


def read(location: Location) -> pl.DataFrame:
    """All rows as text; an empty cell, quoted or not, is null."""
    return read_from(_origin(location), location)


def read_from(origin: Path | bytes, location: Location) -> pl.DataFrame:
    """The same of bytes that begin with a header: those of the file, or some of its records."""
    label = f"'{location.name}'"
    header, census = _looked_at(origin, location)
    frame = _parsed(origin, header) if census.is_sound else None
    if frame is not None:
        frame = _without_trailing_blanks(frame, census.tail)
        refuse_rowless(frame, label)
    if frame is None or _is_ragged(frame, header.separator, census):
        raise _faults(origin, label, header) from None
    refuse_long(frame, label)
    _refuse_headless(frame, label)
    return frame


def _looked_at(origin: Path | bytes, location: Location) -> tuple[Header, ByteCounts]:
    with _opened(origin) as stream:
        header = _header(stream, location)
        stream.seek(header.end)
        return header, _census(stream, header.separator.encode())


def batches(location: Location, n_rows: int) -> Iterator[pl.DataFrame]:
    """The rows of `read` in batches of about `n_rows`, without holding them all.

    What is wrong with the rows as a whole is found after the last of them.
    """
    label = f"'{location.name}'"
    header, census = _looked_at(location.path, location)
    seen, sound = _Seen(), census.is_sound
    try:
        for frame in _in_batches(location.path, header, census.tail, n_rows) if sound else ():
            if not seen.height:
                _refuse_headless(frame, label)
            refuse_long(frame, label)
            seen = seen.with_rows(frame, header.separator, bool(census.quotes))
            yield frame
    except _Refused:
        sound = False
    if sound and not seen.height:
        refuse_rowless(pl.DataFrame(), label)
    if not sound or seen.is_ragged(header.separator, census):
        raise _faults(location.path, label, header) from None


def _faults(origin: Path | bytes, label: str, header: Header) -> DataError:
    """All that is wrong with the rows, found slowly."""
    with _opened(origin) as stream:
        return DataError(fault.find(stream, label, header.separator, len(header.names)))


class _Refused(Exception):
    """polars cannot read the rows."""


def _in_batches(path: Path, header: Header, tail: bytes, n_rows: int) -> Iterator[pl.DataFrame]:
    """The rows as polars reads them, without blank lines at the end."""
    scan = pl.scan_csv(path, **_options(header))
    names, n_blanks = list(header.names), _n_blanks(tail, len(header.names))
    # Blank lines are dropped only at the end, and no batch is known to be the last.
    held: pl.DataFrame | None = None
    try:
        for frame in scan.collect_batches(chunk_size=n_rows):
            if frame.width != len(names):
                raise _Refused
            frame.columns = names
            frame = frame if held is None else pl.concat([held, frame])
            held = frame.tail(n_blanks)
            if frame.height > n_blanks:
                yield frame.head(frame.height - n_blanks)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise _Refused from None


def _refuse_headless(frame: pl.DataFrame, label: str) -> None:
    """Raise if the names look like a row: that person would be published in clear, as the header.

    A name may look like a fraction or equal a value of its column by chance, but not half of them.
    """
    top = frame.head(_LOOK)
    odd = [n for n in top.columns if _FRACTION.fullmatch(n) or bool((top[n] == n).any())]
    if len(odd) * 2 >= frame.width and len(odd) > 1:
        raise DataError(
            f"{label} must begin with a header, but {len(odd)} of {frame.width} column names look "
            "like values.",
            "Put a line with the column names first.",
        )


def header_length(data: bytes, location: Location) -> int | None:
    """How many bytes the header takes, with what is before it; None while more must come."""
    lead = len(_BOM) if data.startswith(_BOM) else 0
    start = len(data) - len(data[lead:].lstrip(b"\r\n"))
    if _record_end(data, start) is None and len(data) < _LONGEST_HEADER:
        return None
    return _header(io.BytesIO(data), location).end


def whole_records(data: bytes) -> int:
    """How many bytes the records take that are complete: up to the last line feed outside quotes.

    >>> whole_records(b'1,a\\n2,"b\\nc"\\n3,"d\\n')
    12
    """
    end = data.rfind(b"\n")
    while end >= 0 and data.count(b'"', 0, end) % 2:
        end = data.rfind(b"\n", 0, end)
    return end + 1


def columns(location: Location) -> tuple[str, ...]:
    """The names in the header."""
    if location.encoding or not location.is_packed:
        with _opened(_origin(location)) as stream:
            return _header(stream, location).names
    try:
        with gzip.open(location.path) as packed:
            return _header(cast(IO[bytes], packed), location).names
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass
    raise _damaged(location) from None


@contextmanager
def _opened(origin: Path | bytes) -> Iterator[IO[bytes]]:
    stream = io.BytesIO(origin) if isinstance(origin, bytes) else origin.open("rb")
    with stream:
        yield stream


def _origin(location: Location) -> Path | bytes:
    """Where the bytes of the file are, as UTF-8: the file itself, if nothing is to be done."""
    if location.encoding is None:
        return _unpacked(location) if location.is_packed else location.path
    data = _unpacked(location) if location.is_packed else location.path.read_bytes()
    try:
        return data.decode(location.encoding).encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place = f"the first wrong byte is at offset {error.start} (line {line})"
    except UnicodeError:
        place = "it cannot be decoded"
    raise DataError(
        f"'{location.name}' must be {location.encoding}, as the plan says, but {place}.",
        "Name the right encoding in the plan, or leave it out if it is UTF-8.",
    ) from None


def _unpacked(location: Location) -> bytes:
    try:
        return gzip.decompress(location.path.read_bytes())
    except (EOFError, gzip.BadGzipFile, zlib.error):
        pass
    raise _damaged(location) from None


def _damaged(location: Location) -> DataError:
    start = location.start()
    # A truncated gzip file looks like a gzip file: saying so would not help.
    return location.mistaken(b"" if start.startswith(b"\x1f\x8b") else start)


def _options(header: Header) -> dict[str, Any]:
    """How polars reads the rows below a header."""
    return {
        "separator": header.separator,
        "skip_lines": header.blank_lines,
        "infer_schema": False,
        "null_values": "",
        "glob": False,
    }


def _parsed(origin: Path | bytes, header: Header) -> pl.DataFrame | None:
    """The rows as polars reads them, or None where it refuses."""
    try:
        frame = pl.read_csv(origin, **_options(header))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return None
    if frame.width != len(header.names):
        return None
    frame.columns = list(header.names)
    return frame


def _is_ragged(frame: pl.DataFrame, separator: str, census: ByteCounts) -> bool:
    """Whether polars filled short rows with nulls, or cut the last one.

    It refuses long rows, except that it overlooks a separator too many at the very end. So there
    are too few separators outside cells exactly if a row is short, and that row lacks its last
    cell.
    """
    return _Seen().with_rows(frame, separator, bool(census.quotes)).is_ragged(separator, census)


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the rows that were read say of their shape."""

    height: int = 0
    width: int = 0
    short: int = 0
    inside: int = 0

    def with_rows(self, frame: pl.DataFrame, separator: str, quoted: bool) -> _Seen:
        inside = 0
        if quoted:
            count = pl.all().str.count_matches(separator, literal=True).cast(pl.Int64).sum()
            inside = frame.select(pl.sum_horizontal(count)).item()
        short = frame.to_series(-1).null_count()
        return _Seen(
            self.height + frame.height, frame.width, self.short + short, self.inside + inside
        )

    def is_ragged(self, separator: str, census: ByteCounts) -> bool:
        last = census.tail[-1:]
        if last == separator.encode() and _last_record(census.tail).count(last) != self.width - 1:
            return True
        if self.width == 1 or not self.short:
            return False
        return census.separators - self.inside != self.height * (self.width - 1)


def _last_record(tail: bytes) -> bytes:
    """The text outside quotes in the last record."""
    pieces: list[bytes] = []
    for piece in reversed(tail.split(b'"')[::-2]):
        pieces = [piece.rpartition(b"\n")[2]] if b"\n" in piece else [*pieces, piece]
    return b"".join(pieces)


def _without_trailing_blanks(frame: pl.DataFrame, tail: bytes) -> pl.DataFrame:
    """Blank lines at the end are not rows, unless there is one column: then they are values."""
    return frame.head(max(frame.height - _n_blanks(tail, frame.width), 0))


def _n_blanks(tail: bytes, width: int) -> int:
    content = tail.rstrip(b"\r\n")
    ends = tail.count(b"\n", len(content))
    blanks = max(ends - 1, 0) if content else ends
    return 0 if width == 1 else blanks


def _census(stream: IO[bytes], separator: bytes) -> ByteCounts:
    """Count from the position of the stream to its end.

    By RFC 4180 every other quotation mark opens a cell and is its first character, and the next
    one closes it and is its last; a doubled mark closes and opens in one place.
    """
    before, after = _allowed(separator + b'\n"'), _allowed(separator + b'\r\n"')
    separators = quotes = nuls = misplaced = 0
    tail, window = b"", b"\n"  # of a window all but the first and the last byte are counted
    for chunk in chain(iter(lambda: stream.read(_CHUNK), b""), [b"\n"]):
        codes = np.frombuffer(window + chunk, dtype=np.uint8)
        marks = np.flatnonzero(codes[1:-1] == ord('"')) + 1
        opening, closing = marks[quotes % 2 :: 2], marks[1 - quotes % 2 :: 2]
        misplaced += _count(~before[codes[opening - 1]]) + _count(~after[codes[closing + 1]])
        separators += _count(codes[1:-1] == ord(separator))
        nuls += _count(codes[1:-1] == 0)
        quotes += len(marks)
        window, tail = codes[-2:].tobytes(), (tail + chunk)[-_TAIL:]
    return ByteCounts(separators, quotes, nuls, misplaced, tail[:-1])


def _count(found: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(found))


def _allowed(characters: bytes) -> NDArray[np.bool_]:
    allowed = np.zeros(256, dtype=np.bool_)
    allowed[list(characters)] = True
    return allowed


def _header(stream: IO[bytes], location: Location) -> Header:
    """Read the first record that is not blank, from the beginning of the stream."""
    record, start, blank_lines = _first_record(stream, location)
    label = f"'{location.name}'"
    try:
        line = record.decode().removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        problem = fault.not_utf8(label, start + error.start, blank_lines + 1)
    else:
        if "\0" in line:
            problem = fault.nul_bytes(label, start + record.index(b"\0"), blank_lines + 1)
        elif "\r" in line and '"' not in line:
            problem = Problem(
                f"{label} must have lines that end in LF, but they end in CR alone (old Macs).",
                hint=f"Convert it: tr '\\r' '\\n' < {label} > converted{location.suffix}.",
            )
        else:
            separator = _separator(line, location.suffix)
            names = _names(line, separator, label)
            return Header(names, separator, blank_lines, start + len(record))
    raise DataError(problem) from None


def _first_record(stream: IO[bytes], location: Location) -> tuple[bytes, int, int]:
    """The record, the byte at which it starts, and the number of blank lines before it."""
    data = stream.read(1 << 16)
    if beginning(data) or data.startswith((b"\xff\xfe", b"\xfe\xff")):
        if beginning(data):
            raise location.mistaken(data)
        hint = fault.conversion(f"'{location.name}'", "UTF-16")
        raise DataError(f"'{location.name}' must be UTF-8, but is UTF-16.", hint)
    lead = len(_BOM) if data.startswith(_BOM) else 0
    while True:
        start = len(data) - len(data[lead:].lstrip(b"\r\n"))
        end = _record_end(data, start)
        more = stream.read(len(data)) if end is None and len(data) < _LONGEST_HEADER else b""
        if not more:
            break
        data += more
    if start == len(data):
        raise DataError(f"'{location.name}' is empty.", "Export it again, with a header and rows.")
    if end is None and data.count(b'"', start) % 2:
        raise DataError(fault.unclosed(f"'{location.name}'", data.count(b"\n", lead, start) + 1))
    if end is None and len(data) >= _LONGEST_HEADER:
        raise DataError(
            f"The header of '{location.name}' must have at most {_LONGEST_HEADER:,} bytes, but has "
            "more.",
            "Put a line with the column names first.",
        )
    return data[start:end], start, data.count(b"\n", lead, start)


def _record_end(data: bytes, start: int) -> int | None:
    """Just after the first line feed outside of quotes."""
    position, quotes = start, 0
    while (found := data.find(b"\n", position)) >= 0:
        quotes += data.count(b'"', position, found)
        position = found + 1
        if quotes % 2 == 0 and found >= start:
            return position
    return None


def _separator(line: str, suffix: str) -> str:
    """What separates the names: a tab in a tsv, else the most frequent candidate."""
    bare = "".join(line.split('"')[::2])
    if suffix.startswith(".tsv") and "\t" in bare:
        return "\t"
    return max(_SEPARATORS, key=bare.count)


def _names(line: str, separator: str, label: str) -> tuple[str, ...]:
    former = csv.field_size_limit(_LONGEST_HEADER)
    try:
        record = next(csv.reader(io.StringIO(line, newline=""), delimiter=separator, strict=True))
    except csv.Error:
        record = None
    finally:
        csv.field_size_limit(former)
    if record is None:
        raise DataError(
            f"The header of {label} has text after a closing quotation mark.",
            "Write a quotation mark inside a quoted name twice.",
        ) from None
    return check_names([entry.strip() for entry in record], label)
