"""What is wrong with a text file, and on which lines; a slow pass, taken only after a failure."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from shoal.errors import Problem

_LISTED = 5


def find(stream: IO[bytes], label: str, separator: str, width: int) -> list[Problem]:
    """Every fault of the file: its bytes first, and if they are text, its records."""
    problems = _bad_bytes(stream, label)
    if problems:
        return problems
    stream.seek(0)
    return _Records(label, separator, width).faults(stream) or [
        Problem(
            f"{label} cannot be split into cells.",
            hint="Quote every cell that holds a quotation mark, and write the mark twice.",
        )
    ]


def not_utf8(label: str, byte: int, line: int) -> Problem:
    """The file has bytes that are not UTF-8."""
    return Problem(
        f"{label} is not UTF-8: the first wrong byte is at offset {byte} (line {line}).",
        hint=conversion(label, "LATIN1"),
    )


def nul_bytes(label: str, byte: int, line: int) -> Problem:
    """The file has NUL bytes."""
    return Problem(
        f"{label} contains NUL bytes; the first is at offset {byte} (line {line}).",
        hint="It may be UTF-16 or not a text file at all; export it again as UTF-8.",
    )


def unclosed(label: str, line: int) -> Problem:
    """A quotation mark opens a cell and nothing closes it."""
    return Problem(
        f"{label} has a quotation mark that opens on line {line} and is never closed.",
        hint="Close it; inside a quoted cell a quotation mark is written twice.",
    )


def conversion(label: str, encoding: str) -> str:
    """How to turn the file into UTF-8."""
    return (
        f"Convert it: iconv -f {encoding} -t UTF-8 {label} > converted.csv (if it is {encoding})."
    )


def _bad_bytes(stream: IO[bytes], label: str) -> list[Problem]:
    problems: dict[str, Problem] = {}
    offset = 0
    for number, line in enumerate(stream, 1):
        if b"\0" in line and "nul" not in problems:
            problems["nul"] = nul_bytes(label, offset + line.index(b"\0"), number)
        if "utf8" not in problems and (wrong := _wrong_byte(line)) is not None:
            problems["utf8"] = not_utf8(label, offset + wrong, number)
        offset += len(line)
    return list(problems.values())


def _wrong_byte(line: bytes) -> int | None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return error.start
    return None


@dataclass(slots=True)
class _Records:
    """Reads record by record and notes the lines on which something is wrong."""

    label: str
    separator: str
    width: int
    ragged: list[tuple[int, int]] = field(default_factory=list)
    blank: list[int] = field(default_factory=list)
    spilled: list[int] = field(default_factory=list)
    stray: list[int] = field(default_factory=list)
    unclosed: int | None = None
    _lines_of_record: list[str] = field(default_factory=list)

    @property
    def _rule(self) -> re.Pattern[str]:
        """A record in which quotation marks stand only around cells, or doubled within."""
        cell = f'(?:"[^"]*(?:""[^"]*)*"|[^"{self.separator}\n]*)'
        return re.compile(f"{cell}(?:{self.separator}{cell})*\n?")

    def faults(self, stream: IO[bytes]) -> list[Problem]:
        former = csv.field_size_limit(sys.maxsize)
        try:
            self._read(stream)
        finally:
            csv.field_size_limit(former)
        return [*self._shape(), *self._quoting()]

    def _read(self, stream: IO[bytes]) -> None:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        reader = csv.reader(self._lines(text), delimiter=self.separator, strict=True)
        pending: list[int] = []  # blank lines at the end of the file are no fault
        headed = False
        while True:
            line = reader.line_num + 1
            self._lines_of_record.clear()
            try:
                record = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                self._note_quoting(str(error), line, reader.line_num)
                continue
            if not record:
                pending.append(line)
                continue
            if headed:
                self.blank += pending
                self._note(record, line)
            headed, pending = True, []
        text.detach()

    def _lines(self, text: io.TextIOWrapper) -> Iterator[str]:
        # polars takes a CR within a line as part of a cell; the csv module would not.
        for line in text:
            plain = line.replace("\r", "")
            self._lines_of_record.append(plain)
            yield plain

    def _note(self, record: list[str], line: int) -> None:
        if not self._rule.fullmatch("".join(self._lines_of_record)):
            self.stray.append(line)
        if len(record) != self.width:
            self.ragged.append((line, len(record)))

    def _note_quoting(self, message: str, first: int, last: int) -> None:
        if "end of data" in message:
            self.unclosed = first
        else:
            self.spilled.append(last)

    def _shape(self) -> Iterator[Problem]:
        if self.ragged:
            seen = [f"line {line} has {cells}" for line, cells in self.ragged]
            yield Problem(
                f"{self.label} has {_counted(self.ragged, 'row')} with too many or too few cells, "
                f"not {self.width} as the header: {_listed(seen)}.",
                hint="Quote cells that contain the separator, and write every cell, even if empty.",
            )
        if self.blank and self.width > 1:
            yield Problem(
                f"{self.label} has {_counted(self.blank, 'blank line')} between rows: "
                f"{_listed([f'line {line}' for line in self.blank])}.",
                hint="Remove them.",
            )

    def _quoting(self) -> Iterator[Problem]:
        if self.unclosed:
            yield unclosed(self.label, self.unclosed)
        if self.spilled:
            yield Problem(
                f"{self.label} has {_counted(self.spilled, 'cell')} with text after the closing "
                f"quotation mark: {_listed([f'line {line}' for line in self.spilled])}.",
                hint="Inside a quoted cell a quotation mark is written twice.",
            )
        if self.stray:
            yield Problem(
                f"{self.label} has {_counted(self.stray, 'row')} with a quotation mark inside an "
                f"unquoted cell: {_listed([f'line {line}' for line in self.stray])}.",
                hint="Quote such cells and write the mark inside twice.",
            )


def _counted(found: list[int] | list[tuple[int, int]], noun: str) -> str:
    return f"{len(found)} {noun}" if len(found) == 1 else f"{len(found)} {noun}s"


def _listed(phrases: list[str]) -> str:
    shown = ", ".join(phrases[:_LISTED])
    return shown if len(phrases) <= _LISTED else f"{shown}, …"
