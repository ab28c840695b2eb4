"""The private side of a run, read back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from polars.exceptions import PolarsError
from pydantic import TypeAdapter, ValidationError

from shoal.errors import DataError, Problem
from shoal.folder.private import DESCRIBED, WHOLE, digest_manifest, release_of
from shoal.folder.state import read_counterfeits, read_decimal, read_person, read_versions
from shoal.release.ledger import Ledger
from shoal.schema import Layout, Requirement, Schema

_FACTS, _SCHEMA, _ROWS, _PLACES = (
    "private.json",
    "schema.json",
    "rows.parquet",
    "published-rows.parquet",
)


@dataclass(frozen=True)
class Own:
    """What a run kept to itself: the attributes, and where each row is published.

    `released_k`, `whole` and `described_by` are as in `Published`: the k of each row, the one table
    of a release in two, and the rows that describe people; None where the run has none.
    `counterfeits` are rows that belong to nobody, `entries` says how many entries of the buckets of
    each attribute are, `ledger` has the versions so far, `person` names the column of people, and
    `decimal` is the decimal mark that the plan declares.
    """

    schema: Schema
    classes: NDArray[np.int64]
    origin: NDArray[np.int64]
    requirements: tuple[Requirement, ...]
    layout: Layout
    ranges: str
    symbols: Mapping[str, str]
    concealed: Mapping[str, int]
    suppression_limit: float
    released_k: NDArray[np.int64] | None = None
    whole: pl.DataFrame | None = None
    described_by: NDArray[np.int64] | None = None
    counterfeits: pl.DataFrame = field(default_factory=pl.DataFrame)
    ledger: Ledger | None = None
    entries: Mapping[str, int] = field(default_factory=dict)
    person: str | None = None
    decimal: str | None = None


def read_own(private: Path) -> Own:
    """The private side; raises DataError where it is not complete or cannot be read."""
    if not private.is_dir():
        raise DataError(
            f"There is no folder {private}.",
            hint="Name the private folder that 'shoal run --private FOLDER' wrote.",
        )
    absent = [n for n in (_FACTS, _SCHEMA, _ROWS, _PLACES) if not (private / n).is_file()]
    if absent:
        hint = "It is not the private folder of a run, or files are missing."
        raise DataError(Problem(f"{private} has no {name}.", hint=hint) for name in absent)
    try:
        return _read(private, json.loads((private / _FACTS).read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError, PolarsError, KeyError, TypeError):
        raise DataError(f"The files of {private} cannot be read.") from None


def _read(private: Path, facts: Any) -> Own:
    rows = pl.read_parquet(private / _ROWS, columns=["class", "k"])
    origin = pl.read_parquet(private / _PLACES, columns=["row"])["row"]
    k = rows["k"].cast(pl.Int64)
    described = private / DESCRIBED
    said = facts["published"]
    return Own(
        TypeAdapter(Schema).validate_json((private / _SCHEMA).read_bytes()),
        rows["class"].cast(pl.Int64).fill_null(-1).to_numpy(),
        origin.cast(pl.Int64).to_numpy(),
        tuple(Requirement(r["model"], r["parameters"]) for r in said["requirements"]),
        Layout(said["layout"]),
        said["ranges"],
        said["symbols"],
        said["concealed"],
        said["suppression_limit"],
        None if k.null_count() == k.len() else k.fill_null(0).to_numpy(),
        pl.read_parquet(private / WHOLE) if (private / WHOLE).is_file() else None,
        pl.read_parquet(described)["row"].to_numpy() if described.is_file() else None,
        read_counterfeits(private),
        read_versions(private),
        said.get("counterfeits", {}),
        read_person(private),
        read_decimal(private),
    )


def names_release(private: Path, release: Path) -> bool:
    """Whether the private side names this release, by the digest of its manifest."""
    named = release_of(private)
    return named is not None and named == digest_manifest(release)
