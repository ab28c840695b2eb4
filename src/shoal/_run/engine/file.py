"""Rows in files of this machine, for tables that are larger than its memory.

Files are written into a private folder, which whoever opens the rows removes. A batch is some
slices of files: to bring the rows of a shard together, every file is sorted once and cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.engine.base import Item, Result, Rows, Sum, sort_bits


class _Map(Protocol):
    def __call__(
        self, function: Callable[[Item], Result], items: Sequence[Item]
    ) -> list[Result]: ...


@dataclass(frozen=True)
class Slice:
    """Some rows of a file."""

    path: Path
    start: int
    stop: int

    def read(self) -> pl.DataFrame:
        scan = pl.scan_ipc(self.path, glob=False, hive_partitioning=False)
        return scan.slice(self.start, self.stop - self.start).collect()


# Batches that one function takes together.
_Batches = tuple[Sequence[Slice], ...]


@dataclass(frozen=True)
class RunFolder:
    """The folder of all files of a run, and how its engine maps."""

    folder: Path
    map: _Map
    numbers: Iterator[int]

    @classmethod
    def in_folder(cls, folder: Path, map: _Map) -> RunFolder:
        return cls(folder, map, count())

    def fresh(self) -> Path:
        return self.folder / f"{next(self.numbers)}.arrow"


@dataclass(frozen=True)
class BatchRows(ABC):
    """Rows that are read batch by batch; what is made of them goes into files of a place."""

    place: RunFolder

    @abstractmethod
    def batches(self) -> Iterator[pl.DataFrame]: ...

    def fold(
        self, summarise: Callable[[pl.DataFrame], Sum], merge: Callable[[Sum, Sum], Sum]
    ) -> Sum:
        return fold(self.batches(), summarise, merge)

    def map(self, function: Callable[[pl.DataFrame], pl.DataFrame]) -> FileRows:
        return write_batches(self.place, map(function, self.batches()))


@dataclass(frozen=True)
class FileRows(BatchRows):
    """Rows in slices of files, a batch for every list of slices."""

    parts: tuple[tuple[Slice, ...], ...]

    def solve(
        self, function: Callable[[pl.DataFrame], tuple[pl.DataFrame, bytes]]
    ) -> tuple[FileRows, list[bytes]]:
        return self._solved(function, [(slices,) for slices in self.parts])

    def solve_with(
        self,
        other: Rows,
        column: str,
        function: Callable[[pl.DataFrame, pl.DataFrame], tuple[pl.DataFrame, bytes]],
    ) -> tuple[FileRows, list[bytes]]:
        assert isinstance(other, FileRows)
        ours, theirs = self._numbered([column], _runs), other._numbered([column], _runs)
        assert ours.keys() == theirs.keys()
        return self._solved(function, [(ours[n], theirs[n]) for n in sorted(ours)])

    def _solved(
        self, function: Callable[..., tuple[pl.DataFrame, bytes]], works: Sequence[_Batches]
    ) -> tuple[FileRows, list[bytes]]:
        """What a function makes of each of these, in files of their own, and its notes."""
        paths = [self.place.fresh() for _ in works]
        done = list(zip(works, paths, strict=True))
        found = self.place.map(partial(_solve, function), done)
        parts = tuple((Slice(p, 0, n),) for p, (n, _) in zip(paths, found, strict=True))
        return FileRows(self.place, parts), [note for _, note in found]

    def shard(self, column: str) -> FileRows:
        return self._gathered([column], _runs)

    def sort(self, keys: Sequence[str], n_rows: int) -> FileRows:
        total = sum(s.stop - s.start for part in self.parts for s in part)
        bits = sort_bits(total, n_rows)
        bounds = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits) if bits else None
        gathered = self._gathered(keys, partial(_ranges, bounds))
        return SortedRows(gathered.place, gathered.parts, tuple(keys))

    def _gathered(
        self, keys: Sequence[str], cut: Callable[[pl.Series], Iterator[tuple[int, int, int]]]
    ) -> FileRows:
        found = self._numbered(keys, cut)
        return replace(self, parts=tuple(tuple(found[number]) for number in sorted(found)))

    def _numbered(
        self, keys: Sequence[str], cut: Callable[[pl.Series], Iterator[tuple[int, int, int]]]
    ) -> dict[int, list[Slice]]:
        """The slices of all files with the same number by `cut`."""
        found: dict[int, list[Slice]] = {}
        for part in self.parts:
            for path, n in self._sorted(part, keys):
                column = Slice(path, 0, n).read()[keys[0]]
                for number, start, stop in cut(column):
                    found.setdefault(number, []).append(Slice(path, start, stop))
        return found

    def _sorted(self, part: Sequence[Slice], keys: Sequence[str]) -> Iterator[tuple[Path, int]]:
        """The files of a batch, each sorted by keys; rows with equal keys keep their order."""
        for piece in part:
            frame = piece.read()
            if not frame[keys[0]].is_sorted():
                path = self.place.fresh()
                frame.sort(keys, maintain_order=True).write_ipc(path, compression="uncompressed")
                yield path, frame.height
            else:
                # The file is shared: closing these rows removes it from what is made of them, too.
                assert piece.start == 0
                yield piece.path, frame.height

    def batches(self) -> Iterator[pl.DataFrame]:
        for part in self.parts:
            yield _read(part)

    def close(self) -> None:
        for path in {piece.path for part in self.parts for piece in part}:
            path.unlink(missing_ok=True)


@dataclass(frozen=True)
class SortedRows(FileRows):
    """Rows whose batches follow each other in the order of keys, each sorted when it is read."""

    keys: tuple[str, ...] = ()

    def batches(self) -> Iterator[pl.DataFrame]:
        for part in self.parts:
            yield _read(part).sort(self.keys, maintain_order=True)


@dataclass(frozen=True)
class SourceRows(BatchRows):
    """Rows as a source gives them, read again whenever they are needed."""

    read: Callable[[], Iterator[pl.DataFrame]]

    def batches(self) -> Iterator[pl.DataFrame]:
        return self.read()


def fold(
    batches: Iterator[pl.DataFrame],
    summarise: Callable[[pl.DataFrame], Sum],
    merge: Callable[[Sum, Sum], Sum],
) -> Sum:
    """The sum of all batches, one after the other."""
    total = None
    for batch in batches:
        own = summarise(batch)
        total = own if total is None else merge(total, own)
    assert total is not None
    return total


def write_batches(place: RunFolder, batches: Iterator[pl.DataFrame]) -> FileRows:
    """Every batch in a file of its own."""
    parts = []
    for batch in batches:
        path = place.fresh()
        batch.write_ipc(path, compression="uncompressed")
        parts.append((Slice(path, 0, batch.height),))
    return FileRows(place, tuple(parts))


def _solve(
    function: Callable[..., tuple[pl.DataFrame, bytes]], work: tuple[_Batches, Path]
) -> tuple[int, bytes]:
    batches, path = work
    frame, note = function(*map(_read, batches))
    frame.write_ipc(path, compression="uncompressed")
    return frame.height, note


def _read(part: Sequence[Slice]) -> pl.DataFrame:
    return pl.concat([piece.read() for piece in part]).rechunk()


def _runs(column: pl.Series) -> Iterator[tuple[int, int, int]]:
    """The numbers of a sorted column, and where each begins and ends."""
    numbers, first = np.unique(column.to_numpy(), return_index=True)
    # One less than with the end, also of no rows: a shard may have left everybody out.
    stops = np.append(first, len(column))[1:]
    yield from zip(numbers.tolist(), first.tolist(), stops.tolist(), strict=True)


def _ranges(bounds: NDArray[np.uint64] | None, column: pl.Series) -> Iterator[tuple[int, int, int]]:
    """The ranges of a sorted column of hashes between bounds."""
    if bounds is None:
        yield 0, 0, len(column)
        return
    first = np.searchsorted(column.to_numpy(), bounds)
    stops = np.append(first[1:], len(column))
    for number, (start, stop) in enumerate(zip(first.tolist(), stops.tolist(), strict=True)):
        if start < stop:
            yield number, start, stop
