"""What a release gives away about one person to somebody who knows all that is not secret.

Only the publisher can ask: it needs the original and the private side of the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from shoal._command.audit.own import Own, names_release, read_own
from shoal.attack.bucket import guess_limit
from shoal.errors import DataError, Problem
from shoal.reading.folder import read_buckets, read_data
from shoal.reading.manifest import Manifest
from shoal.schema import Requirement, Role, Schema
from shoal.schema.wording import counted
from shoal.source import AnyTable, read
from shoal.table.form import settle_forms
from shoal.verify import Published, matching_rows, verify_manifest


@dataclass(frozen=True)
class PersonAtRisk:
    """What somebody who knows everything public about everybody learns about one person.

    `row` counts from 1. `records` are the numbers of the published rows that can be the person,
    `identity` is the chance of picking the right one, `posteriors` the chance of guessing each
    secret of the person. The limits are 1/k, and 1/l if buckets follow distinct or frequency
    l-diversity. A suppressed person has no record and no risk.
    """

    row: int
    suppressed: bool
    records: tuple[int, ...] = ()
    identity: float = 0.0
    posteriors: Mapping[str, float] = field(default_factory=dict)
    identity_limit: float | None = None
    posterior_limits: Mapping[str, float] = field(default_factory=dict)

    @property
    def within(self) -> bool:
        """Whether no risk exceeds its limit."""
        pairs = [(self.identity, self.identity_limit)]
        pairs += [(p, self.posterior_limits.get(name)) for name, p in self.posteriors.items()]
        return all(limit is None or risk <= limit * (1 + 1e-9) for risk, limit in pairs)


def person_risk(
    folder: str | Path, original: AnyTable, private: str | Path, row: int
) -> PersonAtRisk:
    """Look for the person of one row (counted from 1) in a release with secret cells.

    `original` is the table that the release was made from, `private` the publisher's own folder of
    the same run. Raises DataError if one of them is missing or does not belong to the others, if
    the release was changed or was not made by lgb-mdp or lgb-ncp, or if there is no such row.
    """
    place = Path(folder)
    manifest = Manifest.read(place)
    if not manifest.keeps_secrets:
        raise DataError(
            "The release must have secret cells in buckets, but this one has none.",
            hint="A person can be looked for only in a release of lgb-mdp or lgb-ncp.",
        )
    broken = verify_manifest(place)
    if broken:
        changed = "The release was changed after it was written."
        raise DataError([Problem(changed, hint="Run 'shoal audit' on the release."), *broken])
    own = _read_own(Path(private), place)
    frame, _ = settle_forms(read(original, base=Path.cwd()), own.schema)
    _check_original(frame, own, row)
    limits = _limits(own.schema, manifest.requirements)
    if own.classes[row - 1] < 0:
        return PersonAtRisk(row, True, (), 0.0, {}, *limits)
    tables = _tables(place, manifest, own)
    published = Published(
        tables,
        frame,
        own.origin,
        own.classes,
        own.schema,
        ranges=manifest.ranges,
        layout=manifest.form,
    )
    found = matching_rows(published, row - 1)
    if not np.isin(np.flatnonzero(own.origin == row - 1), found.rows).all():
        raise DataError(
            f"Row {row} of the original does not fit the row that was published for it.",
            hint="Is it the table that the release was made from, in the same order?",
        )
    records = tuple((found.rows + 1).tolist())
    return PersonAtRisk(row, False, records, found.identity, dict(found.posteriors), *limits)


def published_rows(folder: str | Path, records: Sequence[int]) -> pl.DataFrame:
    """These rows of the published table of a release, by their record numbers."""
    place = Path(folder)
    data = read_data(place, Manifest.read(place))
    if data is None:
        raise DataError(f"The published table in {place} cannot be read.")
    return data.select(pl.all().gather([record - 1 for record in records]).cast(pl.String))


def _read_own(private: Path, release: Path) -> Own:
    """The private side, if it is complete and names this release."""
    own = read_own(private)
    if not names_release(private, release):
        raise DataError(
            f"{private} is the private folder of another run.",
            hint="Name the private folder that was written with this release.",
        )
    return own


def _check_original(frame: pl.DataFrame, own: Own, row: int) -> None:
    needed = [a.name for a in (*own.schema.published, *own.schema.of(Role.FLAG))]
    absent = [name for name in needed if name not in frame.columns]
    if absent:
        raise DataError(Problem(f"The original has no column {name!r}.") for name in absent)
    if frame.height != len(own.classes):
        raise DataError(
            f"The original has {counted(frame.height, 'row')}, but the release was made from "
            f"{len(own.classes):,}.",
            hint="Is it the table that the release was made from?",
        )
    if not 1 <= row <= frame.height:
        raise DataError(
            f"The row must be from 1 to {frame.height}, got {row} instead.",
            hint="Rows count from 1, without the header.",
        )


def _tables(folder: Path, manifest: Manifest, own: Own) -> dict[str, pl.DataFrame]:
    data = read_data(folder, manifest)
    if data is None:
        raise DataError(f"The published table in {folder} cannot be read.")
    if data.height != len(own.origin):
        raise DataError(
            f"The published table has {counted(data.height, 'row')}, but its private folder lists "
            f"{len(own.origin):,}.",
            hint="Run 'shoal audit' on the release.",
        )
    return {"data": data, **read_buckets(folder, manifest, own.schema)}


def _limits(
    schema: Schema, requirements: Sequence[Requirement]
) -> tuple[float | None, dict[str, float]]:
    """1/k, and 1/l for every attribute whose buckets bound the chance of a right guess."""
    ks = [r.parameters["k"] for r in requirements if r.model == "k-anonymity"]
    found = {a.name: guess_limit(requirements, a.name) for a in schema.secret}
    limits = {name: limit for name, limit in found.items() if limit is not None}
    return (1 / max(ks) if ks else None), limits
