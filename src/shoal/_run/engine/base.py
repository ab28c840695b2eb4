"""The five verbs: read, shard, map, fold, write."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.model.requirement import Requirements
from shoal.table import Table

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Where a run takes place. The shards are the plan's, so every engine gives the same tables."""

    def read(self, source: Any, base: Path) -> pl.DataFrame:
        """The input, as it stands."""

    def shard(
        self, table: Table, requirements: Requirements, rows: int | None
    ) -> Sequence[NDArray[np.int64]]:
        """Rows into shards of at most about `rows`; no person spans two of them."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """A pure function over all shards, results in the order of the shards."""

    def fold(self, merge: Callable[[Result, Result], Result], parts: Iterable[Result]) -> Result:
        """One result from those of the shards, merged in their order."""

    def write(self, frame: pl.DataFrame, path: Path) -> None:
        """A table into a file."""


def shard_seed(seed: int, number: int) -> int:
    """The seed of a shard: of the plan's seed and the shard's number alone."""
    digest = hashlib.sha256(f"{seed}/{number}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1
