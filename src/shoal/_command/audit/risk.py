"""All attacks that apply to a release, given the original, a register or another release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from shoal.attack import ATTACKS, Gain, Target
from shoal.errors import DataError, Problem
from shoal.reading.manifest import Manifest
from shoal.schema import Layout, Schema
from shoal.verify import bucket_contents


@dataclass(frozen=True)
class Opened:
    """A release as attacks see it: its manifest, its tables and the attributes they show."""

    manifest: Manifest
    tables: Mapping[str, pl.DataFrame]
    schema: Schema

    def target(self, known: pl.DataFrame, person: str | None) -> Target:
        """The release with what an adversary knows; raises DataError where that is too little."""
        absent = [a.name for a in self.schema.quasi if a.name not in known.columns]
        if absent:
            text = "Attacks need every quasi-identifier of people, but the table lacks"
            raise DataError(Problem(f"{text} {name!r}.") for name in absent)
        manifest, data = self.manifest, self.tables["data"]
        own = {n: t for n, t in self.tables.items() if n.startswith("buckets-")}
        return Target(
            data,
            self.schema,
            manifest.requirements,
            known,
            ranges=manifest.ranges,
            symbols=tuple(c.name for c in manifest.flagged),
            person=person,
            linked=manifest.form is Layout.LINKED,
            buckets=bucket_contents(data, self.schema, manifest.ranges, own)
            if manifest.keeps_secrets
            else {},
        )


def find_gains(
    release: Opened,
    original: pl.DataFrame | None,
    register: pl.DataFrame | None,
    person: str | None,
    other: Opened | None = None,
) -> Iterator[Gain]:
    """What every attack gains for which all that it needs is given."""
    targets = {}
    if original is not None:
        # An original without the column of people still shows what rows alone do.
        person = person if person in original.columns else None
        targets["the original"] = release.target(original, person)
        if other is not None:
            beside = other.target(original, person)
            targets["another release"] = replace(targets["the original"], other=beside)
    if register is not None:
        targets["a register"] = release.target(register, None)
    for needs, target in targets.items():
        for attack in ATTACKS.values():
            if attack.needs == needs:
                yield from attack().run(target)
