"""Who was in earlier releases: two releases of the same people can be compared by their readers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.recode import hash_columns
from shoal.schema import Role, Schema

FILE = "history.parquet"


def digest_people(frame: pl.DataFrame, schema: Schema) -> NDArray[np.uint64]:
    """A digest of everyone: of the individual, else of the identifiers, else of the whole row."""
    if schema.individual is not None:
        names = [schema.individual.column]
    else:
        names = [a.name for a in schema.of(Role.IDENTIFIER)] or frame.columns
    return np.unique(hash_columns(frame, names))


def earlier_releases(private: Path | None) -> pl.DataFrame:
    """The people of the releases whose private side this folder holds: (release, person)."""
    path = None if private is None else private / FILE
    if path is None or not path.is_file():
        return pl.DataFrame(schema={"release": pl.String, "person": pl.UInt64})
    return pl.read_parquet(path)


def warn_of_overlap(earlier: pl.DataFrame, people: NDArray[np.uint64]) -> list[str]:
    """One warning for every earlier release that shares people with this one."""
    shared = (
        earlier.filter(pl.col("person").is_in(pl.Series(people).implode()))
        .group_by("release")
        .agg(pl.col("person").n_unique())
        .sort("release")
    )
    return [
        f"{n:,} of {len(people):,} people were also in the release of {when}. Whoever holds both "
        "can compare them: what each hides by itself, the two together may show (composition). "
        "k-anonymity and its kin do not protect against that."
        for when, n in shared.iter_rows()
    ]


def extend_history(earlier: pl.DataFrame, people: NDArray[np.uint64]) -> pl.DataFrame:
    """The earlier releases and this one."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    fresh = pl.DataFrame({"release": pl.repeat(now, len(people), eager=True), "person": people})
    return pl.concat([earlier, fresh])
