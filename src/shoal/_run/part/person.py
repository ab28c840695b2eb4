"""Whose row it is, without their name: keyed digests that bring the rows of a person together."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.plan import Plan
from shoal.recode import hash_cells
from shoal.table import People

# The two halves of a digest; rows with both in common are one person's.
PERSON = ("person-1", "person-2")


@dataclass(frozen=True)
class PersonKey:
    """A secret drawn for one run: names become digests of 128 bits under it.

    Names themselves are in no file on the way, and whoever finds a digest cannot try names on it.
    Nothing that is published depends on the secret. Two people have a digest in common by a chance
    of one in 2^128 for each pair.
    """

    secret: str

    @classmethod
    def fresh(cls) -> PersonKey:
        return cls(secrets.token_hex(32))

    def digests(self, names: pl.Series) -> list[pl.Series]:
        """The two halves of the digest of every name."""
        return [pl.Series(half, hash_cells(names, f"{half} {self.secret}")) for half in PERSON]


def names_nobody(names: pl.Series, plan: Plan) -> pl.Series:
    """Which cells of the column of people name nobody."""
    assert plan.schema.individual is not None
    missing = plan.schema[plan.schema.individual.column].missing
    return names.cast(pl.String).is_in(["", *missing]).fill_null(True)


def people_of(rows: pl.DataFrame) -> People:
    """Whose row each is, numbered in order of first appearance."""
    found = rows.select(PERSON).with_row_index("row")
    first = found.select(pl.col("row").min().over(PERSON)).to_series().to_numpy()
    first_row, person = np.unique(first, return_inverse=True)
    return People(person.astype(np.int32), first_row.astype(np.int64))


def find_digests(
    rows: pl.DataFrame, people: People, digests: Sequence[tuple[int, int]]
) -> NDArray[np.int64]:
    """The people with these digests, in the order of the digests; those who are not there aside."""
    first = rows.select(PERSON)[people.first_row]
    number = {own: i for i, own in enumerate(first.iter_rows())} if digests else {}
    return np.array([number[own] for own in digests if own in number], dtype=np.int64)
