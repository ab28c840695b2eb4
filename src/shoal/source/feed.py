"""Rows that arrive as bytes, one piece after the other: JSON lines, csv, or an Arrow stream.

All cells become text, as those of a csv file are, whatever the format says of them: what a column
is, the plan declares, since no piece knows the cells of the next one. Missing is null.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from shoal.errors import DataError, Problem
from shoal.source import text
from shoal.source.arrow import check_types, frame_of
from shoal.source.frame import normalise
from shoal.source.location import Location
from shoal.source.name import check_names

Read = Callable[[], bytes]

_STREAM = b"\xff\xff\xff\xff"
_FILE = b"ARROW1"
# Programs of Windows put it before their JSON, too.
_BOM = b"\xef\xbb\xbf"
_FEW = 5
_NESTED = (dict, list)


def decode(read: Read, label: str, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of what `read` returns until it returns nothing, as they arrive, in text.

    The format is known by the first bytes. `names` are the columns that a row in JSON has even if
    it does not mention them. Raises DataError, which names rows by their number in this feed.
    """
    first = _beginning(read)
    if not first:
        return
    again = _Joined(first, read)
    if first.startswith(_STREAM):
        yield from _arrow(again, label)
    elif first.startswith(_FILE):
        raise DataError(
            f"{label} must be an Arrow stream, but is an Arrow file, which can only be read from "
            "its end.",
            "Write it with an IPC stream writer, or put the file into a folder.",
        )
    elif (bare := first.removeprefix(_BOM)).lstrip().startswith(b"{"):
        yield from _json(_Joined(bare, read).next, label, names)
    else:
        yield from _csv(again.next, label)


def decode_file(path: Path, label: str, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The rows of a file that is complete; an Arrow file may be one of either form."""
    with path.open("rb") as stream:
        if stream.read(len(_FILE)) == _FILE:
            yield from _arrow_file(path, label)
            return
        stream.seek(0)
        yield from decode(lambda: stream.read(_BLOCK), label, names)


_BLOCK = 1 << 22


def _beginning(read: Read) -> bytes:
    """The first bytes, at least as many as the format is known by."""
    data = b""
    while len(data.lstrip()) < len(_FILE) and (more := read()):
        data += more
    return data


class _Joined(io.RawIOBase):
    """Bytes that were read already, and then what `read` returns, as a file for libraries."""

    def __init__(self, first: bytes, read: Read) -> None:
        super().__init__()
        self._rest, self._read = first, read

    def next(self) -> bytes:
        """The next bytes, however many."""
        rest, self._rest = self._rest, b""
        return rest or self._read()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = self._read()
        part = self._rest[: len(buffer)]
        buffer[: len(part)] = part
        self._rest = self._rest[len(part) :]
        return len(part)


def _csv(read: Read, label: str) -> Iterator[pl.DataFrame]:
    """Every piece is read with the header before it, as strictly as a file is."""
    location = Location(label.strip("'"), Path(label), ".csv", "text")
    data, header, ended = b"", b"", False
    n_rows = 0
    while not ended:
        more = read()
        data, ended = data + more, not more
        if not header:
            end = len(data) if ended else text.header_length(data, location)
            if end is None:
                continue
            header, data = data[:end], data[end:]
            header += b"" if header.endswith(b"\n") else b"\n"
        cut = len(data) if ended else text.whole_records(data)
        records, data = data[:cut], data[cut:]
        if records.strip(b"\r\n"):
            with _after(n_rows):
                frame = text.read_from(header + records, location)
            n_rows += frame.height
            yield frame


@contextmanager
def _after(n_rows: int) -> Iterator[None]:
    """Say after which row the lines are counted that an error names."""
    try:
        yield
    except DataError as error:
        if not n_rows:
            raise
        where = f"after row {n_rows:,}"
        raise DataError(
            Problem(p.text, p.where or where, p.hint, p.line) for p in error.problems
        ) from None


def _json(read: Read, label: str, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    data, ended, n_rows = b"", False, 0
    while not ended:
        more = read()
        data, ended = data + more, not more
        cut = len(data) if ended else data.rfind(b"\n") + 1
        lines, data = data[:cut], data[cut:]
        if lines.strip():
            frame = _of_lines(lines, label, names, n_rows)
            n_rows += frame.height
            yield frame


def _of_lines(lines: bytes, label: str, names: Sequence[str], n_rows: int) -> pl.DataFrame:
    """JSON lines as text; polars would pass over unknown keys, and show what is nested as text."""
    try:
        found = pl.read_ndjson(lines, infer_schema_length=None).schema
        if not any(dtype.is_nested() for dtype in found.values()):
            columns = list(dict.fromkeys([*names, *found]))
            wanted = dict.fromkeys(columns, pl.String)
            return normalise(pl.read_ndjson(lines, schema=wanted), label)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        pass
    raise DataError(_wrong_lines(lines, label, n_rows)) from None


def _wrong_lines(lines: bytes, label: str, n_rows: int) -> Problem:
    """What is wrong with which lines, without quoting one."""
    wrong = []
    for number, line in enumerate(filter(bytes.strip, lines.splitlines()), n_rows + 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            wrong.append(number)
            continue
        if not isinstance(row, dict) or any(isinstance(v, _NESTED) for v in row.values()):
            wrong.append(number)
    shown = ", ".join(f"{n:,}" for n in wrong[:_FEW]) + (", …" if len(wrong) > _FEW else "")
    rows = f"row{'s' * (len(wrong) > 1)} {shown}" if wrong else f"the rows after row {n_rows:,}"
    return Problem(
        f"{label} must have one JSON object of plain values in each line, but {rows} "
        f"{'are' if len(wrong) != 1 else 'is'} not.",
        hint="Unnest what is nested, and leave no line unfinished.",
    )


def _arrow(stream: io.RawIOBase, label: str) -> Iterator[pl.DataFrame]:
    import pyarrow as pa

    try:
        with pa.ipc.open_stream(io.BufferedReader(stream)) as reader:
            yield from _batches(reader, label)
    except (pa.ArrowException, ValueError):
        raise _broken(label) from None


def _arrow_file(path: Path, label: str) -> Iterator[pl.DataFrame]:
    import pyarrow as pa

    try:
        with pa.OSFile(str(path)) as file, pa.ipc.open_file(file) as reader:
            every = (reader.get_batch(i) for i in range(reader.num_record_batches))
            yield from _batches(every, label, reader.schema)
    except (pa.ArrowException, ValueError):
        raise _broken(label) from None


def _broken(label: str) -> DataError:
    return DataError(f"{label} is damaged, or breaks off within a batch.", "Send it again.")


def _batches(batches: Any, label: str, schema: Any = None) -> Iterator[pl.DataFrame]:
    import pyarrow as pa

    schema = batches.schema if schema is None else schema
    check_names(schema.names, label)
    check_types(schema, label)
    for batch in batches:
        if batch.num_rows:
            frame = normalise(frame_of(pa.Table.from_batches([batch])), label)
            yield frame.with_columns(pl.all().cast(pl.String))
