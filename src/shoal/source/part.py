"""One table from one file, or from several with the same columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import polars as pl

from shoal.errors import DataError, Problem
from shoal.source import columnar, package, text, workbook
from shoal.source.frame import normalise
from shoal.source.location import Location, unreadable

T = TypeVar("T")

_ENCODED = ("text", "stat", "r")


def read(locations: Sequence[Location], name: str) -> pl.DataFrame:
    """Read every file and stack the rows; `name` is what the user typed."""
    if len(locations) > 1:
        columns(locations)
    frames = _each(locations, _read_one)
    return frames[0] if len(frames) == 1 else _stack(frames, name)


def columns(locations: Sequence[Location]) -> tuple[str, ...]:
    """The names of the columns, which must be the same and in the same order in every part."""
    found = _each(locations, _columns_of_one)
    problems = [
        difference(location.name, names, locations[0].name, found[0])
        for location, names in zip(locations, found, strict=True)
        if names != found[0]
    ]
    if problems:
        raise DataError(problems)
    return found[0]


def _each(locations: Sequence[Location], work: Callable[[Location], T]) -> list[T]:
    """The result for every file, or one error with the problems of all of them."""
    results: list[T] = []
    problems: list[Problem] = []
    for location in locations:
        try:
            if location.encoding and location.format not in _ENCODED:
                raise DataError(
                    "The 'encoding' applies to text files and to files of statistics packages, but "
                    f"'{location.name}' is neither.",
                    "Leave it out of the plan.",
                )
            results.append(work(location))
        except DataError as error:
            problems += error.problems
        except PermissionError:
            problems += unreadable(location.name).problems
        except OSError as error:
            reason = error.strerror or type(error).__name__
            problems.append(Problem(f"Cannot read '{location.name}': {reason}."))
    if problems:
        raise DataError(problems) from None
    return results


def _read_one(location: Location) -> pl.DataFrame:
    match location.format:
        case "text":
            return text.read(location)
        case "xlsx":
            frame = workbook.read(location)
        case "stat" | "r":
            frame = package.read(location)
        case _:
            frame = columnar.read(location)
    return normalise(frame, f"'{location.name}'")


def _columns_of_one(location: Location) -> tuple[str, ...]:
    match location.format:
        case "text":
            return text.columns(location)
        case "xlsx":
            return workbook.columns(location)
        case "stat" | "r":
            return package.columns(location)
        case _:
            return columnar.columns(location)


def difference(part: str, names: Sequence[str], first: str, expected: Sequence[str]) -> Problem:
    """The problem of a part whose columns are not those of the first."""
    lacking = [name for name in expected if name not in names]
    surplus = [name for name in names if name not in expected]
    found = [
        f"lacks {', '.join(map(repr, lacking))}" if lacking else "",
        f"also has {', '.join(map(repr, surplus))}" if surplus else "",
        "has them in another order" if not lacking and not surplus else "",
    ]
    return Problem(
        f"The columns of '{part}' differ from those of '{first}': it "
        f"{' and '.join(filter(None, found))}.",
        hint="All parts must have the same columns in the same order.",
    )


def _stack(frames: Sequence[pl.DataFrame], name: str) -> pl.DataFrame:
    """One frame; a column that is empty in one part has the type of the other parts there."""
    types = {
        column: list(dict.fromkeys(f.schema[column] for f in frames if not _is_empty(f[column])))
        for column in frames[0].columns
    }
    problems = [
        Problem(
            f"The column '{column}' has several types in the parts of '{name}': "
            f"{' and '.join(sorted(map(str, found)))}.",
            hint="Store it with one type in every part.",
        )
        for column, found in types.items()
        if len(found) > 1 and not all(kind.is_numeric() for kind in found)
    ]
    if problems:
        raise DataError(problems)
    alike = [
        frame.with_columns(
            pl.lit(None, dtype=found[0]).alias(column)
            for column, found in types.items()
            if found and _is_empty(frame[column])
        )
        for frame in frames
    ]
    return pl.concat(alike, how="vertical_relaxed")


def _is_empty(column: pl.Series) -> bool:
    return column.null_count() == len(column)
