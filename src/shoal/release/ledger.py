"""Who was in which version, and with which signature: the set of sensitive values of their class.

Where values are in buckets, everybody has a signature for each attribute with a bucket of theirs.
It is private to the publisher. A later version that keeps m-invariance starts from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.verify import Published

# The values of each attribute, by its name; None is the missing value.
Signature = Mapping[str, frozenset[str | None]]

NEW = -1
_PEOPLE = {
    "person": pl.String,
    "release": pl.Int32,
    "attribute": pl.String,
    "signature": pl.Int64,
}
# The bucket of every row (-1: none), and buckets with their values.
HeldCells = tuple[NDArray[np.int64], NDArray[np.int64], pl.Series]


@dataclass(frozen=True, eq=False)
class Ledger:
    """The people of all versions so far: (person, release, attribute, signature); every signature.

    The attribute is the one whose bucket it is. It is null where one class has the values of all
    attributes; then, or where somebody's cells are in no bucket, the signature is null too.
    `releases` are the digests of the manifests of all versions but the last, in their order.
    """

    people: pl.DataFrame
    signatures: tuple[Signature, ...] = ()
    releases: tuple[str | None, ...] = ()

    @classmethod
    def empty(cls) -> Ledger:
        return cls(pl.DataFrame(schema=_PEOPLE))

    @property
    def n_releases(self) -> int:
        return int(self.people["release"].to_numpy().max(initial=0))

    def in_both(self, one: str | None) -> pl.Series | None:
        """Who is in the last version and in the one with this digest; None: it is not known."""
        if one is None or one not in self.releases:
            return None
        versions = pl.col("release").is_in([self.releases.index(one) + 1, self.n_releases])
        found = self.people.filter(versions).group_by("person").agg(pl.col("release").n_unique())
        return found.filter(pl.col("release") == 2)["person"]

    def signature_of(self, people: pl.Series, attribute: str | None = None) -> NDArray[np.int64]:
        """The place of everyone's signature, -1 for people who have none yet."""
        own = self.people.filter(pl.col("attribute").eq_missing(pl.lit(attribute, pl.String)))
        known = own.drop_nulls("signature").group_by("person").agg(pl.col("signature").last())
        found = (
            people.alias("person")
            .to_frame()
            .join(known, on="person", how="left", maintain_order="left")
        )
        return found["signature"].fill_null(NEW).to_numpy().astype(np.int64)

    def with_release(
        self,
        people: pl.Series,
        real: NDArray[np.bool_],
        classes: NDArray[np.int64],
        values: Mapping[str, pl.Series],
    ) -> Ledger:
        """The same ledger with one more version: its rows by person, class and values.

        Rows that are not real have values, but belong to nobody.
        """
        rows = pl.DataFrame({"person": people, "class": classes}).filter(pl.Series(real))
        entered = rows.unique(maintain_order=True)
        known = _Known(self.signatures)
        of_class = known.places(_signatures(classes, values))
        added = self._added(entered, None, of_class)
        return replace(
            self, people=pl.concat([self.people, added]), signatures=tuple(known.signatures)
        )

    def with_buckets(self, people: pl.Series, held: Mapping[str, HeldCells]) -> Ledger:
        """The same ledger with one more version: its people, one row each, by what buckets hold."""
        known = _Known(self.signatures)
        added, alone = [], np.ones(len(people), dtype=np.bool_)
        for name, (of_row, owners, values) in held.items():
            of_bucket = known.places(_signatures(owners, {name: values}))
            rows = pl.DataFrame({"person": people, "class": of_row}).filter(pl.col("class") >= 0)
            added.append(self._added(rows, name, of_bucket))
            alone &= of_row < 0
        rest = pl.DataFrame({"person": people.filter(pl.Series(alone))})
        added.append(self._added(rest.with_columns(pl.lit(-1).alias("class")), None, {}))
        return replace(
            self, people=pl.concat([self.people, *added]), signatures=tuple(known.signatures)
        )

    def _added(
        self, rows: pl.DataFrame, attribute: str | None, place: Mapping[int, int]
    ) -> pl.DataFrame:
        """The entries of one more version for these people and classes or buckets."""
        signature = (
            pl.col("class")
            .cast(pl.Int64)
            .replace_strict(place, default=None, return_dtype=pl.Int64)
        )
        return rows.select(
            "person",
            pl.lit(self.n_releases + 1, dtype=pl.Int32).alias("release"),
            pl.lit(attribute, dtype=pl.String).alias("attribute"),
            (signature if place else pl.lit(None, dtype=pl.Int64)).alias("signature"),
        )


class _Known:
    """All signatures, each once, in the order in which they came."""

    def __init__(self, signatures: Sequence[Signature]) -> None:
        self.signatures = list(signatures)
        self.numbers = {_key(signature): i for i, signature in enumerate(signatures)}

    def places(self, found: Mapping[int, Signature]) -> dict[int, int]:
        """The place of every signature, those that are new at the end."""
        places = {}
        for number, signature in found.items():
            place = self.numbers.setdefault(_key(signature), len(self.signatures))
            if place == len(self.signatures):
                self.signatures.append(signature)
            places[number] = place
        return places


def _signatures(
    classes: NDArray[np.int64], values: Mapping[str, pl.Series]
) -> dict[int, dict[str, frozenset[str | None]]]:
    """The signature of every class."""
    found: dict[int, dict[str, frozenset[str | None]]] = {}
    for name, series in values.items():
        pairs = pl.DataFrame({"class": classes, "value": series.cast(pl.String)})
        for number, own in pairs.group_by("class").agg(pl.col("value").unique()).iter_rows():
            found.setdefault(number, {})[name] = frozenset(own)
    return found


def _key(signature: Signature) -> frozenset[tuple[str, frozenset[str | None]]]:
    return frozenset(signature.items())


def held_in_buckets(published: Published) -> dict[str, HeldCells]:
    """By attribute the bucket of every input row (-1: none), and buckets with their values.

    The values include entries that belong to nobody.
    """
    found: dict[str, HeldCells] = {}
    for attribute in published.schema.secret:
        name = attribute.name
        if f"{name}_BID" not in published.data.columns:
            continue
        of_row = np.full(published.original.height, -1, dtype=np.int64)
        numbers = published.data[f"{name}_BID"].cast(pl.String).cast(pl.Int64)
        of_row[published.origin] = numbers.fill_null(-1).to_numpy()
        listed = published.tables.get(f"buckets-{name}")
        if listed is None:
            inside = np.flatnonzero(of_row > 0)
            cells = published.original[name].gather(inside)
            found[name] = of_row, of_row[inside], cells.cast(pl.String)
        else:
            bids = listed["BID"].cast(pl.String).cast(pl.Int64).to_numpy()
            found[name] = of_row, bids, listed["value"].cast(pl.String)
    return found
