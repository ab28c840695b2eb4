"""Are the written files exactly what was verified, and nothing else?"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import polars as pl

from shoal.errors import Problem, VerificationError
from shoal.reading.cell import LARGEST_WHOLE, whole_numbers
from shoal.reading.delimited import open_csv
from shoal.reading.encoding import Flags
from shoal.reading.manifest import MANIFEST, read_json
from shoal.reading.table import parquet_files, parquet_parts, parquet_schema
from shoal.schema.wording import counted
from shoal.verify.text.measured import numbers_like
from shoal.verify.text.structure import name_rows, of_number

_SUFFIXES = (".csv", ".parquet")
# Metadata that polars itself writes; the dictionary inside is checked separately.
_PARQUET_METADATA = {"ARROW:schema"}
_PADDED = r"\A[+-]?0\d"


def verify_files(folder: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    """Read a written release again and compare it with the tables that were verified.

    Raises VerificationError, with every finding, unless every table is there as CSV or parquet and
    equal cell by cell (as text, null being empty; numbers as numbers where either side has them),
    the manifest is valid and its digests and row counts are right, and there is no further file.
    """
    listed, problems = check_listed(folder)
    known: set[str] = set()
    for name, table in tables.items():
        paths = [folder / f"{name}{suffix}" for suffix in _SUFFIXES]
        present = [path for path in paths if path.exists()]
        if len(present) != 1:
            problems.append(
                Problem(f"The table {name!r} must have one file, but it has {len(present)}.")
            )
        for path in present:
            known |= {file.relative_to(folder).as_posix() for file in parquet_files(path)}
            problems += _check_table(path, table, listed)
    for name in sorted(listed):
        if name.endswith(_SUFFIXES) and name not in known:
            problems.append(Problem("The file is a table that was not verified.", name))
    if problems:
        raise VerificationError(problems)


def verify_manifest(folder: Path) -> list[Problem]:
    """What is wrong with the files of a folder by its manifest: lists, digests, row counts.

    And with the tables as files, whoever wrote them: what a spreadsheet would run, and what a file
    says besides its rows.
    """
    listed, problems = check_listed(folder)
    for name, entry in listed.items():
        path = folder / name
        if path.suffix in _SUFFIXES and _is_inside(name) and _is_file(path):
            try:
                n_rows, besides = _look_into(path)
            except VerificationError as error:
                problems += error.problems
                continue
            if entry.get("rows") != n_rows:
                problems.append(Problem("The number of rows in the manifest is wrong.", name))
            problems += [replace(problem, where=name) for problem in besides]
    return problems


def _look_into(path: Path) -> tuple[int, list[Problem]]:
    """How many rows the file of a table has, and what is wrong with it whatever they are."""
    if path.suffix == ".csv":
        file = open_csv(path)
        n_rows, n_formulas = 0, file.n_formulas
        for part in file.parts:
            n_rows, n_formulas = n_rows + part.frame.height, n_formulas + part.n_formulas
        return n_rows, list(_check_formulas(path, n_formulas))
    unused, n_rows = _Unused(parquet_schema(path)), 0
    for part in parquet_parts(path):
        unused.see(part.frame)
        n_rows += part.frame.height
    return n_rows, [*check_metadata(path), *unused.problems(path)]


def check_listed(folder: Path) -> tuple[dict[str, dict[str, Any]], list[Problem]]:
    """The files that the manifest lists, and what is wrong with it, the folder or their digests."""
    problems: list[Problem] = []
    listed = read_files(folder / MANIFEST, problems)
    problems += check_folder(folder, listed)
    problems += check_digests(folder, listed)
    return listed, problems


def read_files(path: Path, problems: list[Problem]) -> dict[str, dict[str, Any]]:
    """The files that the manifest lists; what is wrong with it is added to the problems."""
    try:
        manifest = read_json(path)
    except OSError:
        problems.append(Problem("The manifest cannot be read.", path.name))
        return {}
    except ValueError:
        problems.append(Problem("The manifest is not valid JSON.", path.name))
        return {}
    files = manifest.get("files") if isinstance(manifest, dict) else None
    if not isinstance(files, dict) or not all(isinstance(entry, dict) for entry in files.values()):
        problems.append(Problem("The manifest has no 'files' with an entry per file.", path.name))
        return {}
    return files


def check_folder(folder: Path, listed: Mapping[str, Any]) -> Iterator[Problem]:
    """The folder contains only plain files that the manifest lists."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield Problem("The release folder may contain plain files only.", name)
        elif path.is_dir():
            if not any(path.iterdir()):
                yield Problem("The release folder contains an empty folder.", name)
        elif name not in listed and name != MANIFEST:
            yield Problem("The file is in the folder, but the manifest does not list it.", name)


def check_digests(folder: Path, listed: Mapping[str, dict[str, Any]]) -> Iterator[Problem]:
    """Every listed file is there, in the folder, and has its digest."""
    for name, entry in listed.items():
        if not _is_inside(name):
            yield Problem("The manifest lists a file outside the folder.")
            continue
        path = folder / name
        if not _is_file(path):
            yield Problem("The manifest lists the file, but it is not there.", name)
            continue
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if entry.get("sha256") != digest:
            yield Problem("The file's SHA-256 is not the one in the manifest.", name)


