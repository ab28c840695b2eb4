"""Hierarchy files: rows of cells without a header, as ARX writes them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path

from shoal.errors import DataError, PlanError, Problem
from shoal.hierarchy.row import Row, conflicts, pad

_QUOTED = re.compile(r'(^|[;,])"(?:[^"]|"")*"', re.MULTILINE)
_NEEDS_QUOTES = re.compile(r'[;,"\r\n]|^\s|\s$|^$')


def read_rows(path: Path) -> tuple[Row, ...]:
    """The rows of a hierarchy file, padded, each once; every problem of the file is listed."""
    text = _read_text(path)
    lines, rows = _split(text, path.name)
    if not rows:
        raise DataError(Problem("The hierarchy file must have at least one row.", path.name))
    rows = pad(rows)
    problems = conflicts(rows, lines, path.name)
    if problems:
        raise DataError(problems)
    return tuple(dict.fromkeys(rows))


def write_rows(path: Path, rows: Iterable[Iterable[str | None]]) -> None:
    """Write rows in the standard form; cells that could be misread are quoted."""
    text = "".join(";".join(map(_cell, row)) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="")


def _cell(label: str | None) -> str:
    text = label or ""
    return '"' + text.replace('"', '""') + '"' if _NEEDS_QUOTES.search(text) else text


def _read_text(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise PlanError(f"The hierarchy file '{path.name}' does not exist.") from None
    except OSError as error:
        text = f"Cannot read the hierarchy file '{path.name}': {error.strerror}."
        raise PlanError(text) from None
    except ValueError:  # a null character, or half of a surrogate pair
        raise PlanError("The path of the hierarchy file is not valid.") from None
    try:
        # Spreadsheet programs begin UTF-8 with a mark, which is no part of the first leaf.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = Problem("The hierarchy file must be UTF-8, but it is not.", path.name, line=line)
        raise DataError(problem) from None


def _split(text: str, name: str) -> tuple[list[int], list[Row]]:
    """The line on which each row begins, and its cells, without blank rows."""
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator(text), quotechar='"', strict=True
    )
    lines: list[int] = []
    rows: list[Row] = []
    try:
        begins = 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                lines.append(begins)
                # A separator at the end of a row makes no cell.
                rows.append(tuple(cells[:-1] if len(cells) > 1 and not cells[-1] else cells))
            begins = reader.line_num + 1
    except csv.Error:
        problem = Problem(
            "Cannot read the row that ends here.",
            name,
            "Close every quote, and write a quote inside quotes twice.",
            reader.line_num,
        )
        raise DataError(problem) from None
    return lines, rows


def separator(text: str) -> str:
    """`;` if every row has one, else `,` if every row has one, else what more rows have.

    Separators inside quotes do not count.

    >>> separator('3;[1, 5[;*'), separator('3,"a;b",*'), separator("a;X\\nb, c")
    (';', ',', ';')
    """
    rows = [row for row in _QUOTED.sub(r"\1_", text).splitlines() if row.strip()]
    with_semicolon = sum(";" in row for row in rows)
    with_comma = sum("," in row for row in rows)
    if with_semicolon < len(rows) and with_comma > with_semicolon:
        return ","
    return ";"
