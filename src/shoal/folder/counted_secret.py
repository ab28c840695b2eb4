"""What a manifest and a report need of a release with buckets, counted: sums over parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from shoal.folder.counted import LEN, Counted, added, alike_in
from shoal.release.crowd import hash_descriptions
from shoal.report.cell import distinct_labels
from shoal.report.secret import BucketSizes
from shoal.schema import Layout, Role, Schema


@dataclass(frozen=True, eq=False)
class Held:
    """What the buckets of an attribute hold.

    `values` are the different ones and how many cells have each, `sizes` the sizes of buckets and
    how many have each; `lost` sums, over cells, how many values besides its own each may have.
    """

    values: pl.DataFrame
    sizes: pl.DataFrame
    lost: int

    @classmethod
    def of(cls, bids: pl.Series, values: pl.Series) -> Held:
        """Of buckets by number, and a value for every cell in them."""
        cells = pl.DataFrame({"BID": bids, "label": values})
        buckets = cells.group_by("BID").agg(LEN, pl.col("label").n_unique().alias("m"))
        counted = cells.group_by("label").agg(LEN)
        return cls(
            counted.with_columns(pl.col("label").cast(pl.String)),
            buckets.group_by(pl.col("n").alias("size")).agg(LEN),
            int((buckets["n"] * (buckets["m"].cast(pl.Int64) - 1)).sum()),
        )

    def merge(self, other: Held) -> Held:
        """Of both, which have no bucket in common."""
        return Held(
            added([self.values, other.values], "label"),
            added([self.sizes, other.sizes], "size"),
            self.lost + other.lost,
        )

    @property
    def n_cells(self) -> int:
        return int(self.values["n"].sum())


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedSecrets(Counted):
    """The counts of a release with buckets, or of some of its shards.

    Classes are those of one GID. `labels` are those of public cells. `alike` are digests of what
    rows show, and how many rows show it; `n_empty` cells of `n_empty_rows` rows show nothing and
    are in no bucket.
    """

    held: Mapping[str, Held]
    alike: pl.DataFrame
    n_empty: int
    n_empty_rows: int

    @classmethod
    def of_tables(
        cls, tables: Mapping[str, pl.DataFrame], schema: Schema, layout: Layout
    ) -> CountedSecrets:
        """Count the published tables of a shard, whose numbers are its own."""
        data = tables["data"]
        vectors = pl.Series(hash_descriptions(data, schema.quasi))
        classes = data.group_by("GID").agg(LEN)
        n_empty, n_empty_rows = count_empty(data, schema)
        return cls(
            tuple(data.columns),
            data.height,
            {a.name: distinct_labels(_public(data, a.name), a.name) for a in schema.quasi},
            classes.group_by(pl.col("n").alias("size")).agg(LEN),
            0,
            np.empty(0, dtype=np.uint64),
            alike_in(data, [a.name for a in schema.of(Role.INSENSITIVE)]),
            held=dict(_held(tables, schema, layout)),
            alike=pl.DataFrame({"vector": vectors}).group_by("vector").agg(LEN),
            n_empty=n_empty,
            n_empty_rows=n_empty_rows,
        )

    def merge(self, other: Counted) -> CountedSecrets:
        """The counts of both."""
        assert isinstance(other, CountedSecrets)
        plain = super().merge(other)
        held = {**other.held, **self.held}
        for name in self.held.keys() & other.held.keys():
            held[name] = self.held[name].merge(other.held[name])
        return CountedSecrets(
            self.columns,
            plain.n_rows,
            plain.labels,
            plain.sizes,
            0,
            plain.vectors,
            plain.together,
            held=held,
            alike=added([self.alike, other.alike], "vector"),
            n_empty=self.n_empty + other.n_empty,
            n_empty_rows=self.n_empty_rows + other.n_empty_rows,
        )

    @property
    def least_alike(self) -> int:
        """How many rows the fewest show the same."""
        return int(self.alike["n"].min() or 0)  # type: ignore[arg-type]

    def bucket_sizes(self, name: str, file: str) -> BucketSizes:
        """The buckets of an attribute as a report shows them."""
        own = self.held.get(name)
        if own is None or not self.n_rows:
            return BucketSizes(name, file, 0, 0, 0, 0, 0.0)
        sizes, n_cells = own.sizes["size"].to_numpy(), own.n_cells
        n_buckets = int(own.sizes["n"].sum())
        least, most = int(sizes.min()), int(sizes.max())
        return BucketSizes(name, file, n_buckets, n_cells, least, most, n_cells / self.n_rows)


def _public(data: pl.DataFrame, name: str) -> pl.DataFrame:
    pointer = f"{name}_BID"
    return data.filter(data[pointer].is_null()) if pointer in data.columns else data


def count_empty(data: pl.DataFrame, schema: Schema) -> tuple[int, int]:
    """How many cells show nothing and are in no bucket, and in how many rows."""
    empty = [_is_empty(data, a.name) for a in schema.of(Role.SEMI_SENSITIVE)]
    in_row = pl.DataFrame([pl.zeros(data.height, pl.Int64, eager=True), *empty]).sum_horizontal()
    return int(in_row.sum()), int((in_row > 0).sum())


def _is_empty(data: pl.DataFrame, name: str) -> pl.Series:
    """Which cells are withheld, or were missing."""
    pointer = f"{name}_BID"
    empty = data[name if name in data.columns else f"{name}_low"].is_null().alias(name)
    return empty & data[pointer].is_null() if pointer in data.columns else empty


def _held(
    tables: Mapping[str, pl.DataFrame], schema: Schema, layout: Layout
) -> list[tuple[str, Held]]:
    data, found = tables["data"], []
    for a in schema.secret:
        pointer = f"{a.name}_BID"
        if pointer not in data.columns:
            continue
        if layout is Layout.SPLIT:
            own = tables[f"buckets-{a.name}"]
            found.append((a.name, Held.of(own["BID"], own["value"])))
        else:
            inside = data.filter(data[pointer].is_not_null())
            found.append((a.name, Held.of(inside[pointer], inside[a.name])))
    return found