def _is_inside(name: str) -> bool:
    """Whether the name of a file, from its folder, does not lead out of it."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        # No file has a name that is too long.
        return False


def _check_table(
    path: Path, table: pl.DataFrame, listed: Mapping[str, dict[str, Any]]
) -> list[Problem]:
    problems = []
    parts = [path.name] if path.is_file() else [n for n in listed if n.startswith(f"{path.name}/")]
    rows = [n for part in parts if type(n := listed.get(part, {}).get("rows")) is int]
    if len(rows) < len(parts) or sum(rows) != table.height:
        problems.append(Problem("The number of rows in the manifest is wrong.", path.name))
    comparison = _Comparison(table)
    try:
        if path.suffix == ".csv":
            problems += _compare_csv(path, comparison)
        else:
            problems += _compare_parquet(path, comparison)
    except VerificationError as error:
        return [*problems, *error.problems]
    return [*problems, *(Problem(text, path.name) for text in comparison.findings())]


def _compare_csv(path: Path, comparison: _Comparison) -> Iterator[Problem]:
    file = open_csv(path)
    n_formulas = file.n_formulas
    if not comparison.compare_header(file.header):
        return
    for part in file.parts:
        n_formulas += part.n_formulas
        comparison.compare(part.frame)
    yield from _check_formulas(path, n_formulas)


def _check_formulas(path: Path, n_formulas: int) -> Iterator[Problem]:
    if n_formulas:
        cells = counted(n_formulas, "cell")
        yield Problem(f"{cells} would be taken for formulas by a spreadsheet.", path.name)


def check_metadata(path: Path) -> Iterator[Problem]:
    """A parquet file says nothing besides its table."""
    files = parquet_files(path)
    if any(set(pl.read_parquet_metadata(file)) - _PARQUET_METADATA for file in files):
        yield Problem("The file has metadata besides its table.", path.name)


def _compare_parquet(path: Path, comparison: _Comparison) -> Iterator[Problem]:
    schema = parquet_schema(path)
    yield from check_metadata(path)
    if not comparison.compare_header(tuple(schema)):
        return
    unused = _Unused(schema)
    for part in parquet_parts(path):
        comparison.compare(part.frame)
        unused.see(part.frame)
    yield from unused.problems(path)


class _Unused:
    """What the dictionaries of a file list, but none of its rows has.

    A dictionary is stored whole: it may list values that only rows left out have.
    """

    def __init__(self, schema: Mapping[str, pl.DataType]) -> None:
        self._left = {
            name: set(dtype.categories)
            for name, dtype in schema.items()
            if isinstance(dtype, pl.Enum)
        }

    def see(self, part: pl.DataFrame) -> None:
        for name, left in self._left.items():
            left.difference_update(part[name].unique().cast(pl.String))

    def problems(self, path: Path) -> Iterator[Problem]:
        for name, left in self._left.items():
            if left:
                values = counted(len(left), "value")
                text = f"The dictionary of column {name!r} has {values} that no row has."
                yield Problem(text, path.name)


@dataclass
class _Comparison:
    """A table compared with what a file holds, part by part."""

    table: pl.DataFrame
    n_rows: int = 0
    same_header: bool = True
    differing: dict[str, list[int]] = field(default_factory=dict)
    n_differing: dict[str, int] = field(default_factory=dict)

    def compare_header(self, header: tuple[str, ...]) -> bool:
        self.same_header = list(header) == self.table.columns
        return self.same_header

    def compare(self, part: pl.DataFrame) -> None:
        given = self.table.slice(self.n_rows, part.height)
        written = part.head(given.height)
        for name in self.table.columns:
            rows = np.flatnonzero(~_same(given[name], written[name]))
            if len(rows):
                self.n_differing[name] = self.n_differing.get(name, 0) + len(rows)
                # One more than are named, which shows that there are others.
                self.differing.setdefault(name, []).extend((rows[:6] + self.n_rows).tolist())
        self.n_rows += part.height

    def findings(self) -> Iterator[str]:
        if not self.same_header:
            yield "The columns of the file are not those of the table."
            return
        if self.n_rows != self.table.height:
            n_rows = counted(self.n_rows, "row")
            yield f"The file has {n_rows}, but the table has {self.table.height:,}."
        for name, rows in self.differing.items():
            text = f"Column {name!r} has {{n}} cells that differ from the table"
            yield f"{of_number(text, self.n_differing[name])} ({name_rows(rows, 'row')})."


def _same(given: pl.Series, written: pl.Series) -> Flags:
    """Which cells are equal as text, an empty one being null; numbers also as numbers.

    Text with zeros in front says more than the number that it reads as.
    """
    left, right = (_text(series) for series in (given, written))
    same: Flags = (left == right).to_numpy().astype(np.bool_)
    numeric = given.dtype.is_numeric() or written.dtype.is_numeric()
    if numeric and not same.all():
        # A text that is written as a single-precision number comes back as the nearest of these.
        read = numbers_like(written)
        a, b = read(given, ()), read(written, ())
        known = ~(a.missing | a.unreadable | b.missing | b.unreadable)
        padded = left.str.contains(_PADDED) | right.str.contains(_PADDED)
        # A double does not tell large whole numbers from their neighbours, but their digits do.
        digits = whole_numbers(left).eq_missing(whole_numbers(right)).to_numpy()
        exact = digits | (np.abs(a.low) < LARGEST_WHOLE)
        same = same | (known & (a.low == b.low) & exact & ~padded.to_numpy())
    return same


def _text(series: pl.Series) -> pl.Series:
    """The cells as text, an empty one for null; the texts of a dictionary are looked up."""
    if isinstance(series.dtype, pl.Enum):
        text = series.dtype.categories.gather(series.to_physical())
    else:
        text = series.cast(pl.String)
    return text.fill_null("") if text.null_count() else text
