"""What a run needs of an engine: to read, to map over shards, and rows that lie wherever it likes.

A table that fits in memory is read whole, and its shards are items of `map`. A larger one is never
held: `open` gives its rows in batches, and all work on them is one of the methods of `Rows`. The
functions that they take are pure, can be pickled, and take and return polars frames (Arrow tables
in other words), so that they run in this process, in a pool, or on a cluster with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import polars as pl

Item = TypeVar("Item")
Result = TypeVar("Result")
Sum = TypeVar("Sum")


class Source(Protocol):
    """The rows of a source in batches: frames with the same columns and types."""

    def fold(
        self, summarise: Callable[[pl.DataFrame], Sum], merge: Callable[[Sum, Sum], Sum]
    ) -> Sum:
        """The sum of all batches; `merge` must not depend on their order or number."""

    def map(self, function: Callable[[pl.DataFrame], pl.DataFrame]) -> Rows:
        """The rows that a function makes of every batch, in the order of the batches."""


class Rows(Source, Protocol):
    """Rows in batches, kept where the engine keeps them. Nothing depends on how they are batched,
    but for those that are brought together by `shard` and `sort`.
    """

    def shard(self, column: str) -> Rows:
        """The same rows with one batch for each number in a column, in the order of the numbers."""

    def solve(
        self, function: Callable[[pl.DataFrame], tuple[pl.DataFrame, bytes]]
    ) -> tuple[Rows, list[bytes]]:
        """Like `map`, of one batch for each shard; with what is noted of each, in their order.

        The notes are what folds over the shards are made of. They are small: rows stay in the rows.
        """

    def solve_with(
        self,
        other: Rows,
        column: str,
        function: Callable[[pl.DataFrame, pl.DataFrame], tuple[pl.DataFrame, bytes]],
    ) -> tuple[Rows, list[bytes]]:
        """Like `solve`, of the rows of both with the same number in a column, number by number.

        Both have the same numbers.
        """

    def sort(self, keys: Sequence[str], n_rows: int) -> Rows:
        """The rows by ascending keys, batches in that order too, of about `n_rows` each.

        The first key is a 64-bit hash: where a batch ends is decided by its highest bits, so that
        rows with an equal first key are in one batch.
        """

    def batches(self) -> Iterator[pl.DataFrame]:
        """Batch after batch, in order; only one of them need be in memory."""

    def close(self) -> None:
        """Give up what is kept of these rows."""


class Engine(Protocol):
    """Where a run takes place. The shards are the plan's, so every engine gives the same tables."""

    @property
    def threads(self) -> int:
        """How many threads the work on one shard may use."""

    @property
    def writes_parts(self) -> bool:
        """Whether a table is written where its rows are, in parts, rather than by this process."""

    def has_types(self, source: Any, base: Path) -> bool:
        """Whether a source says of what type its columns are; text files do not."""

    def read(self, source: Any, base: Path, encoding: str | None = None) -> pl.DataFrame:
        """Read the input, unchanged; `encoding` is that of its text."""

    def open(
        self, source: Any, base: Path, encoding: str | None, folder: Path, n_rows: int
    ) -> Source | None:
        """The input in batches of about `n_rows`, as `read` gives it.

        `folder` is an empty, private folder for all that is kept on the way, which the caller
        removes. None where the input can only be read whole.
        """

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Apply a pure function to all shards; results are in the order of the shards."""


def sort_bits(n: int, n_rows: int) -> int:
    """How many of the highest bits of a hash cut n rows into batches of about `n_rows`."""
    return ((max(n, 1) - 1) // max(n_rows, 1)).bit_length()
