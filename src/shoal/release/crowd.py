"""How many people share each published description, and what these numbers tell about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.selectors import by_name

from shoal.reading.digest import hash_rows
from shoal.reading.manifest import ManifestColumn
from shoal.schema import Attribute, Role

CrowdSizes = tuple[NDArray[np.int64], NDArray[np.int64]]


class Clue(NamedTuple):
    """The sensitivity of this many people is below `limit`, or at most that if `inclusive`."""

    limit: float
    inclusive: bool
    n_people: int

    def __str__(self) -> str:
        return f"{'at most' if self.inclusive else 'below'} {self.limit:g}"


def crowd_sizes(
    table: pl.DataFrame,
    quasi: Iterable[ManifestColumn | Attribute],
    person: str | None,
    numbered: bool = False,
) -> CrowdSizes:
    """The sizes of groups with equal descriptions, ascending, and how many groups have each.

    Rows count, or people where a column names them. Without a column that describes people all of
    them look alike. `numbered` is as in `description`.
    """
    if table.height == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    people = [pl.col(person).alias("person")] if person and person in table.columns else []
    n = pl.col("person").n_unique() if people else pl.len()
    keys = description(table, quasi, numbered)
    if not keys:
        alike = table.select(people).n_unique() if people else table.height
        return np.array([alike]), np.array([1])
    groups = table.lazy().select(*keys, *people).group_by(pl.col("^key[0-9]+$"))
    sizes = groups.agg(n.alias("size")).group_by("size").agg(pl.len().alias("n"))
    counted = sizes.sort("size").collect().cast(pl.Int64)
    return counted["size"].to_numpy(), counted["n"].to_numpy()


def description(
    table: pl.DataFrame, quasi: Iterable[ManifestColumn | Attribute], numbered: bool = False
) -> list[pl.Expr]:
    """The published cells that describe a person, as key0, key1 …; secret cells all count as one.

    If secrets are kept, the number of the class is published (`numbered`), so no two classes look
    alike; it says everything that the cells do.
    """
    if numbered:
        return [by_name("GID").as_expr().alias("key0")]
    keys: list[pl.Expr] = []
    for column in quasi:
        names = [column.name, f"{column.name}_low", f"{column.name}_high"]
        cells = [by_name(name).as_expr() for name in names if name in table.columns]
        if column.role is not Role.QUASI and f"{column.name}_BID" in table.columns:
            public = by_name(f"{column.name}_BID").as_expr().is_null()
            cells = [*(pl.when(public).then(cell) for cell in cells), public]
        keys += cells
    return [key.alias(f"key{i}") for i, key in enumerate(keys)]


def hash_descriptions(
    table: pl.DataFrame, quasi: Iterable[ManifestColumn | Attribute]
) -> NDArray[np.uint64]:
    """A digest of what describes the person of each row, the same in every process."""
    described = table.select(description(table, quasi))
    return hash_rows(described, table.height, 1, numbers=False)


def count_alone(sizes: CrowdSizes) -> int:
    """How many people are in a group of one."""
    size, n_groups = sizes
    return int(n_groups[size == 1].sum())


def read_pairs(parameters: Mapping[str, Any]) -> list[tuple[int, int]]:
    """(HK, LK) of every level of a multi-level-k."""
    levels: Sequence[Any] = parameters.get("levels") or ()
    return [tuple(level["k"] if isinstance(level, dict) else level) for level in levels]


def sensitivity_clues(parameters: Mapping[str, Any], sizes: CrowdSizes) -> list[Clue]:
    """What a reader concludes about sensitivities from group sizes, where a multi-level-k holds.

    A group holds only people whose k is at most its size, and the k that people require does not
    fall as their sensitivity rises (MKS3WD, Definition 10). So in a group of fewer than HK_t
    everybody is below a_t, and in one of fewer than the last HK everybody is at most b_t for the
    largest LK_t that it reaches. The strictest conclusion comes first.
    """
    pairs = read_pairs(parameters)
    found: dict[tuple[float, bool], int] = {}
    for size, n_groups in zip(*(array.tolist() for array in sizes), strict=True):
        # HK falls and LK rises from level to level.
        place = sum(high > size for high, _ in pairs)
        if place == 0:
            continue
        limit = (parameters["thresholds"][place - 1][0], False)
        if place == len(pairs):
            reached = sum(low <= size for _, low in pairs)
            limit = (parameters["thresholds"][max(reached, 1) - 1][1], True)
        found[limit] = found.get(limit, 0) + size * n_groups
    return [Clue(*limit, n) for limit, n in sorted(found.items())]
