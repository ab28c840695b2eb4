"""What a manifest and a report need of a published table, counted: sums that add up over parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.reading.digest import hash_rows
from shoal.release.crowd import hash_descriptions
from shoal.report.cell import distinct_labels
from shoal.schema import Role, Schema


@dataclass(frozen=True, eq=False)
class Counted:
    """The counts of a published table, or of some whole classes of it.

    `columns` are those of the table; `labels` the different cells of each quasi-identifier and
    sensitive attribute and how many rows have each; `sizes` the sizes of classes and how many have
    each. `commonest` sums, over classes, the rows of the value that most have, of the attribute of
    which that is most. `vectors` are digests of the descriptions of the classes: where two parts
    have one in common, their classes are not whole and their counts do not add up. `together` are
    digests of the cells that are published as they were, row by row, and how many rows have each.
    Where rows belong to people, `crowds_of_people` has the rows, the people and the rows of the
    commonest value (0 without sensitive attributes) of classes, and how many classes have these.
    """

    columns: tuple[str, ...]
    n_rows: int
    labels: Mapping[str, pl.DataFrame]
    sizes: pl.DataFrame
    commonest: int
    vectors: NDArray[np.uint64]
    together: pl.DataFrame | None
    crowds_of_people: pl.DataFrame | None = None

    @classmethod
    def of(cls, table: pl.DataFrame, schema: Schema, symbols: Collection[str] = ()) -> Counted:
        """Count a plain table; `symbols` are the sensitive columns that do not show values."""
        vectors = pl.Series(hash_descriptions(table, schema.quasi))
        shown = schema.of(Role.INSENSITIVE, Role.SENSITIVE)
        groups = pl.DataFrame({"vector": vectors}).group_by("vector").agg(pl.len().alias("n"))
        names = [a.name for a in (*schema.quasi, *schema.sensitive)]
        return cls(
            tuple(table.columns),
            table.height,
            {name: distinct_labels(table, name) for name in names},
            groups.group_by(pl.col("n").cast(pl.Int64).alias("size")).agg(LEN),
            _commonest(vectors, groups, [table[a.name] for a in schema.sensitive]),
            groups["vector"].sort().to_numpy(),
            alike_in(table, [a.name for a in shown if a.name not in symbols]),
            None if schema.individual is None else _of_people(vectors, table, schema),
        )

    def merge(self, other: Counted) -> Counted:
        """The counts of both; their classes must differ."""
        both = None
        if self.together is not None and other.together is not None:
            both = added([self.together, other.together], "vector")
        return Counted(
            self.columns,
            self.n_rows + other.n_rows,
            {n: added([own, other.labels[n]], "label") for n, own in self.labels.items()},
            added([self.sizes, other.sizes], "size"),
            self.commonest + other.commonest,
            np.concatenate([self.vectors, other.vectors]),
            both,
            _both_crowds(self.crowds_of_people, other.crowds_of_people),
        )

    @property
    def are_whole(self) -> bool:
        """Whether no description was met in two parts."""
        ordered = np.sort(self.vectors)
        return not bool((ordered[1:] == ordered[:-1]).any())

    @property
    def n_classes(self) -> int:
        return int(self.sizes["n"].sum())

    @property
    def n_people(self) -> int:
        """How many people there are, where rows belong to people."""
        found = self.crowds_of_people
        return 0 if found is None else int((found["people"] * found["n"]).sum())

    @property
    def group_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The same as `crowds`, in people where rows belong to people."""
        if self.crowds_of_people is None:
            return self.crowds
        found = self.crowds_of_people.group_by("people").agg(pl.col("n").sum()).sort("people")
        return found["people"].to_numpy(), found["n"].to_numpy()

    @property
    def crowds(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sizes of classes, ascending, and how many have each."""
        ordered = self.sizes.sort("size")
        return ordered["size"].to_numpy(), ordered["n"].to_numpy()

    @property
    def alone(self) -> int:
        """How many rows are the only ones with their cells that are published as they were."""
        if self.together is None:
            return 0
        return int((self.together["n"] == 1).sum())


LEN = pl.len().cast(pl.Int64).alias("n")
_CROWD = ("size", "people", "most")
# Rows that are counted at a time, about.
_LOT = 1 << 20
# The column with the numbers of people.
PERSON = "Id_num"


def added(parts: Sequence[pl.DataFrame], key: str) -> pl.DataFrame:
    """The counts `n` of all parts, by a key."""
    return pl.concat(parts).group_by(key).agg(pl.col("n").sum())


def _commonest(vectors: pl.Series, groups: pl.DataFrame, columns: Sequence[pl.Series]) -> int:
    if not columns:
        return groups.height
    # Some classes at a time: most rows are a pair of class and value of their own. There are at
    # most as many lots as a UInt8 numbers.
    n_lots = min(len(vectors) // _LOT + 1, 2**8)
    lot = (vectors % n_lots).cast(pl.UInt8)
    return sum(
        _commonest_in(vectors.filter(chosen), [column.filter(chosen) for column in columns])
        for chosen in (lot == number for number in range(n_lots))
    )


def _commonest_in(vectors: pl.Series, columns: Iterable[pl.Series]) -> int:
    tops = []
    for column in columns:
        own = pl.DataFrame({"vector": vectors, "value": column}).lazy()
        counted = own.group_by("vector", "value").agg(LEN)
        tops.append(counted.group_by("vector").agg(pl.col("n").max()).collect())
    return int(pl.concat(tops).group_by("vector").agg(pl.col("n").max())["n"].sum())


def _of_people(vectors: pl.Series, table: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    rows = pl.DataFrame({"vector": vectors, "who": table[PERSON]}).lazy()
    own = rows.group_by("vector").agg(LEN.alias("size"), _people("who"))
    found = own.with_columns(pl.lit(0, pl.Int64).alias("most")).collect()
    for a in schema.sensitive:
        cells = pl.DataFrame({"vector": vectors, "value": table[a.name]}).lazy()
        counted = cells.group_by("vector", "value").agg(LEN.alias("top"))
        top = counted.group_by("vector").agg(pl.col("top").max()).collect()
        joined = found.join(top, on="vector")
        found = joined.with_columns(most=pl.max_horizontal("most", "top")).drop("top")
    return found.group_by(_CROWD).agg(LEN)


def _people(column: str) -> pl.Expr:
    return pl.col(column).n_unique().cast(pl.Int64).alias("people")


def _both_crowds(one: pl.DataFrame | None, other: pl.DataFrame | None) -> pl.DataFrame | None:
    if one is None or other is None:
        return None
    return pl.concat([one, other]).group_by(_CROWD).agg(pl.col("n").sum())


def alike_in(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame | None:
    """Digests of the cells of these columns, row by row, and how many rows have each."""
    if not names:
        return None
    hashes = hash_rows([table[n] for n in names], table.height, 2, numbers=False)
    return pl.DataFrame({"vector": hashes}).group_by("vector").agg(LEN)
