"""Rows in batches, for tables that are larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from shoal.source import columnar, part, text
from shoal.source.frame import normalise
from shoal.source.location import Location


@dataclass(frozen=True)
class Batches:
    """The files of a table, read in batches at every call; it can be sent to another process."""

    locations: tuple[Location, ...]
    n_rows: int

    def __call__(self) -> Iterator[pl.DataFrame]:
        for location in self.locations:
            if location.format == "text":
                yield from text.batches(location, self.n_rows)
            else:
                for frame in columnar.batches(location, self.n_rows):
                    yield normalise(frame, f"'{location.name}'")


@dataclass(frozen=True)
class Range:
    """Some rows of a parquet file, read at every call; it can be sent to another process."""

    location: Location
    start: int
    n_rows: int

    def __call__(self) -> Iterator[pl.DataFrame]:
        frame = columnar.rows(self.location, self.start, self.n_rows)
        yield normalise(frame, f"'{self.location.name}'")


def open_pieces(
    locations: Sequence[Location], n_rows: int
) -> list[Callable[[], Iterator[pl.DataFrame]]] | None:
    """What reads these files in pieces of about `n_rows`, each by itself; a text file is one."""
    found = open_batches(locations, n_rows)
    if found is None:
        return None
    pieces: list[Callable[[], Iterator[pl.DataFrame]]] = []
    for location in locations:
        if location.format == "text":
            pieces.append(Batches((location,), n_rows))
        else:
            starts = range(0, max(columnar.count_rows(location), 1), n_rows)
            pieces += [Range(location, start, n_rows) for start in starts]
    return pieces


def open_batches(
    locations: Sequence[Location], n_rows: int
) -> Callable[[], Iterator[pl.DataFrame]] | None:
    """What reads these files in batches; None where they must be read at once."""
    part.columns(locations)
    if not all(_streams(location) for location in locations):
        return None
    return Batches(tuple(locations), n_rows) if _of_one_type(locations) else None


def _streams(location: Location) -> bool:
    return location.format == "parquet" or (location.format == "text" and not location.is_packed)


def _of_one_type(locations: Sequence[Location]) -> bool:
    """Whether all parts store their columns in the same types, which need no conversion."""
    if len({location.format for location in locations}) > 1:
        return False
    if locations[0].format == "text":
        return True
    found = [columnar.plain_schema(location) for location in locations]
    first = found[0]
    return first is not None and all(s is not None and s.equals(first) for s in found)
