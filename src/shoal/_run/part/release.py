"""A release that was written batch by batch, as `shoal.run` returns it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import polars as pl

from shoal._run.release import Release
from shoal.errors import ShoalError
from shoal.measure import Measures
from shoal.reading.table import read_table
from shoal.release.advice import warnings_of_parts
from shoal.release.crowd import CrowdSizes
from shoal.schema.advice import Advice
from shoal.verify import Risks

_NO_CROWDS: CrowdSizes = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


class SummedMeasures(Measures):
    """The measures whose sums over shards add up."""

    def __init__(self, values: Mapping[str, float], by_attribute: Mapping[str, float]) -> None:
        self._values = dict(values)
        self._by_attribute = dict(by_attribute)

    def __getitem__(self, name: str) -> float:
        if name not in self._values:
            raise KeyError(f"{name!r} is not a measure, or is not summed over shards")
        return self._values[name]

    @property
    def quick(self) -> dict[str, float]:
        return dict(self._values)

    @property
    def by_attribute(self) -> dict[str, float]:
        return dict(self._by_attribute)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


@dataclass(frozen=True, eq=False)
class WrittenRelease(Release):
    """The same of a release that is not in memory: `frame` and `tables` are read from its folder.

    There is no row map: `rows` and `classes` are not kept.
    """

    folder: Path = field(default_factory=Path)
    labels: Mapping[str, pl.DataFrame] = field(default_factory=dict, repr=False)
    crowds: CrowdSizes = field(default=_NO_CROWDS, repr=False)
    found_risks: Risks | None = field(default=None, repr=False)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The published tables, each read whole from its file."""
        return {name: self._read(name) for name in self.published.tables}

    def _read(self, name: str) -> pl.DataFrame:
        found = read_table(self.folder / f"{name}.{self.format}")
        return found if self.format != "csv" else self.with_types(name, found)

    @property
    def risks(self) -> Risks | None:
        """What an adversary can learn of secrets to whose buckets no requirement sets a limit."""
        return self.found_risks

    @property
    def coded(self) -> Mapping[str, pl.DataFrame]:
        return self.tables

    @property
    def rows(self) -> NoReturn:
        """Not kept."""
        raise ShoalError(_NOT_KEPT.format("rows"), _WITHOUT)

    @property
    def classes(self) -> NoReturn:
        """Not kept."""
        raise ShoalError(_NOT_KEPT.format("classes"), _WITHOUT)

    @cached_property
    def warnings(self) -> tuple[Advice, ...]:
        return warnings_of_parts(self, self.labels, self.crowds)

    def save(self, folder: str | Path, **_: Any) -> NoReturn:
        raise ShoalError(f"The release is written already: it is in '{self.folder}'.")


_NOT_KEPT = "release.{} needs the whole table in memory, but this release was made shard by shard."
_WITHOUT = "Leave 'shards' out of the plan, if memory allows."
