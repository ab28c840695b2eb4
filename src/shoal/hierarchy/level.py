"""The levels of a hierarchy over a list of values: what every builder returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.schema import Kind

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROOT = "*"


@dataclass(frozen=True, slots=True)
class Values:
    """The values that a builder climbs from; `numbers` is given for numeric kinds only."""

    texts: Sequence[str]
    kind: Kind
    numbers: Floats | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """One level above the original: the label of value i is `labels[codes[i]]`."""

    codes: Ints
    labels: tuple[str | None, ...]

    @classmethod
    def of_keys(cls, keys: Ints, label: Callable[[int], str]) -> Self:
        """Values with equal keys share a node; the label is made once for each key.

        >>> Level.of_keys(np.array([7, 3, 7]), "{}s".format).labels
        ('3s', '7s')
        """
        distinct, codes = np.unique(keys, return_inverse=True)
        return cls(codes.astype(np.int64), tuple(map(label, distinct.tolist())))

    @classmethod
    def of_labels(cls, labels: Iterable[str]) -> Self:
        """Values with equal labels share a node."""
        seen: dict[str, int] = {}
        codes = np.array([seen.setdefault(label, len(seen)) for label in labels], dtype=np.int64)
        return cls(codes, tuple(seen))

    @classmethod
    def root(cls, n_values: int) -> Self:
        """All values share the root."""
        return cls(np.zeros(n_values, dtype=np.int64), (ROOT,))


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels above the original, lowest first.

    `root` is `*` where that is the whole top level, else None: a missing value without a row of
    its own joins it. `position` is the place of each value in a declared file or tree.
    """

    upper: tuple[Level, ...]
    root: str | None = None
    position: Ints | None = None


def read_numbers(texts: Sequence[str]) -> Floats:
    """Each text as a number, nan where it is not one.

    >>> read_numbers(["39", " 4e1", "x", "1_0"]).tolist()
    [39.0, 40.0, nan, nan]
    """
    column = pl.Series(texts, dtype=pl.String).str.strip_chars()
    return column.cast(pl.Float64, strict=False).fill_null(float("nan")).to_numpy().copy()
