"""One table from one file or from many of the same shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import polars as pl

from shoal.errors import DataError, Problem
from shoal.source import columnar, text, workbook
from shoal.source.frame import settled
from shoal.source.location import Location, unreadable

T = TypeVar("T")


def read(locations: Sequence[Location], name: str, sheet: str | None) -> pl.DataFrame:
    """Read every file and put the rows below one another; `name` is what the user typed."""
    if len(locations) > 1:
        columns(locations, sheet)
    frames = _each(locations, lambda location: _read_one(location, sheet))
    return frames[0] if len(frames) == 1 else _stacked(frames, locations, name)


def columns(locations: Sequence[Location], sheet: str | None) -> tuple[str, ...]:
    """The names of the columns, which must be the same and in the same order in every part."""
    found = _each(locations, lambda location: _columns_of_one(location, sheet))
    problems = [
        _difference(location.name, names, locations[0].name, found[0])
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
            results.append(work(location))
        except DataError as error:
            problems.extend(error.problems)
    if problems:
        raise DataError(problems) from None
    return results


def _read_one(location: Location, sheet: str | None) -> pl.DataFrame:
    match location.format:
        case "text":
            _refuse_sheet(location, sheet)
            return _allowed(location, lambda: text.read(location))
        case "xlsx":
            frame = _allowed(location, lambda: workbook.read(location, sheet))
        case _:
            _refuse_sheet(location, sheet)
            frame = _allowed(location, lambda: columnar.read(location))
    return settled(frame, f"'{location.name}'")


def _columns_of_one(location: Location, sheet: str | None) -> tuple[str, ...]:
    if location.format == "xlsx":
        return _allowed(location, lambda: workbook.columns(location, sheet))
    _refuse_sheet(location, sheet)
    if location.format == "text":
        return _allowed(location, lambda: text.columns(location))
    return _allowed(location, lambda: columnar.columns(location))


def _refuse_sheet(location: Location, sheet: str | None) -> None:
    if sheet is not None:
        raise DataError(
            f"The 'sheet' parameter applies to xlsx files, but '{location.name}' is not one."
        )


def _allowed(location: Location, work: Callable[[], T]) -> T:
    """Do the work; a refusal of the operating system becomes an error that says so."""
    try:
        return work()
    except PermissionError:
        problem = unreadable(location.name)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = DataError(f"'{location.name}' could not be read: {reason}.")
    raise problem from None


def _difference(part: str, names: Sequence[str], first: str, expected: Sequence[str]) -> Problem:
    lacking = [name for name in expected if name not in names]
    surplus = [name for name in names if name not in expected]
    said = [
        f"lacks {', '.join(map(repr, lacking))}" if lacking else "",
        f"has {', '.join(map(repr, surplus))} besides" if surplus else "",
        "has them in another order" if not lacking and not surplus else "",
    ]
    return Problem(
        f"The columns of '{part}' are not those of '{first}': it "
        f"{' and '.join(phrase for phrase in said if phrase)}.",
        hint="All parts must have the same columns in the same order.",
    )


def _stacked(
    frames: Sequence[pl.DataFrame], locations: Sequence[Location], name: str
) -> pl.DataFrame:
    problems = []
    for column in frames[0].columns:
        kinds = {
            frame.schema[column] for frame in frames if frame[column].null_count() < len(frame)
        }
        if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
            listed = " and ".join(sorted(str(kind) for kind in kinds))
            problems.append(
                Problem(
                    f"The column '{column}' has several types in the parts of '{name}': {listed}.",
                    hint="Store it with one type in every part.",
                )
            )
    if problems:
        raise DataError(problems)
    return pl.concat(_alike(frames), how="vertical_relaxed")


def _alike(frames: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """The frames, in which a column without any value has the type of the other parts."""
    types: dict[str, pl.DataType] = {}
    for frame in frames:
        for column in frame.iter_columns():
            if column.null_count() < len(column):
                types.setdefault(column.name, column.dtype)
    return [
        frame.with_columns(
            pl.lit(None, dtype=types[column.name]).alias(column.name)
            for column in frame.iter_columns()
            if column.name in types and column.null_count() == len(column)
        )
        for frame in frames
    ]
