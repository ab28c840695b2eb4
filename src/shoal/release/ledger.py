"""Who was in which version, and with which signature: the set of sensitive values of their class.

The publisher's own. A later version that keeps m-invariance starts from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

# The values of each attribute, by its name; None is the missing value.
Signature = Mapping[str, frozenset[str | None]]

NEW = -1
_PEOPLE = {"person": pl.String, "release": pl.Int32, "signature": pl.Int64}


@dataclass(frozen=True, eq=False)
class Ledger:
    """The people of all versions so far: (person, release, signature), and every signature.

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

    def signature_of(self, people: pl.Series) -> NDArray[np.int64]:
        """The place of everyone's signature, -1 for people who are in no version yet."""
        known = self.people.group_by("person").agg(pl.col("signature").last())
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
        """The same and one version more: its rows by person, class and values.

        Rows that are not real have values, but are nobody's.
        """
        rows = pl.DataFrame({"person": people, "class": classes}).filter(pl.Series(real))
        entered = rows.unique(maintain_order=True)
        numbers = dict(zip(map(_key, self.signatures), range(len(self.signatures)), strict=True))
        signatures = list(self.signatures)
        of_class = {}
        for number, signature in _signatures(classes, values).items():
            place = numbers.setdefault(_key(signature), len(signatures))
            if place == len(signatures):
                signatures.append(signature)
            of_class[number] = place
        added = entered.select(
            "person",
            pl.lit(self.n_releases + 1, dtype=pl.Int32).alias("release"),
            pl.col("class").replace_strict(of_class, return_dtype=pl.Int64).alias("signature"),
        )
        return replace(self, people=pl.concat([self.people, added]), signatures=tuple(signatures))


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
