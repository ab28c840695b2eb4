"""What a run needs of an engine: to read, and to map over shards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import polars as pl

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Where a run takes place. The shards are the plan's, so every engine gives the same tables."""

    @property
    def threads(self) -> int:
        """How many threads the work on one shard may use."""

    def read(self, source: Any, base: Path, encoding: str | None = None) -> pl.DataFrame:
        """Read the input, unchanged; `encoding` is that of its text."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """Apply a pure function to all shards; results are in the order of the shards."""
