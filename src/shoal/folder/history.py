"""Who was in earlier releases: two releases of the same people can be compared by their readers."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from shoal.recode import hash_columns
from shoal.release.fact import COMPOSITION
from shoal.schema import Role, Schema
from shoal.schema.advice import Advice, advise
from shoal.table.distinct import distinct

FILE = "history.parquet"


def digest_people(frame: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Digests of everyone, by each column that distinguishes people: (column, person).

    These are the individual, or the identifiers whose values mostly differ; if there are none, the
    whole row. A plan that declares other columns still finds the same people by a common one.
    """
    names = [a.name for a in schema.of(Role.IDENTIFIER)]
    if schema.individual is not None:
        names = [schema.individual.column]
    distinct = [n for n in names if schema.individual or frame[n].n_unique() > frame.height / 2]
    parts = [_digests(frame, [name], name) for name in distinct]
    return pl.concat(parts or [_digests(frame, sorted(frame.columns), "")])


def _digests(frame: pl.DataFrame, names: list[str], column: str) -> pl.DataFrame:
    people = distinct(hash_columns(frame, names))
    return pl.DataFrame({"person": people}).select(pl.lit(column).alias("column"), "person")


def earlier_releases(private: Path | None) -> pl.DataFrame:
    """The people of the releases whose private side is in this folder."""
    path = None if private is None else private / FILE
    if path is None or not path.is_file():
        return pl.DataFrame(schema={"release": pl.String, "column": pl.String, "person": pl.UInt64})
    return pl.read_parquet(path)


def without_latest(earlier: pl.DataFrame) -> pl.DataFrame:
    """The earlier releases but the last, which the private folder belongs to."""
    return earlier.filter(pl.col("release") != pl.col("release").max())


def warn_of_overlap(earlier: pl.DataFrame, people: pl.DataFrame) -> list[Advice]:
    """One warning for every earlier release that shares people with this one."""
    shared = (
        earlier.unique()
        .join(people, on=["column", "person"])
        .group_by("release", "column")
        .len("shared")
        .join(people.group_by("column").len("everyone"), on="column")
        .sort("shared", descending=True)
        .group_by("release", maintain_order=True)
        .first()
        .sort("release")
    )
    return [
        advise(
            "composition",
            f"{n:,} of {everyone:,} people were also in the release of {_to_the_second(when)}. "
            f"{COMPOSITION} "
            "k-anonymity and related models do not protect against that.",
        )
        for when, n, everyone in shared.select("release", "shared", "everyone").iter_rows()
    ]


def _to_the_second(when: str) -> str:
    return datetime.fromisoformat(when).isoformat(timespec="seconds")


def extend_history(earlier: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """The earlier releases and this one."""
    # To the microsecond: releases are told apart by this alone, and the latest is found by it.
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return pl.concat([earlier, people.select(pl.lit(now).alias("release"), "column", "person")])
