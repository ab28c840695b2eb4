"""Where a source is: paths, globs of parts, and the format by suffix."""

from __future__ import annotations

import difflib
import glob
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from shoal.errors import DataError, Problem

Format = Literal["text", "parquet", "arrow", "xlsx", "stat", "r"]

FORMATS: dict[str, Format] = {
    ".csv": "text",
    ".tsv": "text",
    ".txt": "text",
    ".csv.gz": "text",
    ".tsv.gz": "text",
    ".txt.gz": "text",
    ".gz": "text",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "xlsx",
    ".sav": "stat",
    ".zsav": "stat",
    ".por": "stat",
    ".dta": "stat",
    ".sas7bdat": "stat",
    ".xpt": "stat",
    ".rds": "r",
    ".rdata": "r",
    ".rda": "r",
}

# How files begin that are easily taken for something else.
_BEGINNINGS = {
    b"PAR1": "a Parquet file",
    b"ARROW1": "an Arrow file",
    b"\xff\xff\xff\xff": "an Arrow stream",
    b"PK\x03\x04": "a zip archive or an xlsx file",
    b"\x1f\x8b": "a gzip file",
    b"\xd0\xcf\x11\xe0": "an old (.xls) or encrypted Excel file",
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"%PDF": "a PDF file",
    b"SQLite format 3": "an SQLite database",
    b"$FL2@(#) SPSS": "an SPSS file (.sav)",
    b"$FL3@(#) SPSS": "a packed SPSS file (.zsav)",
    b"<stata_dta>": "a Stata file (.dta)",
    b"HEADER RECORD*******": "a SAS transport file (.xpt)",
    b"RDX": "R data (.rdata)",
}


@dataclass(frozen=True, slots=True)
class Location:
    """One file to read: the name as the user typed it, the path, the suffix and its format.

    `encoding` is that of its text, where the plan declares one.
    """

    name: str
    path: Path
    suffix: str
    format: Format
    encoding: str | None = None

    @property
    def is_packed(self) -> bool:
        return self.suffix.endswith(".gz")

    def start(self) -> bytes:
        """The first bytes of the file, by which its real format is known."""
        with self.path.open("rb") as stream:
            start = stream.read(64)
        if not start:
            raise DataError(f"'{self.name}' is empty.", "Export it again.")
        return start

    def mistaken(self, start: bytes = b"") -> DataError:
        """The error for a file that is not what its suffix says, by how it starts."""
        kind = beginning(start)
        found = f"; it looks like {kind}" if kind else ""
        return DataError(
            f"'{self.name}' is damaged, or is not what its suffix {self.suffix} says{found}.",
            "Give it the suffix of its real format, or export it again.",
        )


def locate(source: str | Path, base: Path | None) -> list[Location]:
    """The files that a path or a glob matches, sorted by name.

    >>> locate("postgresql://user:word@host/db", None)
    Traceback (most recent call last):
        ...
    shoal.errors.DataError: The source must be a file, got an address (postgresql://…) instead.\
 To read a database, name it in a plan: 'source:' with 'table:' or 'query:'.
    """
    name = os.fspath(source)
    _refuse_address(name)
    path = _join(base, name)
    if not name or "\0" in name:
        raise DataError(
            "The source must be a path, got an empty text or a NUL byte instead.",
            "Name a file, or a glob such as 'parts/*.csv'.",
        )
    # A file whose own name has brackets is taken for itself.
    if glob.has_magic(name) and not _exists(path):
        return _matches(name, base)
    _check_file(name, path)
    return [_location(name, path)]


def beginning(start: bytes) -> str | None:
    """What kind of file begins like this, if it is one of those often mistaken for a table.

    >>> beginning(b"PAR1....")
    'a Parquet file'
    """
    return next((kind for sign, kind in _BEGINNINGS.items() if start.startswith(sign)), None)


def _refuse_address(name: str) -> None:
    # Only the scheme is repeated: an address may contain a password.
    if address := re.match(r"([A-Za-z][\w+.-]*)://", name):
        raise DataError(
            f"The source must be a file, got an address ({address[1]}://…) instead.",
            "To read a database, name it in a plan: 'source:' with 'table:' or 'query:'.",
        )


def _matches(name: str, base: Path | None) -> list[Location]:
    found = sorted(glob.glob(name, root_dir=base, recursive=True))  # noqa: PTH207 (names as typed)
    files = [part for part in found if not _join(base, part).is_dir()]
    if not files:
        raise DataError(
            f"No file matches '{name}'.",
            f"The search started in '{_from_here(_join(base, '.'))}'.",
        )
    for part in files:
        _check_file(part, _join(base, part))
    locations = [_location(part, _join(base, part)) for part in files]
    if len({location.format for location in locations}) > 1:
        suffixes = ", ".join(sorted({location.suffix for location in locations}))
        raise DataError(
            f"All parts must have one format, but '{name}' matches several ({suffixes}).",
            "Narrow the pattern to one of them, as in 'parts/*.csv'.",
        )
    return locations


def _join(base: Path | None, name: str) -> Path:
    return Path(name) if base is None else Path(base) / name


def _location(name: str, path: Path) -> Location:
    lower = path.name.lower()
    suffix = max((s for s in FORMATS if lower.endswith(s)), key=len, default="")
    # `table.parquet.gz` ends with `.gz` but is not text.
    inner = Path(lower.removesuffix(".gz")).suffix
    if not suffix or (suffix == ".gz" and inner in FORMATS):
        raise DataError(f"The format of '{name}' is unknown.", _advice(lower))
    return Location(name, path, suffix, FORMATS[suffix])


def _advice(name: str) -> str:
    """What to do with a file of this name, in lower case, whose suffix says nothing."""
    known = f"Known suffixes: {', '.join(FORMATS)}."
    if name.endswith((".zip", ".gz")):
        return f"Unzip it first. {known}"
    return f"{known} If it is text with separators, rename or copy it to .csv."


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _check_file(name: str, path: Path) -> None:
    if not _exists(path):
        raise DataError(_missing(name, path))
    if path.is_dir():
        raise DataError(
            f"The source must be a file, but '{name}' is a folder.",
            f"Name a file, or a glob of the parts in it, as in '{name.rstrip('/')}/*.csv'.",
        )
    if not path.is_file():
        raise DataError(f"'{name}' is not a regular file.", "Save its content to a file first.")
    if not os.access(path, os.R_OK):
        raise unreadable(name)


def unreadable(name: str) -> DataError:
    """The error for a file that the user may not read."""
    return DataError(
        f"This user has no permission to read '{name}'.", f"Grant it: chmod u+r '{name}'."
    )


def _missing(name: str, path: Path) -> Problem:
    if not _exists(path.parent):
        return Problem(
            f"'{name}' does not exist: there is no folder '{Path(name).parent}'.",
            hint=f"The search was in '{_from_here(path.parent)}'.",
        )
    return Problem(f"'{name}' does not exist.", hint=_did_you_mean(name, path))


def _from_here(folder: Path) -> str:
    """A folder as seen from the working folder: messages do not reveal where that one is."""
    return os.path.relpath(folder)


def _did_you_mean(name: str, path: Path) -> str:
    try:
        listing = {entry.name.lower(): entry.name for entry in path.parent.iterdir()}
    except OSError:
        listing = {}
    close = difflib.get_close_matches(path.name.lower(), listing, n=3)
    if not close:
        return f"The search was in '{_from_here(path.parent)}'."
    alike = [str(Path(name).parent / listing[entry]) for entry in close]
    return f"Did you mean {' or '.join(repr(entry) for entry in alike)}?"
