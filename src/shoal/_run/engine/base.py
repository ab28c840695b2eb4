"""What a run asks of an engine: to read, and to map over shards."""

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

    def read(self, source: Any, base: Path) -> pl.DataFrame:
        """The input, as it stands."""

    def map(self, function: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
        """A pure function over all shards, results in the order of the shards."""
