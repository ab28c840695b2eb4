"""What is wrong with a text file, and on which lines: a slow pass, only after a failure."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterator, Sized
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
            hint="Quote every cell that contains a quotation mark, and write the mark twice.",
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
    """A quotation mark opens a cell but none closes it."""
    return Problem(
        f"{label} has a quotation mark that opens a cell on line {line} but is never closed.",
        hint="Close it; inside a quoted cell, write a quotation mark twice.",
    )


def conversion(label: str, encoding: str) -> str:
    """How to turn the file into UTF-8."""
    return (
        f"Name its encoding in the plan, as in 'encoding: {encoding}', or convert it: "
        f"iconv -f {encoding} -t UTF-8 {label} > converted.csv (if it is {encoding})."
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
        """A record with quotation marks only around cells, or doubled inside them."""
        cell = f'(?:"[^"]*(?:""[^"]*)*"|[^"{self.separator}\n]*)'
        return re.compile(f"{cell}(?:{self.separator}{cell})*\n?")

    def faults(self, stream: IO[bytes]) -> list[Problem]:
        # The limit is one for the whole process, so it is given back.
        former = csv.field_size_limit(sys.maxsize)
        try:
            self._read(stream)
        finally:
            csv.field_size_limit(former)
        return list(self._problems())

    def _read(self, stream: IO[bytes]) -> None:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="\n")
        reader = csv.reader(self._lines(text), delimiter=self.separator, strict=True)
        pending: list[int] = []  # blank lines at the end of the file are allowed
        headed = False
        while True:
            line = reader.line_num + 1
            self._lines_of_record.clear()
            try:
                record = next(reader)
            except StopIteration:
                break
            except csv.Error as error:
                if "end of data" in str(error):
                    self.unclosed = line
                else:
                    self.spilled.append(reader.line_num)
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
        # polars reads a CR within a line as part of a cell, but the csv module does not.
        for line in text:
            plain = line.replace("\r", "")
            self._lines_of_record.append(plain)
            yield plain

    def _note(self, record: list[str], line: int) -> None:
        if not self._rule.fullmatch("".join(self._lines_of_record)):
            self.stray.append(line)
        if len(record) != self.width:
            self.ragged.append((line, len(record)))

    def _problems(self) -> Iterator[Problem]:
        if self.ragged:
            lines = [f"line {line} has {cells}" for line, cells in self.ragged]
            fail = "does not" if len(lines) == 1 else "do not"
            yield Problem(
                f"{self.label} must have {self.width} cells in every row, as in the header, but "
                f"{_count(self.ragged, 'row')} {fail}: {_listed(lines)}.",
                hint="Quote cells that contain the separator, and write every cell, even if empty.",
            )
        if self.blank and self.width > 1:
            text = f"has {_count(self.blank, 'blank line')} between rows"
            yield self._at(self.blank, text, "Remove them.")
        if self.unclosed:
            yield unclosed(self.label, self.unclosed)
        if self.spilled:
            text = f"has {_count(self.spilled, 'cell')} with text after the closing quotation mark"
            hint = "Inside a quoted cell, write a quotation mark twice."
            yield self._at(self.spilled, text, hint)
        if self.stray:
            text = f"has {_count(self.stray, 'row')} with a quotation mark inside an unquoted cell"
            yield self._at(self.stray, text, "Quote such cells, and write the mark inside twice.")

    def _at(self, lines: list[int], text: str, hint: str) -> Problem:
        listed = _listed([f"line {line}" for line in lines])
        return Problem(f"{self.label} {text}: {listed}.", hint=hint)


def _count(found: Sized, noun: str) -> str:
    return f"{len(found)} {noun}{'' if len(found) == 1 else 's'}"


def _listed(phrases: list[str]) -> str:
    return ", ".join([*phrases[:_LISTED], *["…"][: len(phrases) > _LISTED]])
