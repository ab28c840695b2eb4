"""Secrets that are kept cell by cell: their buckets, and what an adversary can learn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from shoal.reading.manifest import Manifest, ManifestColumn
from shoal.release.outcome import Outcome
from shoal.report.wording import ROLES, SYMBOLS, odds
from shoal.schema import Layout, Role

_NUMBERS = {
    "record": "the number of the row; means nothing outside this release",
    "GID": "the number of the group; rows with the same number look alike",
}
_NUMBERS_OF_TWO = ("GID", "", "the number of the group, which alone links the two tables")
_OF_BUCKETS: dict[str, str] = {
    Role.SENSITIVE: "everybody’s secret: its values are in buckets",
    Role.SEMI_SENSITIVE: "describes people who let it be known; for the others it is in buckets",
}


@dataclass(frozen=True)
class BucketSizes:
    """The buckets of one attribute; without any, nobody keeps it secret, or all is withheld.

    `share` is the share of published rows whose cell is in a bucket.
    """

    name: str
    file: str
    n_buckets: int
    n_values: int
    least: int
    most: int
    share: float


def bucket_sizes(manifest: Manifest, tables: Mapping[str, pl.DataFrame]) -> list[BucketSizes]:
    """For every attribute that can be secret its buckets, counted by the column that names them."""
    return [_sizes(c.name, tables) for c in manifest.secret]


def released_buckets(release: Outcome) -> list[BucketSizes]:
    """The same from a release, for every attribute that can be secret in it."""
    if not release.keeps_secrets:
        return []
    return [_sizes(a.name, release.coded) for a in release.schema.secret]


def _sizes(name: str, tables: Mapping[str, pl.DataFrame]) -> BucketSizes:
    data, pointer = tables["data"], f"{name}_BID"
    file = f"buckets-{name}"
    file = file if file in tables else "data"
    if pointer not in data.columns or not data.height:
        return BucketSizes(name, file, 0, 0, 0, 0, 0.0)
    cells = data[pointer].drop_nulls().alias("bucket")
    counts = cells.value_counts(name="n")["n"].to_list() or [0]
    n_buckets = len(counts) if cells.len() else 0
    share = cells.len() / data.height
    return BucketSizes(name, file, n_buckets, cells.len(), min(counts), max(counts), share)


def role_rows(manifest: Manifest, data: pl.DataFrame) -> list[tuple[str, str, str]]:
    """Name, kind and fate of every published column; of ranges in two columns, once."""
    if not manifest.keeps_secrets:
        linked = [_NUMBERS_OF_TWO] if manifest.form is Layout.LINKED else []
        fates = [SYMBOLS[c.symbols] if c.symbols else ROLES[c.role] for c in manifest.columns]
        columns = zip(manifest.columns, fates, strict=True)
        return [*linked, *((c.name, c.kind or "", fate) for c, fate in columns)]
    rows = [(name, "", meaning) for name, meaning in _NUMBERS.items()]
    for column in manifest.columns:
        rows += _rows_of(column, manifest, data)
    return rows


def _rows_of(
    column: ManifestColumn, manifest: Manifest, data: pl.DataFrame
) -> Iterator[tuple[str, str, str]]:
    pointer = f"{column.name}_BID"
    fate = ROLES[column.role]
    if pointer not in data.columns:
        yield column.name, column.kind or "", fate
        return
    fate = _OF_BUCKETS.get(column.role, fate)
    if column.role != Role.SENSITIVE or manifest.form is Layout.JOINED:
        yield column.name, column.kind or "", fate
    yield (
        pointer,
        "",
        (f"the bucket that holds the row’s value of {column.name}; empty if there is none"),
    )


@dataclass(frozen=True)
class SecretRisk:
    """The most that an adversary can learn of anybody, and what the requirements allow."""

    name: str
    what: str
    reached: str
    allowed: str
    share: float
    within: bool | None


def risks_of(release: Outcome) -> list[SecretRisk]:
    """The largest risks over all published people; empty where no secrets are kept cell by cell."""
    risks = release.risks
    if risks is None:
        return []
    limit = risks.identity_limit
    found = [_risk("identity", "which row is theirs", risks.identity, risks.identity_exact, limit)]
    for name, learned in risks.posteriors.items():
        limit = risks.posterior_limits.get(name)
        exact = risks.posteriors_exact[name]
        found.append(_risk(name, f"their secret in {name}", learned, exact, limit))
    return found


def _risk(name: str, what: str, risk: float, exact: bool, limit: float | None) -> SecretRisk:
    allowed = "no bound required" if limit is None else odds(limit)
    # Shares that are equal on paper may differ in the last digits.
    within = None if limit is None else risk <= limit * (1 + 1e-9)
    return SecretRisk(name, what, odds(risk, exact), allowed, risk, within)
